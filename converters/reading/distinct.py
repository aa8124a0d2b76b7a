"""Documents that a source gives again with every question: each id once, the first copy of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from beirkit.corpora.notices import Warn
from beirkit.corpora.records import Document


def first_of_each(documents: Iterable[Document], place: str, say: Warn) -> Iterator[Document]:
    """The first document of each id; some 30 bytes are kept for each, whatever its length.

    Copies are what such a source is made of and are no news. Copies that differ in title or text are, and
    their number is told.

    Args:
        documents: in source order.
        place: where they are, for the message.
        say: told how many copies differ from the first one.
    """
    from beirkit.corpora.blocks import batches
    from beirkit.corpora.keys import KeyTable
    from beirkit.corpora.unique import record_keys

    table = KeyTable(values=1)
    differing, example = 0, ""
    for _, block in batches(enumerate(documents, 1)):
        keys = record_keys(block)
        new, held = table.add(keys)
        different = ~new & (held[0] != keys[1])
        if different.any():
            example = example or block[int(different.argmax())].doc_id
            differing += int(different.sum())
        yield from (document for document, is_new in zip(block, new.tolist(), strict=True) if is_new)
    if differing:
        say(
            f"{place}: {differing} copies of passages differ from the first one with their id, which counts "
            f"(e.g. {example})"
        )
