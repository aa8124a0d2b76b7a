"""What is wrong with a BEIR folder, all of it: no defect hides the next one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from beirkit.corpora.check_qrels import Judged, check_qrels
from beirkit.corpora.check_records import DOCUMENTS, QUERIES, Ids, RecordsCheck
from beirkit.corpora.check_shared import SharedIds
from beirkit.corpora.check_spans import check_spans
from beirkit.corpora.check_tally import Tally
from beirkit.corpora.compressed import SUFFIXES
from beirkit.corpora.errors import DataError
from beirkit.corpora.findings import CAP, Finding, Identity, Known, Report, counted
from beirkit.corpora.layout import find_qrels, find_spans
from beirkit.corpora.manifest import has_manifest, verify_manifest
from beirkit.corpora.progress import Progress, silent
from beirkit.corpora.records import Document, Query


class RecordFiles(NamedTuple):
    """The two files of records, and what judgments are checked against.

    Attributes:
        queries_file: None where it is missing.
        queries: the ids of the queries; None where they could not be read.
        corpus_file: None where it is missing.
        documents: the ids of the corpus; None where it could not be read.
    """

    queries_file: Path | None
    queries: Ids | None
    corpus_file: Path | None
    documents: Ids | None


def check_folder(
    path: Path | str,
    *,
    known: Sequence[Known] = (),
    accepted: Mapping[Identity, int] | None = None,
    cap: int | None = CAP,
    deep: bool = False,
    gone: list[Identity] | None = None,
    progress: Progress = silent,
) -> list[Finding]:
    """Every defect of a BEIR folder, file by file in the order of their lines.

    Args:
        path: the folder.
        known: published defects of the dataset; they are told with the severity ``known``.
        accepted: how many of each defect are accepted; they are told with the severity ``accepted``.
        cap: findings of one code in one file that are told one by one; None: all.
        deep: compare the texts with each other too: near-duplicates, repeated queries, shared ones.
        gone: gets the accepted defects that are not there, among them all that only ``deep`` looks for.
        progress: told of every record.

    Returns:
        the findings; empty for a folder without fault. The sum of their ``count`` is the number of defects.

    Raises:
        DataError: ``path`` is no folder.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise DataError("is not a folder" if folder.exists() else "does not exist", path=folder)
    report = Report(known, accepted, cap)
    shared = SharedIds()
    queries = documents = None
    queries_file, corpus_file = _find(folder, "queries.jsonl", report), _find(folder, "corpus.jsonl", report)
    if queries_file is not None:
        queries = _check_queries(queries_file, shared, report, progress)
    if corpus_file is not None:
        documents = _check_corpus(corpus_file, shared, report, progress)
    files = RecordFiles(queries_file, queries, corpus_file, documents)
    splits = check_judged(folder, files, report, progress)
    _check_manifest(folder, report)
    if deep and queries_file is not None and corpus_file is not None and None not in (documents, queries):
        from beirkit.corpora.deep import check_deep

        judged = {split: one.path for split, one in splits.items()}
        check_deep(folder, corpus_file, queries_file, judged, report, progress)
    if gone is not None:
        gone += report.gone()
    return report.findings()


def _find(folder: Path, name: str, report: Report) -> Path | None:
    """A file, plain or compressed."""
    there = [path for packed in ("", *SUFFIXES) if (path := folder / f"{name}{packed}").is_file()]
    if len(there) > 1:
        found = f"both {there[0].name} and {there[1].name} are there"
        report.add("BK001", name, None, found, "remove the one out of date")
    kinds = [
        (path.name, kind) for packed in ("", *SUFFIXES) if (kind := _kind(path := folder / f"{name}{packed}"))
    ]
    if not there and kinds:
        found, kind = kinds[0]
        report.add("BK001", found, None, kind, "a BEIR folder needs a file of this name")
        return None
    if not there:
        report.add("BK001", name, None, "is missing", "a BEIR folder needs it")
        return None
    return there[0]


def _kind(path: Path) -> str:
    """What stands under a name that is no file; empty where nothing does."""
    if path.is_symlink() and not path.exists():
        return f"is a link to {path.readlink()}, which leads nowhere"
    if path.is_dir():
        return "is a folder, not a file"
    return "is a pipe or device, not a file" if path.exists() else ""


def _check_queries(path: Path, shared: SharedIds, report: Report, progress: Progress) -> Ids | None:
    with progress(f"checking {path.name}", None, "queries") as advance:

        def each(numbers: Sequence[int], queries: Sequence[Query]) -> None:
            advance(len(queries))
            shared.add(queries)

        return RecordsCheck(path.name, QUERIES, report, each).read(path)


def _check_corpus(path: Path, shared: SharedIds, report: Report, progress: Progress) -> Ids | None:
    """Check the documents, and which of them have a query's id."""
    with progress(f"checking {path.name}", None, "documents") as advance:

        def each(numbers: Sequence[int], documents: Sequence[Document]) -> None:
            advance(len(documents))
            shared.compare(numbers, documents)

        ids = RecordsCheck(path.name, DOCUMENTS, report, each).read(path)
    shared.tell(path.name, report)
    return ids


def check_judged(folder: Path, files: RecordFiles, report: Report, progress: Progress) -> dict[str, Judged]:
    """Check what stands in ``qrels/``, and whether every query is judged.

    Args:
        folder: the BEIR folder.
        files: its documents and queries.
        report: told of every defect.
        progress: told of every record.

    Returns:
        what each split judges.
    """
    splits = _check_splits(folder, files.documents, files.queries, report, progress)
    check_spans(folder, files.corpus_file, files.documents, files.queries, splits, report, progress)
    if files.queries_file is not None and files.queries is not None and splits:
        _check_unjudged(files.queries_file, files.queries, splits, report)
    return splits


def _check_splits(
    folder: Path, documents: Ids | None, queries: Ids | None, report: Report, progress: Progress
) -> dict[str, Judged]:
    """Check every judgment file, and which queries several of them judge."""
    try:
        files = find_qrels(folder)
    except DataError as error:
        report.add("BK001", "qrels", None, error.found, error.hint)
        return {}
    if not files:
        report.add(
            "BK031", "qrels", None, "there is no qrels/<split>.tsv", "without judgments nothing is scored"
        )
    splits: dict[str, Judged] = {}
    for split, file in files.items():
        name = file.relative_to(folder).as_posix()
        with progress(f"checking {name}", None, "judgments") as advance:
            splits[split] = check_qrels(split, file, name, documents, queries, report, advance)
    for one, two in combinations(splits, 2):
        shared = Tally()
        for query_id, line in splits[two].first.items():
            if query_id in splits[one].first:
                shared.add(query_id, abs(line))
        if shared.count:
            name = files[two].relative_to(folder).as_posix()
            found = (
                counted(shared.count, "query is", "queries are") + f" judged in split {one!r} too ({shared})"
            )
            todo = "what is trained or tuned on one split has seen the other; keep each query in one"
            key = f"{one}\t{shared.key}"
            report.add("BK036", name, shared.line, found, todo, key=key, count=shared.count)
    read = {path.name for path in files.values()}
    read |= {path.name for split, path in find_spans(folder).items() if split in files}
    for path in sorted(folder.glob("qrels/*")):
        if path.name not in read and not path.name.startswith("."):
            todo = "a split is qrels/<split>.tsv; give it that name, or move it"
            report.add("BK039", f"qrels/{path.name}", None, "is not read", todo)
    return splits


def _check_unjudged(path: Path, queries: Ids, splits: Mapping[str, Judged], report: Report) -> None:
    """Tell how many queries stand in no split; nothing where a split is empty or cannot be read whole."""
    refused = {query_id for split in splits.values() for query_id in split.refused}
    if not all(split.first for split in splits.values()) or not queries.exact.has(list(refused)).all():
        return
    judged = refused.union(*(split.first for split in splits.values()))
    there = queries.exact.has(list(judged))
    if len(queries.exact) == int(there.sum()):
        return
    tally = Tally()

    def each(numbers: Sequence[int], records: Sequence[Query]) -> None:
        for number, query in zip(numbers, records, strict=True):
            if query.query_id not in judged:
                tally.add(query.query_id, number)

    RecordsCheck(path.name, QUERIES, Report(cap=0), each).read(path)
    found = counted(tally.count, "query stands", "queries stand") + f" in no split ({tally})"
    report.add(
        "BK038", path.name, tally.line, found, "they are never searched", key=tally.key, count=tally.count
    )


def _check_manifest(folder: Path, report: Report) -> None:
    if not has_manifest(folder):
        return
    try:
        differences = verify_manifest(folder)
    except DataError:  # another tool's manifest, or a folder whose missing files are told already
        return
    for difference in differences:
        todo = "convert again, or remove manifest.json"
        report.add("BK040", "manifest.json", None, difference, todo, key=difference)
