"""What a page is made of, as plain data; the templates turn each kind of block into HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from beirkit.evaluate.report.charts import Chart


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: what is read.
        sort: what it is sorted by, where that is not the text; None: there is no figure, and it comes last.
        mark: a word beside the text, such as ``in-domain``.
        href: where the text leads inside the page, such as ``#dataset-1``.
    """

    text: str
    sort: float | str | None = None
    mark: str = ""
    href: str = ""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        head: its name.
        figures: whether it holds figures, which stand to the right and are sorted highest first.
        about: what it means, in a sentence.
    """

    head: str
    figures: bool = False
    about: str = ""


@dataclass(frozen=True)
class Table:
    """Rows that can be sorted by every column and filtered by words.

    Attributes:
        name: of the table, once in a page; letters, digits and ``-``.
        caption: what it is of.
        columns: heads; the first one names the row.
        rows: one cell for each column.
        filtered: whether there is a field that filters the rows.
    """

    kind: ClassVar[str] = "table"
    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    filtered: bool = False


@dataclass(frozen=True)
class Sentences:
    """A list of sentences.

    Attributes:
        items: what is said.
        lead: whether this is what a reader should see first.
    """

    kind: ClassVar[str] = "sentences"
    items: tuple[str, ...]
    lead: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading inside a section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Folded:
    """Preformatted text that is opened when it is wanted, and printed."""

    kind: ClassVar[str] = "folded"
    title: str
    text: str


@dataclass(frozen=True)
class Queries:
    """A browser of queries; its data are a :class:`Data` of the page.

    Attributes:
        name: of the data.
        about: what is shown of how many.
        measure: whose values are shown.
    """

    kind: ClassVar[str] = "queries"
    name: str
    about: str
    measure: str


Block = Table | Sentences | Heading | Folded | Queries | Chart


@dataclass(frozen=True)
class Section:
    """A part of a page that has an address.

    Attributes:
        name: its address behind ``#``; letters, digits and ``-``.
        title: its heading.
        blocks: what it holds.
        group: its heading in the navigation; empty: it stands by itself.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]
    group: str = ""


@dataclass(frozen=True)
class Page:
    """Everything in one file.

    Attributes:
        title: of the page.
        about: a line below it.
        sections: in order; the first one is shown first.
        banner: what a reader must know before passing the page on; empty: nothing.
        data: what the script shows, by name, packed as :func:`beirkit.evaluate.report.queries.packed` does.
        language: of the page's own words.
    """

    title: str
    about: str
    sections: tuple[Section, ...]
    banner: str = ""
    data: tuple[tuple[str, str], ...] = ()
    language: str = "en"
