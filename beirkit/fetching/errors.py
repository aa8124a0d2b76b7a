"""What can go wrong between a publisher's server and this disk."""

from __future__ import annotations

from pathlib import Path

from beirkit.corpora.errors import BeirkitError, UsageError


class FetchError(BeirkitError):
    """Something could not be brought; nothing half-brought is ever taken for whole."""


class OfflineError(UsageError):
    """Work without the network was asked for, and something is not here yet."""


class TransientError(FetchError):
    """A connection or server failed in a way that passes: worth another try.

    Args:
        found: what happened.
        wait: seconds that the server asks to be left alone.
    """

    def __init__(self, found: str, *, wait: float = 0.0) -> None:
        super().__init__(found)
        self.wait = wait


class ChangedError(FetchError):
    """A server has other content than was published under this address.

    Args:
        address: where it came from.
        published: the checksum that its publisher states, with its kind: ``md5:…``.
        now: the checksum of what is there now.
        kept: where the new content was put.
    """

    def __init__(self, address: str, *, published: str, now: str, kept: Path) -> None:
        self.address, self.published, self.now, self.kept = address, published, now, kept
        super().__init__(
            f"{address}: has changed in place: published was {published}, now it is {now}",
            hint="it was not taken; to take the new content under a name of its own, add "
            f"--accept-changed {now.partition(':')[2]}",
        )
