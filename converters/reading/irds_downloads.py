"""Whether ir_datasets may download what it has not got: told or refused before a byte is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from beirkit.corpora.errors import BeirkitError, DataError, UsageError

T = TypeVar("T")

_REMOTE = ("RequestsDownload", "GoogleDriveDownload", "GoogleCloudBucketStream")


class _Refused(BaseException):
    """Not an Exception: the library takes any of those for a dead mirror and asks the next."""


def reading(
    dataset_id: str, start: Callable[[], Iterable[T]], *, download: bool
) -> Callable[[], Iterator[T]]:
    """The same passes over a dataset, with its troubles told as beirkit tells them.

    Args:
        dataset_id: the dataset, for messages.
        start: starts a pass.
        download: let the library download; otherwise it reads what is on this disk.

    Raises:
        UsageError: while reading: something would have to be downloaded; the message names its address.
        DataError: while reading: a file that its owner hands out is not where the library looks, or the
            library cannot read what is there.
    """

    def passes() -> Iterator[T]:
        records: Iterator[T] | None = None
        while True:
            try:
                with _kept_offline(not download):  # never while somebody else runs
                    records = iter(start()) if records is None else records
                    record = next(records)
            except StopIteration:
                return
            except _Refused as refused:
                found = f"ir_datasets would download {refused} for {dataset_id}, and nothing is without leave"
                hint = "give it with --set download=true, or put the file where ir_datasets looks for it"
                raise UsageError(found, hint=hint) from None
            except FileNotFoundError as error:
                hint = f"how to get it: https://ir-datasets.com/{dataset_id.split('/')[0]}.html"
                raise DataError(
                    f"{dataset_id} needs this file", path=error.filename or str(error), hint=hint
                ) from error
            except BeirkitError:
                raise
            except Exception as error:
                raise DataError(
                    f"ir_datasets cannot read {dataset_id}: {error or type(error).__name__}"
                ) from error
            yield record

    return passes


@contextmanager
def _kept_offline(offline: bool) -> Iterator[None]:
    """Inside, the library's ways to the network raise what they would ask for."""
    if not offline:
        yield
        return
    from ir_datasets.util import download as ways

    def refuse(self: Any) -> None:
        raise _Refused(getattr(self, "url", None) or self.uri)

    classes = [getattr(ways, name) for name in _REMOTE]
    before = [cls.stream for cls in classes]
    try:
        for cls in classes:
            cls.stream = refuse
        yield
    finally:
        for cls, stream in zip(classes, before, strict=True):
            cls.stream = stream
