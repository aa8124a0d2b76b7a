"""What asking a service takes: told before, counted meanwhile, refused beyond what is allowed."""

from __future__ import annotations

import threading

from beirkit.corpora.errors import UsageError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.dense.services.options import ServiceOptions

BYTES_PER_TOKEN = 4.0
"""Of a text in UTF-8, while the service has counted nothing; OpenAI's rule of thumb for English."""

_MILLION = 1_000_000


class Account:
    """Tokens and cost of the work so far, and what it may come to. Threads may share it.

    Args:
        options: price and limits.
    """

    def __init__(self, options: ServiceOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self.requests = 0
        self.tokens = 0

    def add(self, tokens: int) -> None:
        """Count an answer that took so many tokens."""
        with self._lock:
            self.requests += 1
            self.tokens += tokens

    def allow(self, tokens: int = 0) -> None:
        """Refuse to go on where what was taken, and is to come, is more than is allowed.

        Args:
            tokens: that are to come.

        Raises:
            UsageError: it is.
        """
        options, total = self._options, self.tokens + tokens
        about = "about " if tokens else ""
        if self.cost(total) > options.max_cost:
            raise UsageError(
                f"it would cost {about}{money(self.cost(total))} for {total:,} tokens, and max_cost is "
                f"{money(options.max_cost)}",
                hint="what was answered is kept; raise service.max_cost to go on",
            )
        if options.max_tokens is not None and total > options.max_tokens:
            raise UsageError(
                f"it would take {about}{total:,} tokens, and max_tokens is {options.max_tokens:,}",
                hint="what was answered is kept; raise service.max_tokens to go on",
            )

    def cost(self, tokens: int) -> float:
        """Of so many tokens."""
        return tokens * self._options.price / _MILLION

    def told(self, tokens: int) -> str:
        """Tokens and their cost, for people."""
        return f"{tokens:,} tokens" + (f", cost {money(self.cost(tokens))}" if self._options.price else "")

    def bill(self, answers: Facts) -> Facts:
        """What all the answers took that some vectors come from, whenever they were given.

        Args:
            answers: what each of them took, by its key.
        """
        tokens = sum(facts["tokens"] for facts in answers.values())
        return {
            "requests": len(answers),
            "retries": sum(facts["sent"] - 1 for facts in answers.values()),
            "tokens": tokens,
            "tokens_counted_by": "service" if all(f["counted"] for f in answers.values()) else "estimate",
            "price_of_a_million": self._options.price,
            "cost": round(self.cost(tokens), 9),
            "answered_by": sorted({facts["model"] for facts in answers.values()} - {""}),
        }


def money(amount: float) -> str:
    """An amount, to the millionth where it is small."""
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.6f}".rstrip("0").rstrip(".")
