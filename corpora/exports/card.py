"""The dataset card of an exported repository: a YAML header for machines, sections for people."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from beirkit.corpora.exports.base import Facts
from beirkit.corpora.exports.parquet import Type, Written
from beirkit.corpora.manifest import Counts

_UNKNOWN = "Not stated."

# The hub's identifiers of licences whose name an owner may state and nothing else; any other text is "other".
_LICENCES = {
    "apache20": "apache-2.0", "ccby30": "cc-by-3.0", "ccby40": "cc-by-4.0", "ccbync40": "cc-by-nc-4.0",
    "ccbyncnd40": "cc-by-nc-nd-4.0", "ccbyncsa40": "cc-by-nc-sa-4.0", "ccbynd40": "cc-by-nd-4.0",
    "ccbysa30": "cc-by-sa-3.0", "ccbysa40": "cc-by-sa-4.0", "cc010": "cc0-1.0", "cc0": "cc0-1.0",
    "gpl30": "gpl-3.0", "mit": "mit", "odcby10": "odc-by", "odcby": "odc-by", "pddl": "pddl",
}  # fmt: skip

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"),
          (10**7, "1M<n<10M"), (10**8, "10M<n<100M"), (10**9, "100M<n<1B"))  # fmt: skip

_FIELDS = {
    "corpus": "`_id`, `title` (empty where there is none), `text`",
    "queries": "`_id`, `text`; every query of every split, judged or not",
    "default": "`query-id`, `corpus-id`, `score`: the grade of the document for the query; relevant from 1",
}


class Split(NamedTuple):
    """One Parquet file of a configuration: the split's name, its path in the repository, what it holds."""

    name: str
    path: str
    written: Written


class Config(NamedTuple):
    """One configuration of the repository, its columns with their types, and its splits."""

    name: str
    columns: Mapping[str, Type]
    splits: Sequence[Split]


def card(
    facts: Facts,
    configs: Sequence[Config],
    counts: Counts,
    content_ids: Mapping[str, str],
    names: Mapping[str, str],
) -> str:
    """The whole of ``README.md``.

    Args:
        facts: what is known about the dataset; what is not is said to be not stated.
        configs: what was written.
        counts: how much there is, by the splits' own names.
        content_ids: as the manifest of the exported folder has them.
        names: the repository's name of each split.
    """
    header = msgspec.yaml.encode(_header(facts, configs, counts)).decode()
    title = facts.title or facts.name
    parts = [f"---\n{header}---\n\n# {title}\n\n{_summary(facts, counts)}\n"]
    for heading, text in (
        ("Supported tasks", _task(facts)),
        ("Languages", f"BCP 47 code: `{facts.language}`." if facts.language else _UNKNOWN),
        ("Dataset structure", _structure(configs)),
        ("Data splits", _splits(counts, names)),
        ("Source data", _source(facts)),
        ("Licensing information", facts.licence or _UNKNOWN),
        ("Citation information", _fenced(facts.citation) if facts.citation else _UNKNOWN),
        ("Integrity", _integrity(content_ids)),
    ):
        parts.append(f"\n## {heading}\n\n{text.strip()}\n")
    return "".join(parts)


def licence_id(licence: str) -> str:
    """The hub's id of a licence, ``other`` where the text is not the name of one, ``unknown`` for none."""
    if not licence.strip():
        return "unknown"
    return _LICENCES.get(re.sub(r"[^a-z0-9]|license|licence", "", licence.lower()), "other")


def size_category(documents: int) -> str:
    """The hub's name for a size."""
    return next((name for limit, name in _SIZES if documents < limit), "1B<n<10B")


def _header(facts: Facts, configs: Sequence[Config], counts: Counts) -> dict[str, Any]:
    tags = ["beir", "information-retrieval", facts.task.replace(" ", "-")]
    return {
        "pretty_name": facts.title or facts.name,
        **({"language": [facts.language.split("-")[0]]} if facts.language else {}),
        "license": licence_id(facts.licence),
        "task_categories": ["text-retrieval"],
        "size_categories": [size_category(counts.documents)],
        "tags": [tag for tag in tags if tag],
        "configs": [
            {
                "config_name": config.name,
                "data_files": [{"split": split.name, "path": split.path} for split in config.splits],
            }
            for config in configs
        ],
        "dataset_info": [_info(config) for config in configs],
    }


def _info(config: Config) -> dict[str, Any]:
    return {
        "config_name": config.name,
        "features": [{"name": name, "dtype": kind} for name, kind in config.columns.items()],
        "splits": [
            {"name": split.name, "num_bytes": split.written.memory, "num_examples": split.written.rows}
            for split in config.splits
        ],
        "download_size": sum(split.written.bytes for split in config.splits),
        "dataset_size": sum(split.written.memory for split in config.splits),
    }


def _summary(facts: Facts, counts: Counts) -> str:
    judged = sum(split.judgments for split in counts.splits.values())
    about = f" Its documents are {facts.domain}." if facts.domain else ""
    return (
        f"A retrieval benchmark in BEIR's form: {counts.documents:,} documents, {counts.queries:,} queries, "
        f"{judged:,} relevance judgments.{about}"
    )


def _task(facts: Facts) -> str:
    task = f"Retrieval: {facts.task}." if facts.task else "Retrieval."
    if facts.reported_split:
        task += f" Published figures are of the split `{facts.reported_split}`."
    return task


def _structure(configs: Sequence[Config]) -> str:
    rows = ["| configuration | fields |", "| --- | --- |"]
    for config in configs:
        more = ", `metadata` as JSON" if "metadata" in config.columns else ""
        rows.append(f"| `{config.name}` | {_FIELDS[config.name]}{more} |")
    first = configs[-1].splits[0].name
    lines = "\n".join(
        f'load_dataset(REPOSITORY, "{config.name}", split="{split}")'
        for config, split in zip(configs, ("corpus", "queries", first), strict=False)
    )
    return "\n".join(rows) + f"\n\n```python\nfrom datasets import load_dataset\n\n{lines}\n```"


def _splits(counts: Counts, names: Mapping[str, str]) -> str:
    if not counts.splits:
        return "Nothing is judged."
    rows = ["| split | queries | judgments | by grade |", "| --- | ---: | ---: | --- |"]
    for split, tally in counts.splits.items():
        grades = ", ".join(f"{grade}: {number:,}" for grade, number in tally.grades.items())
        own = "" if names[split] == split else f" (in BEIR's form: `{split}`)"
        rows.append(f"| `{names[split]}`{own} | {tally.queries:,} | {tally.judgments:,} | {grades} |")
    return "\n".join(rows)


def _source(facts: Facts) -> str:
    text = facts.source or _UNKNOWN
    if facts.revision:
        text += f"\n\nRevision of the source: {facts.revision}"
    if facts.differences:
        text += "\n\nHow the records differ from the published BEIR files:\n\n"
        text += "\n".join(f"- {' '.join(sentence.split())}" for sentence in facts.differences)
    return text


def _integrity(content_ids: Mapping[str, str]) -> str:
    rows = [
        "Content ids are the sum modulo 2^256 of one SHA-256 per record, so they do not depend on order or",
        "file format. `export.json` has the SHA-256 of each file and of the source's, and says how the",
        "records were made.\n",
        "| records | content id |",
        "| --- | --- |",
    ]
    return "\n".join([*rows, *(f"| `{name}` | `{value}` |" for name, value in content_ids.items())])


def _fenced(text: str) -> str:
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}bibtex\n{text.strip()}\n{fence}"
