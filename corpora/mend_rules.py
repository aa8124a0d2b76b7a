"""What mending a folder cannot decide by itself: the rules a user may give, and which are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from beirkit.corpora.errors import BeirkitError, UsageError, nearest


class Rule(NamedTuple):
    """A decision that is the user's.

    Attributes:
        codes: the findings of ``beirkit check`` that call for it.
        question: what was found.
        choices: each possible answer with what is then done.
        needed: whether nothing is written without it; else the last choice stands.
    """

    codes: tuple[str, ...]
    question: str
    choices: Mapping[str, str]
    needed: bool = True


_ONE_OF_THEM = {
    "first": "the first one stays",
    "last": "the last one stays",
    "drop": "none of them stays",
}
_KEEP_OR_DROP = {"keep": "it stays", "drop": "it is left out"}
_STRIP_OR_DROP = {
    "strip": "the characters are taken out, wherever the id stands",
    "drop": "the record or judgment is left out",
}
_DROP = {"drop": "it is left out"}

RULES: dict[str, Rule] = {
    "unreadable-records": Rule(
        ("BK002", "BK003", "BK004", "BK005", "BK007", "BK008", "BK045"),
        "a line is no document or query",
        _DROP,
    ),
    "ids-with-control-characters": Rule(("BK007",), "an id holds a control character", _STRIP_OR_DROP),
    "control-characters": Rule(
        ("BK017",),
        "a title or text holds control characters other than tabs and line ends",
        {"strip": "they are taken out", "keep": "they stay"},
        needed=False,
    ),
    "empty-documents": Rule(("BK010",), "a document has neither title nor text", _KEEP_OR_DROP),
    "empty-queries": Rule(("BK011",), "a query has no text", _KEEP_OR_DROP),
    "duplicate-documents": Rule(("BK006", "BK009"), "one id stands for different documents", _ONE_OF_THEM),
    "duplicate-queries": Rule(("BK006", "BK009"), "one id stands for different queries", _ONE_OF_THEM),
    "missing-grades": Rule(
        ("BK022",), "a qrels file has no column of grades", {"1": "every pair in it is relevant"}
    ),
    "unknown-header": Rule(
        ("BK021", "BK023"),
        "a qrels header has unknown names, or is a judgment with a damaged grade",
        {
            "beir-order": "its columns are query, document and grade in this order",
            "judgment": "it is a judgment, whose grade cannot be read",
        },
    ),
    "unreadable-judgments": Rule(("BK007", "BK008", "BK022", "BK023"), "a line is no judgment", _DROP),
    "quoted-ids": Rule(
        ("BK029",),
        "an id in a qrels file stands in quotes",
        {"keep": "the quotes belong to the id", "strip": "the quotes are taken off"},
    ),
    "ids-in-another-form": Rule(
        ("BK032",),
        "a judged id is there in another Unicode form only",
        {
            "match": "the judgment gets the id that is there, if one alone looks the same",
            "drop": "the judgment is left out",
        },
    ),
    "conflicting-grades": Rule(
        ("BK025",),
        "one pair is judged with different grades",
        {
            "max": "the highest grade stays",
            "min": "the lowest grade stays",
            "first": "the first grade stays",
            "last": "the last grade stays",
            "drop": "the pair is left out",
        },
    ),
    "judged-queries-without-text": Rule(
        ("BK027",), "a judged query is not among the queries", {"drop": "its judgments are left out"}
    ),
    "orphan-judgments": Rule(("BK026",), "a judged document is not in the corpus", _KEEP_OR_DROP),
    "queries-without-positives": Rule(
        ("BK028",),
        "a judged query has no relevant document",
        {"keep": "its judgments stay", "drop": "its judgments are left out"},
    ),
    "empty-splits": Rule(("BK030",), "a split holds no judgments", _KEEP_OR_DROP),
}
"""Every rule by its name, in the order in which they apply."""


@dataclass
class Needed:
    """A rule that was not given and is called for.

    Attributes:
        rule: its name.
        count: how often.
        example: one place, and what was found there.
    """

    rule: str
    count: int
    example: str

    def __str__(self) -> str:
        """The option to give, and why."""
        rule, times = RULES[self.rule], "once" if self.count == 1 else f"{self.count:,} times"
        return f"--rule {self.rule}={'|'.join(rule.choices)}: {rule.question}, {times} ({self.example})"


class RulesNeededError(BeirkitError):
    """A folder cannot be mended without decisions that are the user's.

    Args:
        path: the folder.
        needed: the rules it needs.
    """

    def __init__(self, path: str, needed: list[Needed]) -> None:
        self.needed = needed
        rules = ", ".join(f"{each.rule}={'|'.join(RULES[each.rule].choices)}" for each in needed)
        super().__init__(
            f"nothing is written before you decide: {rules}", path=path, hint="give each as a rule"
        )


class Rules:
    """The rules given, and those that are found to be missing.

    Args:
        given: choices by the name of their rule.

    Raises:
        UsageError: there is no such rule, or the rule has no such choice.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        for name, choice in given.items():
            if name not in RULES:
                raise UsageError(f"there is no rule {name!r}", hint=nearest(name, list(RULES)))
            if choice not in RULES[name].choices:
                raise UsageError(
                    f"rule {name} has no choice {choice!r}", hint="it has: " + ", ".join(RULES[name].choices)
                )
        self._given = dict(given)
        self._missing: dict[str, Needed] = {}
        self._dropped: Counter[tuple[str, str]] = Counter()

    def ask(self, name: str, path: str, line: int | None, found: str) -> str | None:
        """The choice for one case; None, with the case counted, where a needed rule was not given."""
        rule = RULES[name]
        if name in self._given:
            self._dropped[path, name] += self._given[name] == "drop"
            return self._given[name]
        if not rule.needed:
            return list(rule.choices)[-1]
        place = path if line is None else f"{path}:{line}"
        self._missing.setdefault(name, Needed(name, 0, f"{place}: {found}")).count += 1
        return None

    def dropped(self, path: str) -> dict[str, int]:
        """By which rules something was left out of a file, and how often."""
        return {name: count for (file, name), count in self._dropped.items() if file == path and count}

    def again(self) -> Rules:
        """The same rules for another pass over what was asked about already: it counts nothing here."""
        return Rules(self._given)

    @property
    def missing(self) -> list[Needed]:
        """Needed rules that were not given, in the order of :data:`RULES`."""
        return [self._missing[name] for name in RULES if name in self._missing]


def parse_rules(pairs: Iterable[str]) -> dict[str, str]:
    """Rules from words such as ``conflicting-grades=max``.

    Raises:
        UsageError: a word is none, or a rule is given twice.
    """
    rules: dict[str, str] = {}
    for pair in pairs:
        name, equals, choice = pair.partition("=")
        if not equals:
            if name in RULES:
                raise UsageError(
                    f"rule {name} needs a choice",
                    hint=" or ".join(f"{name}={one}" for one in RULES[name].choices),
                )
            raise UsageError(f"rule {pair!r} is not NAME=CHOICE", hint=nearest(name, list(RULES)))
        if name in rules:
            raise UsageError(f"rule {name} is given twice")
        rules[name] = choice
    Rules(rules)
    return rules
