"""ArguAna's counter-arguments from the release: each debate's points and the counters to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from beirkit.converters.base import Converter
from beirkit.converters.reading.source import Source
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import DataError
from beirkit.corpora.files import lines
from beirkit.corpora.notices import Once
from beirkit.corpora.records import Document, Judgment, Query

_FOLDERS = 6  # from the release's folder down to an argument's
# In BEIR's order, in which of several arguments with one text it has the first.
_SPLITS = ("test", "training", "validation")
_THEMES = (
    "environment", "health", "sport", "free-speech-debate", "economy", "international", "philosophy", "law",
    "education", "politics", "culture", "digital-freedoms", "religion", "science", "society",
)  # fmt: skip
_FILE = re.compile(
    r"(?:^|/)(?P<split>test|training|validation)/(?P<theme>[^/]+)/(?P<debate>[^/]+)/(?:pro|con)"
    r"/(?P<argument>(?:pro|con)[0-9]{2})(?P<side>[ab])-(?:point|counter)\.txt(?:\.gz)?$"
)
_ADDRESS = re.compile(r"http\S+")


class ArguanaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of :class:`Arguana`."""

    repeated_texts: bool = False
    judge_missing: bool = True


class _Argument(NamedTuple):
    """One file: what its path says, and its name in the source."""

    split: str
    theme: str
    debate: str
    argument: str
    side: str
    file: str

    def id(self, side: str = "") -> str:
        """BEIR's id: of the debate's name only the first character of each word is in it."""
        initials = "".join(word[:1] for word in self.debate.split("-"))
        return f"{self.split}-{self.theme}-{initials}-{self.argument}{side or self.side}"


class Arguana(Converter[ArguanaOptions]):
    """ArguAna as BEIR has it: points of the test debates as queries, each with its counter as relevant.

    ``raw`` is the folder or archive of the release (``arguana-counterargs-corpus``), or the folder
    ``02-extracted-arguments`` in it, with files such as ``test/THEME/DEBATE/pro/pro01a-point.txt`` and
    ``pro01b-counter.txt``. The arguments of all three parts are documents. A text loses its web addresses,
    its line ends become blanks, and so do the edges. The title is the debate's name with blanks for hyphens;
    in the parts for training and validation BEIR left it empty.

    One debate stands under several themes, so texts repeat. BEIR has every counter of a test debate, which
    are judged, and every other text once: the first in its order of parts and themes, within a theme here by
    name.

    Options:
        repeated_texts: keep every argument, also those whose text is there already.
        judge_missing: judge a point whose counter is not in the release too, as BEIR does: its document is
            missing.
    """

    name: ClassVar[str] = "arguana"
    summary: ClassVar[str] = "the ArguAna counterargs corpus: THEME/DEBATE/pro/pro01a-point.txt, …"
    Options: ClassVar[type[msgspec.Struct]] = ArguanaOptions

    def convert(self, raw: Path | None, options: ArguanaOptions) -> Collection:
        """Open the release.

        Raises:
            DataError: no test debate is in it.
        """
        assert raw is not None  # the catalog sees to it
        source = Source(raw, depth=_FOLDERS)
        found = (_FILE.search(name) for name in source.names)
        arguments = [_Argument(**match.groupdict(), file=match.string) for match in found if match]
        arguments.sort(key=_place)
        points = [one for one in arguments if one.split == "test" and one.side == "a"]
        counters = [one for one in arguments if one.split == "test" and one.side == "b"]
        if not points or not counters:
            wanted = "test/THEME/DEBATE/pro/pro01a-point.txt"
            raise DataError(f"holds no arguments such as {wanted}", path=raw, hint=source.there())
        files = [one.file for one in arguments]
        told = Once()

        def documents() -> Iterator[Document]:
            source.folder("", files)  # unpacks them in one pass
            judged = set(counters)
            texts = {_text(source.path(one.file)) for one in counters}
            left_out = 0
            for one in arguments:
                text = _text(source.path(one.file))
                if one not in judged and not options.repeated_texts:
                    if text in texts:
                        left_out += 1
                        continue
                    texts.add(text)
                title = one.debate.replace("-", " ") if one.split == "test" else ""
                yield Document(one.id(), title, text)
            if left_out:
                told(f"{left_out} arguments whose text is there already left out")

        def queries() -> Iterator[Query]:
            source.folder("", files)
            return (Query(one.id(), _text(source.path(one.file))) for one in points)

        def judgments() -> Iterator[Judgment]:
            there = {one.id() for one in counters}
            missing = [one for one in points if one.id("b") not in there]
            if missing:
                kept = "judged all the same" if options.judge_missing else "left out"
                told(f"{len(missing)} points have no counter ({missing[0].id('b')}, …) and are {kept}")
            for one in points:
                if options.judge_missing or one.id("b") in there:
                    yield Judgment(one.id(), one.id("b"), 1)

        return self.collection(
            source,
            options,
            files=files,
            documents=documents,
            queries=queries,
            judgments={"test": judgments},
        )


def _place(argument: _Argument) -> tuple[int, int, str]:
    theme = _THEMES.index(argument.theme) if argument.theme in _THEMES else len(_THEMES)
    return _SPLITS.index(argument.split), theme, argument.file


def _text(path: Path) -> str:
    return _ADDRESS.sub("", " ".join(line for _, line in lines(path))).strip()
