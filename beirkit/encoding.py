"""Vectors as files: what a dense or sparse retriever makes of a dataset's texts, for other tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import DataError, UsageError
from beirkit.corpora.files import atomic_open, sha256_file, write_json
from beirkit.corpora.whole import place_for, whole_folder
from beirkit.datasets import find_dataset
from beirkit.exam import Exam, prepare
from beirkit.instructions import PLACE, told, with_instruction
from beirkit.retrievers.base import Facts, Retriever, Workplace
from beirkit.retrievers.catalog import create

if TYPE_CHECKING:
    from beirkit.retrievers.dense.encoder import Role
    from beirkit.retrievers.dense.retriever import DenseRetriever
    from beirkit.retrievers.dense.vectors import VectorBlock
    from beirkit.retrievers.sparse.retriever import SparseRetriever

MANIFEST = "manifest.json"

_FORMAT = 1
_KINDS = ("dense", "sparse")

Texts = Callable[[], Iterator[tuple[str, str]]]
"""Ids and texts from the first one on; asked for a second time only where vectors cost something."""


@dataclass(frozen=True)
class Encoded:
    """A folder of vectors.

    Attributes:
        path: the folder.
        manifest: how it was made: dataset, split, content ids, the retriever's identity, counts, files.
    """

    path: Path
    manifest: dict[str, Any]


def encode(
    source: str,
    retriever: str,
    out: Path | str,
    *,
    split: str | None = None,
    impacts: float | None = None,
    overwrite: bool = False,
    workplace: Workplace | None = None,
) -> Encoded:
    """Write the vectors of a corpus and of a split's queries, the same that ``beirkit run`` searches with.

    Vectors come from the store where they are in it, and go there: a killed call goes on where it was. Of a
    sparse retriever, ``corpus/vectors.jsonl`` and ``queries.jsonl`` hold term weights; with ``impacts`` the
    queries are pseudo-text, ``queries.tsv``. Of a dense one, ``corpus.npy`` and ``queries.npy`` are ``(n,
    dim)`` float32, of unit length where cosine compares them, and ``corpus.ids`` and ``queries.ids`` the ids.

    Args:
        source: a BEIR folder, or a name from ``beirkit list datasets``.
        retriever: of kind ``dense`` or ``sparse``, as ``beirkit run -r`` takes it.
        out: the folder to write; it appears whole or not at all.
        split: whose judged queries; ``None``: the reported one's.
        impacts: factor by which term weights become whole numbers, as impact indexes need.
        overwrite: replace a folder that this function wrote before.
        workplace: cache, device and progress.

    Raises:
        UsageError: the retriever has no vectors, or ``out`` may not be written.
        DataError: a record cannot be read, a weight is not finite, or no impact.
    """
    place = workplace or Workplace()
    given = parse_retriever(retriever)
    if given.kind not in _KINDS:
        raise UsageError(
            f"{given.name} is of kind {given.kind}, which makes no vectors to be written",
            hint=f"kinds that do: {', '.join(_KINDS)}",
        )
    if impacts is not None and (given.kind != "sparse" or not 0 < impacts < float("inf")):
        raise UsageError(f"impacts {impacts:g}: it is a factor above 0, for term weights alone")
    place_for(out, overwrite=overwrite, written=written)
    dataset = find_dataset(source, progress=place.progress)
    exam = prepare(dataset, split, None)
    instruction = dataset.config.instruction if dataset.config else ""
    config, made = told(given, create(with_instruction(given, PLACE), place), instruction, place)
    identity = made.identity()  # what it needs is asked for before the first text is read
    with whole_folder(out, overwrite=overwrite, written=written) as part:
        facts = _write(made, exam, part, impacts)
        files = sorted(path for path in part.rglob("*") if path.is_file())
        manifest = {
            "format": _FORMAT,
            "dataset": exam.label,
            "split": exam.split,
            "content_ids": exam.content,
            "name": config.name,
            "retriever": identity,
            **facts,
            "files": {path.relative_to(part).as_posix(): sha256_file(path) for path in files},
        }
        write_json(part / MANIFEST, manifest)
    return Encoded(Path(out), manifest)


def written(folder: Path) -> set[str]:
    """The files that :func:`encode` wrote into a folder.

    Raises:
        DataError: it wrote none there.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        return {MANIFEST, *manifest["files"]} if manifest["retriever"]["kind"] in _KINDS else set()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError("is no manifest of vectors", path=path) from error


def _write(retriever: Retriever[Any], exam: Exam, folder: Path, impacts: float | None) -> Facts:
    from beirkit.retrievers.sparse.retriever import SparseRetriever

    if isinstance(retriever, SparseRetriever):
        return _sparse(retriever, exam, folder, impacts)
    from beirkit.retrievers.dense.retriever import DenseRetriever

    assert isinstance(retriever, DenseRetriever)
    return _dense(retriever, exam, folder)


def _sparse(retriever: SparseRetriever, exam: Exam, folder: Path, impacts: float | None) -> Facts:
    from beirkit.retrievers.sparse.vector_writer import VectorWriter

    writer = VectorWriter(retriever.encoder.term_names, impacts)
    documents = writer.write_json_lines(
        folder / "corpus" / "vectors.jsonl", retriever.document_rows(exam.documents())
    )
    rows = retriever.query_rows(exam.queries)
    if impacts is None:
        queries = writer.write_json_lines(folder / "queries.jsonl", rows)
    else:
        queries = writer.write_pseudo_texts(folder / "queries.tsv", rows)
    return {"impacts": impacts, "document": documents.report(), "query": queries.report()}


def _dense(retriever: DenseRetriever, exam: Exam, folder: Path) -> Facts:
    from beirkit.retrievers.dense.encoder import Billing
    from beirkit.retrievers.stages import read_twice
    from beirkit.retrievers.template import Template

    getattr(retriever.encoder, "advise", lambda: None)()
    template = Template(retriever.options.template)
    documents = exam.documents()
    if isinstance(retriever.encoder, Billing):
        documents = read_twice(documents, retriever.workplace)

    def of_documents() -> Iterator[tuple[str, str]]:
        return ((d.doc_id, template.render(d)) for d in documents)

    def of_queries() -> Iterator[tuple[str, str]]:
        return ((q.query_id, q.text) for q in exam.queries)

    return {
        "similarity": retriever.encoder.similarity,
        "document": _write_array(retriever, of_documents, "document", folder / "corpus"),
        "query": _write_array(retriever, of_queries, "query", folder / "queries"),
    }


def _write_array(retriever: DenseRetriever, texts: Texts, role: Role, stem: Path) -> Facts:
    import numpy as np

    ids: list[str] = []
    made: list[VectorBlock] = []
    for part, block in _blocks(retriever, texts, role):
        ids += part
        made.append(block)
    shape = (len(ids), made[0].dim if made else 0)
    with atomic_open(stem.with_suffix(".npy"), "wb") as stream:
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(stream, header)
        for block in made:
            stream.write(np.ascontiguousarray(block.vectors, dtype="<f4").data.cast("B"))
    with atomic_open(stem.with_suffix(".ids")) as lines:
        lines.writelines(f"{key}\n" for key in ids)
    return {"texts": shape[0], "dimensions": shape[1], "truncated": _sum(b.truncated for b in made)}


def _blocks(
    retriever: DenseRetriever, texts: Texts, role: Role
) -> Iterator[tuple[Sequence[str], VectorBlock]]:
    from beirkit.retrievers.dense.vectors import VectorStore
    from beirkit.retrievers.store import Store, blocks

    store = VectorStore(retriever.encoder, role, Store(retriever.workplace.cache))
    label, unit = ("index", "documents") if role == "document" else ("search", "queries")
    parts = ([text for _, text in part] for part in blocks(texts()))
    with store.announced(parts), retriever.workplace.progress(label, None, unit) as advance:
        for part in blocks(texts()):
            ids = [key for key, _ in part]
            yield ids, store.block(ids, [text for _, text in part], advance)


def _sum(counts: Iterable[int | None]) -> int | None:
    listed = list(counts)
    known = [count for count in listed if count is not None]
    return sum(known) if len(known) == len(listed) else None
