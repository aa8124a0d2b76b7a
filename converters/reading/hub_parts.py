"""Which configurations and splits of dataset repositories make one benchmark."""

from __future__ import annotations

from typing import NamedTuple

from beirkit.converters.reading.hub_repository import Repository, Splits
from beirkit.corpora.errors import DataError, nearest
from beirkit.corpora.notices import warn


class Parts(NamedTuple):
    """The configurations that make a benchmark, each as files by split; the last two may be empty."""

    corpus: Splits
    queries: Splits
    qrels: Splits
    top_ranked: Splits
    instruction: Splits


def find_parts(main: Repository, judged: Repository, subset: str) -> Parts:
    """The configurations of a benchmark.

    Args:
        main: has the corpus and the queries.
        judged: has the judgments; most often the same.
        subset: what stands before the names of its configurations; empty: nothing.

    Raises:
        DataError: one is missing; the message lists what is there.
    """
    prefix = f"{subset}-" if subset else ""
    names = [f"{prefix}qrels", subset] if subset else ["default", "qrels"]
    if judged is not main and len(judged.configs) == 1:
        names += judged.configs
    whole = main.configs.get(subset or "default", {})
    if f"{prefix}corpus" not in main.configs and {"corpus", "queries"} <= whole.keys():  # as CoIR has it
        others = {split: files for split, files in whole.items() if split not in ("corpus", "queries")}
        own = others if judged is main else _config(judged, names)
        return Parts({"corpus": whole["corpus"]}, {"queries": whole["queries"]}, own, {}, {})
    return Parts(
        _config(main, [f"{prefix}corpus"]),
        _config(main, [f"{prefix}queries", f"{prefix}query", "query"]),
        _config(judged, names),
        main.configs.get(f"{prefix}top_ranked", {}),
        main.configs.get(f"{prefix}instruction", {}),
    )


def judged_splits(qrels: Splits, asked: str, repository: Repository) -> Splits:
    """The splits of the judgments to take: all of them, or the one asked for.

    Raises:
        DataError: there are several, and none of that name, or there is none at all.
    """
    if not qrels:
        hint = "name the folder of the repository that has them: --set qrels=FOLDER"
        raise DataError("has no judgments", path=repository.source.raw, hint=hint)
    if not asked:
        return qrels
    split = _fall_back("judgments", qrels, asked, repository)
    return {split: qrels[split]}


def one_split(what: str, splits: Splits, wanted: str, repository: Repository) -> list[str]:
    """The files of the split that is wanted, else of the only one that is there, which is told.

    Args:
        what: what the splits are of, for messages.
        splits: their files.
        wanted: the split; empty: the only one.
        repository: what they are files of.

    Raises:
        DataError: there are several, and none of that name.
    """
    return splits[_fall_back(what, splits, wanted, repository)]


def wanted_splits(splits: Splits, wanted: str) -> list[str]:
    """The files of the split that is wanted, else of all of them: queries nobody judged do no harm."""
    return splits[wanted] if wanted in splits else all_files(splits)


def all_files(splits: Splits) -> list[str]:
    """The files of all splits."""
    return [name for files in splits.values() for name in files]


def _fall_back(what: str, splits: Splits, wanted: str, repository: Repository) -> str:
    raw, have = repository.source.raw, "has" if what == "corpus" else "have"
    if wanted in splits:
        return wanted
    if len(splits) == 1:
        only = next(iter(splits))
        if wanted and only != what:  # a corpus has no splits; its files must be called something
            warn(f"{raw}: the {what} {have} no split {wanted!r}; the only one, {only!r}, is taken")
        return only
    found = f"the {what} {have} the splits {', '.join(splits)}" + (f" and no {wanted!r}" if wanted else "")
    hint = nearest(wanted, list(splits)) if wanted else f"name one: --set split={next(iter(splits))}"
    raise DataError(found, path=raw, hint=hint)


def _config(repository: Repository, names: list[str]) -> Splits:
    """The first of these configurations that is there."""
    for name in names:
        if name in repository.configs:
            return repository.configs[name]
    subsets = sorted(name.removesuffix("-corpus") for name in repository.configs if name.endswith("-corpus"))
    hint = f"found: {', '.join(repository.configs)}"
    if subsets:
        hint = f"it has the subsets {', '.join(subsets)}: --set subset={subsets[0]}"
    elif "qrels" in names:
        hint = f"{hint}; of judgments in a repository of their own name the folder: --set qrels=FOLDER"
    wanted = " or ".join(repr(name) for name in dict.fromkeys(names))
    raise DataError(f"has no configuration {wanted}", path=repository.source.raw, hint=hint)
