"""What people write for a retriever on a command line or in a suite: a name, a name with options, a file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from beirkit.configs.load import convert, load_retriever, load_yaml, names, read_config, read_mapping
from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.errors import ConfigError, UnknownNameError, nearest

_PIECE = re.compile(r"""(?:"[^"]*"|'[^']*'|\[[^\]]*\]|[^,"'\[\]])+""")
"""One ``key=value``: commas inside quotes and brackets do not end it."""

_STAGE = re.compile(r"(.+)#(\d+(?:\.\d+)*)")

Options = dict[str, Any]

MEMBERS, INNER = "members", "retriever"
"""Options that hold other retrievers: a list of them, and one."""


def parse_retriever(text: str) -> RetrieverConfig:
    """The retriever that a text stands for.

    ============================  ===================================================================
    ``bm25``                      a shipped retriever
    ``./mine.yaml``               a file
    ``bm25:k1=1.5,b=0.75``        either of them with options changed; values are YAML scalars, lists, ``{}``
    ``bm25:analyzer.stemmer=none``  an option within an option
    ``hybrid#2``                  the second retriever inside another; ``hybrid#2.1`` the first inside that
    ``run:PATH``                  a run file
    ``http:FILE.yaml``            a search service, the options of kind ``http`` in a file
    ``vectors:FOLDER``            term weights in files, as ``beirkit encode`` writes them
    ============================  ===================================================================

    The types of options are checked by the retriever's class when it is made. A changed retriever is called
    by its text, so that results show what was changed.

    Raises:
        UnknownNameError: no shipped retriever has this name; the message names the nearest one.
        ConfigError: the file or the options cannot be read.
    """
    stage = _STAGE.fullmatch(text.strip())
    if stage is not None:
        return _stage(parse_retriever(stage[1]), stage[2], text)
    outside = _outside(text.strip())
    if outside is not None:
        return outside
    base, options = _split(text.strip())
    config = read_config(Path(base), RetrieverConfig) if _is_file(base) else _shipped(base)
    if options is None:
        return config
    changed = config.options
    pieces = _pieces(options, text)
    for key, value in pieces:
        changed = _with(changed, key.split("."), _value(value, key, text), text)
    told = ",".join(f"{key}={value}" for key, value in pieces)
    return msgspec.structs.replace(config, name=f"{config.name}:{told}", options=changed)


def parse_retrievers(texts: Iterable[str]) -> list[RetrieverConfig]:
    """The retrievers that texts stand for, each text once, no two of them called the same.

    Of different texts that give the same name, such as ``bm25`` and ``run:bm25.trec`` or two files with one
    ``name``, each is called by its text.

    Raises:
        UnknownNameError: no shipped retriever has a name.
        ConfigError: a file or the options cannot be read.
    """
    configs = {text: parse_retriever(text) for text in dict.fromkeys(text.strip() for text in texts)}
    times = Counter(config.name for config in configs.values())
    return [
        config if times[config.name] == 1 else msgspec.structs.replace(config, name=text)
        for text, config in configs.items()
    ]


def nested_config(spec: Any) -> RetrieverConfig:
    """The retriever that stands in the options of another.

    Args:
        spec: a text as :func:`parse_retriever` takes, or the keys of a configuration, of which ``kind`` alone
            is needed.

    Raises:
        UnknownNameError: no shipped retriever has this name.
        ConfigError: it cannot be read.
    """
    if isinstance(spec, str):
        return parse_retriever(spec)
    if not isinstance(spec, dict):
        raise ConfigError(f"{spec!r} is no retriever", hint="write a name, or {kind: …, options: …}")
    return convert({"name": str(spec.get("kind", "")), **spec}, RetrieverConfig, path="a retriever")


def nested_specs(options: Options) -> list[str | dict[str, Any]]:
    """The retrievers in the options of another: ``retriever``, and those of the list ``members``."""
    members = options.get(MEMBERS)
    found = [*(members if isinstance(members, list) else []), options.get(INNER)]
    return [spec for spec in found if isinstance(spec, str | dict)]


def stages_of(text: str) -> list[str]:
    """What :func:`parse_retriever` takes for each retriever inside another, those inside it after it."""
    inner = nested_specs(parse_retriever(text).options)
    joint = "." if _STAGE.fullmatch(text.strip()) else "#"
    here = [f"{text.strip()}{joint}{place}" for place in range(1, len(inner) + 1)]
    return [name for stage in here for name in (stage, *stages_of(stage))]


def _stage(config: RetrieverConfig, places: str, text: str) -> RetrieverConfig:
    """The retriever at a place such as ``2.1`` inside another."""
    name = f"{config.name}#{places}"
    for place in map(int, places.split(".")):
        specs = nested_specs(config.options)
        if not 1 <= place <= len(specs):
            raise ConfigError(
                f"{text!r}: {config.name} has {len(specs)} retrievers inside it", hint="they count from 1"
            )
        config = nested_config(specs[place - 1])
    return msgspec.structs.replace(config, name=name)


def with_nested(
    config: RetrieverConfig, change: Callable[[RetrieverConfig], RetrieverConfig]
) -> RetrieverConfig:
    """The same retriever with each one in its options changed, and written in full.

    Args:
        config: the retriever.
        change: is given each of them.
    """

    def changed(spec: Any) -> Any:
        if not isinstance(spec, str | dict):
            return spec  # the retriever's own check says what is wrong with it
        return msgspec.to_builtins(change(nested_config(spec)))

    options = dict(config.options)
    if isinstance(members := options.get(MEMBERS), list):
        options[MEMBERS] = [changed(spec) for spec in members]
    if INNER in options:
        options[INNER] = changed(options[INNER])
    return config if options == config.options else msgspec.structs.replace(config, options=options)


def _outside(text: str) -> RetrieverConfig | None:
    """What ``run:``, ``http:`` and ``vectors:`` stand for; ``None`` for any other text."""
    scheme, colon, place = text.partition(":")
    if colon and scheme == "vectors":
        return _vectors(place)
    if not colon or scheme not in ("run", "http", "https"):
        return None
    path = Path(place)
    if scheme == "run":
        if not place:
            raise ConfigError("run: names no file", hint="write run:PATH")
        return RetrieverConfig(name=bare_stem(path), kind="run", options={"path": place})
    if scheme == "https" or not _is_file(place):
        raise ConfigError(
            f"{text!r} is no file of options", hint="write the request into a file and name http:FILE.yaml"
        )
    return RetrieverConfig(name=path.stem, kind="http", options=read_mapping(path))


def _vectors(place: str) -> RetrieverConfig:
    """The vectors of a folder, by the first of their usual names that is there; a file may come later."""
    if not place:
        raise ConfigError("vectors: names no folder", hint="write vectors:FOLDER")
    folder, options = Path(place), {}
    for option, usual in (
        ("documents", ("corpus", "corpus.jsonl", "corpus.jsonl.gz")),
        ("queries", ("queries.jsonl", "queries.jsonl.gz", "queries.tsv", "queries.tsv.gz", "queries")),
    ):
        found = [folder / name for name in usual if (folder / name).exists()]
        options[option] = str(found[0] if found else folder / usual[0])
    return RetrieverConfig(name=folder.resolve().name, kind="sparse-vectors", options=options)


def bare_stem(path: Path) -> str:
    """A file's name up to its first dot that is not the first character."""
    return path.name[:1] + path.name[1:].partition(".")[0]


def _split(text: str) -> tuple[str, str | None]:
    """The name or file, and what follows the colon, if there is one."""
    if _is_file(text):
        return text, None
    base, colon, options = text.partition(":")
    return base.strip(), options if colon else None


def _is_file(text: str) -> bool:
    return text.endswith((".yaml", ".yml")) and text not in names("retrievers") and "=" not in text


def _shipped(name: str) -> RetrieverConfig:
    if name in names("retrievers"):
        return load_retriever(name)
    hint = nearest(name, list(names("retrievers")))
    if "/" in name or _exists(name):
        hint = "a file of your own must end in .yaml or .yml"
    raise UnknownNameError(f"no retriever is called {name!r}", hint=hint)


def _exists(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # too long for a file's name
        return False


def _pieces(options: str, text: str) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    rest = options
    while True:
        match = _PIECE.match(rest)
        key, equals, value = (match.group() if match else "").partition("=")
        key, value = key.strip(), value.strip()
        if not equals or not all(part.isidentifier() for part in key.split(".")):
            hint = (
                'write key=value,...; a value with a comma in it stands in quotes, as in index="IVF64,Flat"'
            )
            raise ConfigError(f"the options of {text!r} cannot be read at {rest!r}", hint=hint)
        if key in dict(pieces):
            raise ConfigError(f"{text!r} sets {key!r} twice")
        pieces.append((key, value))
        rest = rest[match.end() :] if match else ""
        if not rest:
            return pieces
        if not rest.startswith(","):
            raise ConfigError(f"the options of {text!r} cannot be read at {rest!r}", hint="close the quote")
        rest = rest[1:]


def _value(value: str, key: str, text: str) -> Any:
    if value.startswith("{") and value != "{}":  # a template such as {text}, not a mapping
        return value
    try:
        return load_yaml(value)
    except yaml.YAMLError as error:
        raise ConfigError(f"{text!r}: the value of {key!r} is not YAML", hint="put it in quotes") from error


def _with(options: Options, keys: list[str], value: Any, text: str) -> Options:
    """The options with one of them set, at any depth; what was given stays as it is."""
    first, *rest = keys
    if not rest:
        return {**options, first: value}
    inner = options.get(first, {})
    if not isinstance(inner, dict):
        raise ConfigError(f"{text!r}: the option {first!r} holds a value, no options of its own")
    return {**options, first: _with(inner, rest, value, text)}
