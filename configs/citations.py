"""The papers behind datasets, suites, retrievers and tools (``configs/citations/papers.yaml``)."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from beirkit.configs.load import read_config

About = Literal["datasets", "suites", "retrievers", "kinds", "tools"]

_FIELDS = ("booktitle", "journal", "volume", "number", "pages", "year", "doi", "url", "note")
_PLAIN = {"doi", "url"}  # read by commands that want them as they are
_SPECIAL = re.compile(r"[&%$#_]")
_MOST_PEOPLE = 3  # named on one line


class Paper(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is cited, and what for.

    Attributes:
        kind: of entry in BibTeX.
        title: as it is written.
        author: ``Family, Given``; a group in braces; ``others``.
        booktitle: of the proceedings.
        journal: its name.
        volume: of the journal or series.
        number: of the journal.
        pages: with ``--`` between.
        year: of publication.
        doi: without an address before it.
        arxiv: its number.
        url: where neither is.
        note: anything else.
        datasets: names it is cited for.
        suites: names it is cited for.
        retrievers: names it is cited for.
        kinds: kinds of retrievers it is cited for, whatever their name.
        tools: distributions it is cited for.
    """

    kind: Literal["article", "inproceedings", "misc"]
    title: str
    author: list[str] = []
    booktitle: str = ""
    journal: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    year: int | None = None
    doi: str = ""
    arxiv: str = ""
    url: str = ""
    note: str = ""
    datasets: list[str] = []
    suites: list[str] = []
    retrievers: list[str] = []
    kinds: list[str] = []
    tools: list[str] = []

    def bibtex(self, key: str) -> str:
        """The entry, whose characters are UTF-8; the title keeps its case."""
        fields = {"author": " and ".join(self.author), "title": f"{{{self.title}}}"}
        fields |= {name: str(getattr(self, name) or "") for name in _FIELDS}
        if self.arxiv:
            fields |= {"eprint": self.arxiv, "archiveprefix": "arXiv"}
        lines = [
            f"  {name} = {{{value if name in _PLAIN else escaped(value)}}},"
            for name, value in fields.items()
            if value
        ]
        return "\n".join([f"@{self.kind}{{{key},", *lines, "}"])

    def __str__(self) -> str:
        """The paper on one line."""
        people = [" ".join(reversed(one.split(", "))).strip("{}") for one in self.author]
        who = ", ".join(people)
        if len(people) > _MOST_PEOPLE or "others" in people:
            who = f"{people[0]} et al"
        where = " ".join(part for part in (self.booktitle or self.journal, self.volume) if part)
        when = ", ".join(
            part for part in (where + (f"({self.number})" if self.number else ""), self._year) if part
        )
        link = f"doi:{self.doi}" if self.doi else f"arXiv:{self.arxiv}" if self.arxiv else self.url
        return ". ".join(part for part in (who, self.title, when, self.note, link) if part)

    @property
    def _year(self) -> str:
        return "" if self.year is None else str(self.year)


class _Papers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    papers: dict[str, Paper]


def escaped(text: str) -> str:
    """A text with the characters that LaTeX takes for commands made harmless."""
    return _SPECIAL.sub(r"\\\g<0>", text)


@cache
def papers() -> dict[str, Paper]:
    """Every paper by its key, in the order of the file."""
    path = Path(__file__).parent / "citations" / "papers.yaml"
    return read_config(path, _Papers).papers


def papers_for(about: About, name: str) -> list[str]:
    """The keys of the papers that are cited for a name."""
    return [key for key, paper in papers().items() if name in getattr(paper, about)]
