"""What counting and searching ask of an analyzer."""

from __future__ import annotations

from typing import Protocol

from beirkit.retrievers.base import Facts


class TextAnalyzer(Protocol):
    """Splits texts into words and words into index terms, the same way for documents and queries."""

    @property
    def one_term_a_word(self) -> bool:
        """Whether a word is never more than one term, so that :meth:`term` tells all."""

    @property
    def splits_by_rules(self) -> bool:
        """Whether words are those of Unicode's rules in the text that :meth:`prepared` gives."""

    def prepared(self, text: str) -> str:
        """A text as it is when it is split."""

    def words(self, text: str) -> list[str]:
        """The words of a text, none dropped."""

    def term(self, word: str) -> str | None:
        """The index term of one of :meth:`words`, or ``None`` where it is dropped."""

    def terms_of(self, word: str) -> list[str]:
        """All index terms of one of :meth:`words`."""

    def terms(self, text: str) -> list[str]:
        """The index terms of a text, in order, repeated ones as often as they stand."""

    def describe(self) -> Facts:
        """All that the terms depend on, resolved."""
