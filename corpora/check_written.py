"""The check of a folder that goes along with its writing, so that nothing large is read again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from beirkit.corpora.check import RecordFiles, check_judged
from beirkit.corpora.check_records import DOCUMENTS, QUERIES, RecordsCheck
from beirkit.corpora.check_shared import SharedIds
from beirkit.corpora.findings import Finding, Known, Report
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Document, Query


class WrittenCheck:
    """Looks on while beirkit writes a folder; a :class:`beirkit.corpora.folder.Watch`.

    Args:
        known: published defects of the dataset, as for :func:`beirkit.corpora.check.check_folder`.
    """

    def __init__(self, known: Sequence[Known] = ()) -> None:
        self._report = Report(known)
        self._shared = SharedIds()
        self._queries: RecordsCheck[Query] | None = None
        self._corpus: RecordsCheck[Document] | None = None

    def queries(self, name: str) -> RecordsCheck[Query]:
        """Begin with the queries."""
        self._queries = RecordsCheck(
            name, QUERIES, self._report, lambda numbers, queries: self._shared.add(queries)
        )
        return self._queries

    def corpus(self, name: str) -> RecordsCheck[Document]:
        """Go on with the documents, which are compared with the queries."""
        self._corpus = RecordsCheck(name, DOCUMENTS, self._report, self._shared.compare)
        return self._corpus

    def findings(self, folder: Path, progress: Progress = silent) -> list[Finding]:
        """Check the rest of the folder when it is written whole.

        Returns:
            what :func:`beirkit.corpora.check.check_folder` would find. The files are not hashed once more to
            compare them with the manifest, which was just made of their hashes.

        Raises:
            DataError: a file cannot be read back.
        """
        assert self._queries is not None
        assert self._corpus is not None
        queries_file, corpus_file = folder / self._queries.name, folder / self._corpus.name
        queries, documents = self._queries.end(queries_file), self._corpus.end(corpus_file)
        self._shared.tell(corpus_file.name, self._report)
        files = RecordFiles(queries_file, queries, corpus_file, documents)
        check_judged(folder, files, self._report, progress)
        return self._report.findings()
