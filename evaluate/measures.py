"""A measure is a value: ``nDCG@10``, read from any spelling and printed in one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from beirkit.evaluate.families import FAMILIES, Family, engine_only, find_family


class Measure(msgspec.Struct, frozen=True, order=True):
    """One measure; make it with :meth:`parse`, which checks it.

    Attributes:
        family: canonical name of the family.
        at: what follows ``@``: a rank from 1, or a share (``IPrec@0.1``); ``None``: the whole list.
        level: lowest grade that counts as relevant.
        judged_only: documents without a judgment for the query are taken out of its list before anything
            else is done: the condensed list of Sakai (2007).
    """

    family: str
    at: int | float | None = None
    level: int = 1
    judged_only: bool = False

    @classmethod
    def parse(cls, text: str | Measure) -> Measure:
        """The measure that ``text`` names, in any of the field's spellings.

        Raises:
            UnknownNameError: no measure has that name; the message holds the nearest.
            UsageError: the cut-off or level is impossible, or ``text`` names several measures.
        """
        from beirkit.evaluate.spellings import parse_one

        return text if isinstance(text, Measure) else parse_one(text)

    def __str__(self) -> str:
        options = [f"rel={self.level}"] * (self.level != 1) + ["judged_only=True"] * self.judged_only
        told = f"({','.join(options)})" if options else ""
        return f"{self.family}{told}" + ("" if self.at is None else f"@{self.at}")

    @property
    def about(self) -> Family:
        """The row of the table of families."""
        family = find_family(self.family)
        if family is None:
            raise KeyError(self.family)
        return family

    @property
    def cutoff(self) -> int | None:
        """Number of results per query it looks at; ``None``: all."""
        return self.at if isinstance(self.at, int) else None

    @property
    def trec_name(self) -> str | None:
        """trec_eval's name with parameters, such as ``ndcg_cut.10``; ``None``: it has no such measure."""
        family = self.about
        if self.at is None:
            return family.whole
        if family.cut is None:
            return None
        return f"{family.cut}.{self.at}" if family.at != "share" else f"{family.cut}.{self.at:.2f}"

    @property
    def trec_key(self) -> str | None:
        """The key of its value in pytrec_eval's output, such as ``ndcg_cut_10``."""
        name = self.trec_name
        return None if name is None else name.replace(".", "_", 1) if self.at is not None else name


def list_measures() -> list[dict[str, Any]]:
    """Every family of measures: ``name`` (``@k``: a cut-off follows), ``spellings`` and ``summary``."""
    marks = {"never": "", "rank": "@k", "rank?": "[@k]", "share": "@x"}
    found = []
    for family in (*FAMILIES, *engine_only().values()):
        others = [family.whole, family.cut, *family.spellings]
        names = list(dict.fromkeys(name for name in others if name is not None and name != family.name))
        found.append({"name": family.name + marks[family.at], "spellings": names, "summary": family.meaning})
    return found


def parse_measures(texts: Iterable[str | Measure]) -> tuple[Measure, ...]:
    """The measures that the texts name, each once, in their order; ``P.5,10`` and bare ``P`` name several.

    Raises:
        UnknownNameError, UsageError: as :meth:`Measure.parse`.
    """
    from beirkit.corpora.errors import UsageError
    from beirkit.evaluate.spellings import parse_all

    if isinstance(texts, str):
        texts = [texts]
    found: dict[Measure, None] = {}
    for text in texts:
        # a measure made by hand is read again, so that nothing impossible reaches pytrec_eval
        found.update(dict.fromkeys(parse_all(str(text) if isinstance(text, Measure) else text)))
    if not found:
        raise UsageError("no measure was asked for", hint="name one, such as nDCG@10")
    return tuple(found)
