"""An analyzer as a list of named steps: text, then words, then terms.

A text goes through the steps on texts and is split into words; each word goes through the steps on words and
becomes no term, one, or several. What a word becomes depends on the word alone, so it is worked out once for
each distinct word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from beirkit.retrievers.base import Facts
from beirkit.retrievers.lexical.analysis import word_break

GRAM = "~"
"""Stands before a term that is a run of characters and no word; later steps leave such a term as it is."""

KNOWN_WORDS = 1 << 17
"""Distinct words whose terms are remembered; with more, all are forgotten and the memory starts anew.

So many chunks of text between two blanks are remembered likewise, where no word goes over a blank.
"""

LONGEST_CHUNK = 32
"""Characters of the longest chunk that is remembered: text without blanks is not met twice."""

_AT_END = frozenset(".,;:)?!")


@dataclass(frozen=True)
class TextStep:
    """Changes a text before it is split.

    Attributes:
        name: what is recorded and shown, options included, such as ``NFC``.
        apply: the text that comes out.
        facts: what else the result depends on, such as the version of a library.
    """

    name: str
    apply: Callable[[str], str]
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class SplitStep:
    """Splits a text into words, none of them empty; a second one splits the same text in its own way.

    Attributes:
        name: what is recorded and shown.
        apply: the words of a text.
        facts: what else they depend on.
        by_blanks: whether the words are those of the chunks between blanks, one chunk behind the other, and
            :func:`plain_word` tells the only word of a chunk.
    """

    name: str
    apply: Callable[[str], list[str]]
    facts: Facts = field(default_factory=dict)
    by_blanks: bool = False


@dataclass(frozen=True)
class WordStep:
    """Changes a word, or drops it (``None`` or nothing left)."""

    name: str
    apply: Callable[[str], str | None]
    facts: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class ExpandStep:
    """Makes several terms of a word; those that begin with :data:`GRAM` are finished."""

    name: str
    apply: Callable[[str], Sequence[str]]
    facts: Facts = field(default_factory=dict)


Step = TextStep | SplitStep | WordStep | ExpandStep


@dataclass(frozen=True)
class Traced:
    """What a step made of a text.

    Attributes:
        step: its name.
        text: the text that came out of a step on texts, else ``None``.
        tokens: the words or terms that came out of another step.
    """

    step: str
    text: str | None
    tokens: tuple[str, ...]


class Pipeline:
    """Steps in their order: those on texts, at least one that splits, those on words.

    Args:
        steps: in order.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._texts = [step.apply for step in steps if isinstance(step, TextStep)]
        self._splits = [step for step in steps if isinstance(step, SplitStep)]
        self._words = [step for step in steps if isinstance(step, WordStep | ExpandStep)]
        self._changes = [step.apply for step in steps if isinstance(step, WordStep)]
        self._terms = _Known(self._terms_of_word)
        self._chunks = _Known(self._terms_of_chunk, LONGEST_CHUNK)

    @cached_property
    def one_term_a_word(self) -> bool:
        """Whether a word is never more than one term, so that :meth:`term` tells all."""
        return not any(isinstance(step, ExpandStep) for step in self.steps)

    @property
    def splits_by_rules(self) -> bool:
        """Whether words are those of Unicode's rules in the text that :meth:`prepared` gives."""
        return self._splits[-1].apply is word_break.words

    def prepared(self, text: str) -> str:
        """A text behind the steps on texts."""
        for apply in self._texts:
            text = apply(text)
        return text

    def words(self, text: str) -> list[str]:
        """The words of a text, none dropped."""
        return self._splits[-1].apply(self.prepared(text))

    def term(self, word: str) -> str | None:
        """The first index term of one of :meth:`words`, or ``None`` where it has none."""
        return next(iter(self.terms_of(word)), None)

    def terms_of(self, word: str) -> list[str]:
        """All index terms of one of :meth:`words`, runs of characters last; remembered, not to be changed."""
        return self._terms[word]

    def _terms_of_word(self, word: str) -> list[str]:
        if self.one_term_a_word:  # the same in half the time, for every distinct word goes through here
            for change in self._changes:
                changed = change(word)
                if not changed:
                    return []
                word = changed
            return [word]
        current, runs = [word], list[str]()
        for step in self._words:
            if not current:
                break
            current = _advance(step, current, runs)
        return current + runs

    def terms(self, text: str) -> list[str]:
        """The index terms of a text, in order, repeated ones as often as they stand."""
        text, split = self.prepared(text), self._splits[-1]
        if split.by_blanks:  # a look-up in place of finding words again
            return list(chain.from_iterable(map(self._chunks.__getitem__, text.split(" "))))
        return list(chain.from_iterable(map(self._terms.__getitem__, split.apply(text))))

    def _terms_of_chunk(self, chunk: str) -> list[str]:
        word = plain_word(chunk)
        if word is not None:
            return self._terms[word]
        return list(chain.from_iterable(map(self._terms.__getitem__, self._splits[-1].apply(chunk))))

    def trace(self, text: str) -> list[Traced]:
        """What each step makes of a text, in order; the last one's tokens are the terms, runs last."""
        traced: list[Traced] = []
        for step in self.steps:
            if isinstance(step, TextStep):
                text = step.apply(text)
                traced.append(Traced(step.name, text, ()))
            elif isinstance(step, SplitStep):
                current = step.apply(text)
                traced.append(Traced(step.name, None, tuple(current)))
                runs: list[str] = []
            else:
                current = _advance(step, current, runs)
                traced.append(Traced(step.name, None, (*current, *runs)))
        return traced

    def describe(self) -> Facts:
        """The names of the steps, and what they depend on."""
        facts: Facts = {"steps": [step.name for step in self.steps]}
        for step in self.steps:
            facts |= step.facts
        return facts


def plain_word(chunk: str) -> str | None:
    """The only word of a text without blanks that is ASCII letters and digits, with a mark behind it or not.

    Returns:
        ``None`` for any other text, and for one that is too long to be met twice.
    """
    word = chunk[:-1] if chunk[-1:] in _AT_END else chunk
    return word if word.isalnum() and word.isascii() and len(word) <= LONGEST_CHUNK else None


class _Known(dict[str, list[str]]):
    """The terms of texts met so far; those of a longer one than ``longest`` are worked out each time."""

    def __init__(self, terms_of: Callable[[str], list[str]], longest: int | None = None) -> None:
        super().__init__()
        self._terms_of = terms_of
        self._longest = longest

    def __missing__(self, text: str) -> list[str]:
        found = self._terms_of(text)
        if self._longest is None or len(text) <= self._longest:
            if len(self) >= KNOWN_WORDS:  # other threads may be looking: nothing is asked for twice
                self.clear()
            self[text] = found
        return found


def _advance(step: WordStep | ExpandStep, words: list[str], runs: list[str]) -> list[str]:
    """What a step makes of some words; finished runs of characters are put with the others."""
    if isinstance(step, WordStep):
        return [changed for word in words if (changed := step.apply(word))]
    found: list[str] = []
    for word in words:
        for term in step.apply(word):
            (runs if term.startswith(GRAM) else found).append(term)
    return found
