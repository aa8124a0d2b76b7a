"""Documents that have the id of a query: a protocol may hide them from it, or they find themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from beirkit.corpora.check_tally import Tally
from beirkit.corpora.findings import Report, counted
from beirkit.corpora.keys import KeyTable, hashes, id_keys
from beirkit.corpora.records import Document, Query


class SharedIds:
    """Compares ids and texts of a corpus with those of the queries, of which it keeps 64 bits each."""

    def __init__(self) -> None:
        self._table = KeyTable(values=1)
        self._same, self._other = Tally(), Tally()

    def add(self, queries: Sequence[Query]) -> None:
        """Add queries; of those with one id the first counts."""
        ids = id_keys([query.query_id for query in queries])
        texts = hashes((query.text.strip() for query in queries), len(queries))
        self._table.add(np.stack([ids, texts]))

    def compare(self, numbers: Sequence[int], documents: Sequence[Document]) -> None:
        """Compare documents with all queries; each has the number of its line."""
        for place, equal in self._found(documents):
            tally = self._same if equal else self._other
            tally.add(documents[place].doc_id, numbers[place])

    def tell(self, name: str, report: Report) -> None:
        """Tell which documents of a file share their ids with queries."""
        same, other = self._same, self._other
        if same.count:
            found = (
                counted(same.count, "document has", "documents have") + f" id and text of a query ({same})"
            )
            todo = "each finds itself first; a protocol that removes such results (beirkit, beir, mteb) "
            todo += "is needed"
            report.add("BK033", name, same.line, found, todo, key=same.key, count=same.count)
        if other.count:
            found = counted(other.count, "document has", "documents have")
            found += f" the id of a query and another text ({other})"
            todo = "beir and mteb remove a query's own id from its results, and so hide them from that query"
            report.add("BK034", name, other.line, found, todo, key=other.key, count=other.count)

    def _found(self, documents: Sequence[Document]) -> Iterator[tuple[int, bool]]:
        """The places of the documents whose id a query has, and whether the texts are equal too."""
        found, texts = self._table.find(id_keys([document.doc_id for document in documents])[np.newaxis])
        for place in np.flatnonzero(found).tolist():
            document, text = documents[place], int(texts[0, place])
            ways = (document.text, document.title, f"{document.title} {document.text}")
            yield place, text in hashes((way.strip() for way in ways), 3).tolist()
