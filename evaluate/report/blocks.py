"""What a page is made of, as plain data; the templates turn each kind of block into HTML."""

from __future__ import annotations

from collections.abc import Mapping
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
        href: where the text leads: inside the page, such as ``#dataset-1``, or to a file beside it.
        bar: low end, point and high end, from 0 to 100, drawn beside the text; None: nothing is.
    """

    text: str
    sort: float | str | None = None
    mark: str = ""
    href: str = ""
    bar: tuple[float, float, float] | None = None


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
        facts: of each row, what :class:`Filters` of the page look at, by name; none: they leave it alone.
    """

    kind: ClassVar[str] = "table"
    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    filtered: bool = False
    facts: tuple[Mapping[str, str], ...] = ()


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
class Choice:
    """A list from which one way to filter is chosen.

    Attributes:
        name: of the fact it looks at.
        label: of the list.
        options: a value and what is read. Of a number, ``5-9``, ``5-`` and ``-9`` are ranges with both ends;
            an empty value takes all rows.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Filters:
    """What chooses rows of all tables that have facts.

    Attributes:
        rows: what a row is, in the plural.
        choices: lists.
        dates: name and label of a fact that is a date as YYYY-MM-DD, chosen from a day on and up to a day.
        about: what must be known when rows are hidden.
    """

    rows: str
    choices: tuple[Choice, ...]
    dates: tuple[tuple[str, str], ...] = ()
    about: str = ""


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
        filters: of its tables; None: none.
        home: words and file of the page that this one belongs to; empty: it stands alone.
    """

    title: str
    about: str
    sections: tuple[Section, ...]
    banner: str = ""
    data: tuple[tuple[str, str], ...] = ()
    language: str = "en"
    filters: Filters | None = None
    home: tuple[str, str] = ("", "")

    @property
    def groups(self) -> dict[str, list[Section]]:
        """The sections by group, those without one first, groups in the order in which they begin."""
        found: dict[str, list[Section]] = {"": []}
        for section in self.sections:
            found.setdefault(section.group, []).append(section)
        return found
