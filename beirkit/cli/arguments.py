"""Reading the words of a command line: options that take lists, ``key=value`` pairs, samples."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from beirkit.cli.visible import one_line
from beirkit.corpora.errors import UsageError

# options that may be followed by several values: `-r bm25 minilm` is `-r bm25 -r minilm`
LIST_OPTIONS = {"-d", "--dataset", "-r", "--retriever", "-m", "--measure", "--rule", "--set"}

# options whose value may begin with a minus, which argparse takes for an option of its own
_SIGNED_OPTIONS = {"--grades", "--where"}

# what is written like a measure, whether or not there is one of the name: `RBP(p=.5)`, `NDGC@10`
_LIKE_A_MEASURE = re.compile(r"[A-Za-z]\w*(\([^()]*\)(@[\d.,]+)?|@[\d.,]+)")

# options that every command has, which may stand before its name too
_GLOBAL_OPTIONS = ("-q", "--quiet", "-v", "--verbose", "--debug")


class _Once(argparse.Action):
    """Takes the value of an option that has one; given again it would silently replace the first."""

    _filled: argparse.Namespace | None = None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if self.option_strings and self._filled is namespace:
            raise argparse.ArgumentError(self, "is given twice, and takes one value")
        self._filled = namespace
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors point to the command's own help; options are not abbreviated.

    What has no option may stand before, between and behind the options: ``convert cisi --out cisi.beir RAW``.
    """

    _mixing = False

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "allow_abbrev": False})
        for name in (None, "store"):
            self.register("action", name, _Once)

    def parse_known_args(  # type: ignore[override]  # typeshed has overloads for namespaces of other classes
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse with positional arguments anywhere; a parser of subcommands leaves that to theirs."""
        if self._mixing or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        """Print one line and leave with exit code 2."""
        self.exit(2, f"beirkit: error: {one_line(message)} (see: {self.prog} --help)\n")


def expand_lists(words: Sequence[str]) -> list[str]:
    """Repeat a list option before each of its further values, and join ``--grades -1=0`` to one word.

    A value of ``-m`` must be a measure or written like one, so that a misspelt one is told as such; one of
    ``--set`` or ``--rule`` must hold ``=``, so that
    file names after them stay file names: the last two words of ``score -m nDCG@10 R@100 run.trec qrels.tsv``
    are files.
    """
    expanded: list[str] = []
    option = ""
    taken = 0
    for place, word in enumerate(words):
        if word[:1] == "-" and word[1:2].isdecimal() and place and words[place - 1] in _SIGNED_OPTIONS:
            expanded[-1] += f"={word}"
            continue
        if word == "--":
            return [*expanded, *words[place:]]
        if word.startswith("-") and len(word) > 1:
            option, taken = (word if word in LIST_OPTIONS else ""), 0
        elif option:
            if taken and not _belongs(option, word):
                option = ""
            elif taken:
                expanded.append(option)
            taken += 1
        expanded.append(word)
    return expanded


def global_options_last(words: Sequence[str]) -> list[str]:
    """Move ``-q`` and its kin from before the command to behind it, where its parser knows them."""
    first = next((place for place, word in enumerate(words) if word not in _GLOBAL_OPTIONS), len(words))
    if first == len(words):
        return list(words)
    return [words[first], *words[:first], *words[first + 1 :]]


def add_measures(parser: argparse.ArgumentParser) -> None:
    """Add ``-m``."""
    parser.add_argument(
        "-m",
        "--measure",
        dest="measures",
        action="append",
        default=[],
        metavar="MEASURE",
        help="a measure such as nDCG@10 or R@100, in any spelling; may be repeated (default: the protocol's)",
    )


def add_settings(parser: argparse.ArgumentParser | argparse._ArgumentGroup, dest: str, text: str) -> None:
    """Add ``--set``, whose pairs :func:`key_values` reads.

    Args:
        parser: of the command, or a group of it.
        dest: where the pairs go.
        text: what can be set.
    """
    parser.add_argument("--set", dest=dest, action="append", default=[], metavar="KEY=VALUE", help=text)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON for machines; what is for people goes to standard error",
    )


def key_values(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``key=value`` pairs as they stand.

    Raises:
        UsageError: a pair without ``=`` or without a key, or a key given twice.
    """
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"{pair!r} is not of the form key=value")
        if key in options:
            raise UsageError(f"{key!r} is given twice")
        options[key] = value
    return options


def _belongs(option: str, word: str) -> bool:
    if option in ("--rule", "--set"):
        return "=" in word
    if option in ("-m", "--measure"):
        from beirkit.corpora.errors import BeirkitError
        from beirkit.evaluate.measures import Measure

        try:
            Measure.parse(word)
        except BeirkitError:
            return bool(_LIKE_A_MEASURE.fullmatch(word)) and not Path(word).exists()
    return True
