"""Which converters there are, and how one is called; a class is loaded when its name is first used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import msgspec

from beirkit.converters.base import Converter
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import UsageError
from beirkit.corpora.plugins import load_class

GROUP = "beirkit.converters"

_SHIPPED = {
    "args-me": "beirkit.converters.args_me:ArgsMe",
    "arguana": "beirkit.converters.arguana:Arguana",
    "asmachta": "beirkit.converters.asmachta:Asmachta",
    "beir": "beirkit.converters.beir_folder:BeirFolder",
    "bioasq": "beirkit.converters.bioasq:Bioasq",
    "bright": "beirkit.converters.bright:Bright",
    "climate-fever": "beirkit.converters.climate_fever:ClimateFever",
    "cord19": "beirkit.converters.cord19:Cord19",
    "cqadupstack": "beirkit.converters.cqadupstack:Cqadupstack",
    "dbpedia-entity": "beirkit.converters.dbpedia:DbpediaEntity",
    "dpr": "beirkit.converters.dpr:Dpr",
    "fever": "beirkit.converters.fever:Fever",
    "fiqa": "beirkit.converters.fiqa:Fiqa",
    "hotpotqa": "beirkit.converters.hotpotqa:Hotpotqa",
    "huggingface": "beirkit.converters.huggingface:HuggingFace",
    "ir_datasets": "beirkit.converters.ir_datasets_source:IrDatasets",
    "jsonl": "beirkit.converters.jsonl:Jsonl",
    "kilt": "beirkit.converters.kilt:Kilt",
    "lexbench": "beirkit.converters.lexbench:Lexbench",
    "llamaindex": "beirkit.converters.llamaindex:LlamaIndex",
    "lotte": "beirkit.converters.lotte:Lotte",
    "miracl": "beirkit.converters.miracl:Miracl",
    "msmarco": "beirkit.converters.msmarco:Msmarco",
    "mteb": "beirkit.converters.mteb_task:MtebTask",
    "nfcorpus": "beirkit.converters.nfcorpus:Nfcorpus",
    "nq": "beirkit.converters.natural_questions:NaturalQuestions",
    "pystdlib": "beirkit.converters.pystdlib:Pystdlib",
    "quora": "beirkit.converters.quora:Quora",
    "ragas": "beirkit.converters.ragas:Ragas",
    "scidocs": "beirkit.converters.scidocs:Scidocs",
    "scifact": "beirkit.converters.scifact:Scifact",
    "signal1m": "beirkit.converters.signal1m:Signal1m",
    "smart": "beirkit.converters.smart:Smart",
    "squad": "beirkit.converters.squad:Squad",
    "table": "beirkit.converters.table:Table",
    "trec": "beirkit.converters.trec:Trec",
    "trecqa": "beirkit.converters.trecqa:Trecqa",
    "vespa": "beirkit.converters.vespa:Vespa",
    "washington-post": "beirkit.converters.washington_post:WashingtonPost",
}


class Description(msgspec.Struct, frozen=True):
    """What ``beirkit list formats`` says of one converter."""

    name: str
    summary: str
    needs_raw: bool


def names() -> tuple[str, ...]:
    """Names of every converter, shipped or installed beside beirkit, sorted."""
    return tuple(sorted({*_SHIPPED, *_installed()}))


@cache
def get(name: str) -> type[Converter[Any]]:
    """The class of one converter.

    A third party adds one as an entry point of the group ``beirkit.converters``; a shipped name cannot be
    taken over.

    Raises:
        UnknownNameError: no converter has that name; the message holds the nearest one.
        UsageError: an installed entry point cannot be loaded or is no converter.
    """
    return load_class(name, "format", Converter, _SHIPPED, _installed())


def describe() -> tuple[Description, ...]:
    """Name, summary and need of raw files of every converter, sorted by name."""
    classes = ((name, get(name)) for name in names())
    return tuple(Description(name, cls.summary, cls.needs_raw) for name, cls in classes)


def parse_settings(name: str, settings: Iterable[str]) -> dict[str, Any]:
    """The options of one converter from ``key=value`` settings of a command line.

    Raises:
        UnknownNameError: no converter has that name.
        UsageError: a setting has no ``=``, or its value is not YAML where it should be.
    """
    from beirkit.converters import options

    return options.parse_settings(settings, get(name).Options)


def convert(name: str, raw: Path | str | None = None, options: dict[str, Any] | None = None) -> Collection:
    """Open a raw benchmark as a collection.

    Args:
        name: catalog name of the converter.
        raw: the file or folder to read, where the converter needs one.
        options: the converter's options, as YAML or a command line gave them: ``"2"`` is taken for a
            number and ``"true"`` for a truth value where the option is one.

    Raises:
        UnknownNameError: no converter has that name.
        UsageError: ``raw`` is missing or does not exist, or an option is unknown or has a wrong type.
        DataError: the source is not what the converter reads.
    """
    cls = get(name)
    settings = check_options(name, options or {})
    if raw is None:
        if cls.needs_raw:
            raise UsageError(
                f"format {name!r} reads files, and none were named",
                hint=f"say where they are: beirkit convert {name} RAW --out FOLDER",
            )
        return cls().convert(None, settings)
    path = Path(raw)
    if not path.exists():
        raise UsageError("there is no such file or folder", path=path)
    if not path.is_file() and not path.is_dir():
        raise UsageError(
            "is a pipe or a device, which can be read once at most; a source is read several times",
            path=path,
            hint="write it to a file, with the ending that it has, and name that",
        )
    return cls().convert(path, settings)


def check_options(name: str, options: Mapping[str, Any], place: str = "") -> Any:
    """The options of one converter, as its ``Options``.

    Args:
        name: catalog name of the converter.
        options: as in :func:`convert`.
        place: where they stand, for messages.

    Raises:
        ConfigError: an option is unknown or has a wrong type.
    """
    from beirkit.converters.options import checked

    return checked(name, get(name).Options, options, place)


@cache
def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}
