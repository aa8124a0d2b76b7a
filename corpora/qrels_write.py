"""Judgments written in the form that the next tool reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

from beirkit.corpora.compressed import SUFFIXES, bare_name
from beirkit.corpora.errors import DataError, UsageError, nearest
from beirkit.corpora.files import atomic_open
from beirkit.corpora.ids import has_white_space, id_problem
from beirkit.corpora.qrels import HEADER, row
from beirkit.corpora.records import Judgment

QrelsForm = Literal["beir", "trec", "jsonl", "parquet", "ranx"]
FORMS: tuple[QrelsForm, ...] = get_args(QrelsForm)

_BY_NAME: dict[str, QrelsForm] = {
    ".tsv": "beir",
    ".trec": "trec",
    ".qrels": "trec",
    ".qrel": "trec",
    ".txt": "trec",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".json": "ranx",
}
# what a reader tells by the name alone
_NEED_A_NAME: tuple[QrelsForm, ...] = ("jsonl", "parquet", "ranx")
_TOLD_BY_NAME = (".jsonl", ".json", ".parquet")


def form_of(path: Path | str) -> QrelsForm:
    """The form that the name of a file asks for.

    Raises:
        UsageError: the name's end says nothing.
    """
    ending = _ending(path)
    if ending not in _BY_NAME:
        raise UsageError(
            f"the name says no form (known: {', '.join(_BY_NAME)})",
            path=path,
            hint="say it with --to (in Python: form=)",
        )
    return _BY_NAME[ending]


def write_qrels(path: Path | str, judgments: Iterable[Judgment], form: str | None = None) -> None:
    """Write judgments; the file appears whole or not at all, ``.gz``, ``.bz2`` and ``.zst`` compress.

    Every form is read back equal by :func:`beirkit.corpora.qrels.read_qrels`:

    - ``beir``: a header, then query id, document id and grade between tabs;
    - ``trec``: ``query 0 document grade`` between blanks, what trec_eval reads;
    - ``jsonl``: one object a line with ``query_id``, ``doc_id`` and ``relevance``; holds any id;
    - ``ranx``: one JSON object ``{query: {document: grade}}``, what ``ranx.Qrels.from_file`` reads;
    - ``parquet``: columns ``q_id``, ``doc_id`` and ``score`` (int64), what ``ranx.Qrels.from_parquet`` reads.

    Args:
        path: the file.
        judgments: each pair once.
        form: one of :data:`FORMS`; None: as the file's name says.

    Raises:
        UsageError: no form has this name, or readers would take the file's name for another form.
        DataError: an id cannot stand in the form.
        MissingExtraError: ``parquet`` without pyarrow.
        WriteError: the system refused the file.
    """
    chosen = form_of(path) if form is None else check_form(form)
    ending = _ending(path)
    if (chosen in _NEED_A_NAME or ending in _TOLD_BY_NAME) and _BY_NAME.get(ending) != chosen:
        wanted = next(name for name, known in _BY_NAME.items() if known == chosen)
        raise UsageError(
            f"readers would not take a file of this name for {chosen}",
            path=path,
            hint=f"let the name end in {wanted}",
        )
    if chosen == "parquet":
        suffix = Path(path).suffix
        if suffix in SUFFIXES:
            raise UsageError("Parquet is compressed by itself", path=path, hint=f"leave {suffix} out")
        from beirkit.corpora.qrels_parquet import write_parquet

        write_parquet(path, _checked(judgments))
        return
    with atomic_open(path) as out:
        for line in qrels_lines(judgments, chosen):
            out.write(line)


def qrels_lines(judgments: Iterable[Judgment], form: str) -> Iterator[str]:
    """The text of a form, piece by piece; see :func:`write_qrels`.

    Raises:
        UsageError: the form is no text.
        DataError: an id cannot stand in it.
    """
    chosen = check_form(form)
    if chosen == "beir":
        yield HEADER + "\n"
    if chosen == "ranx":
        yield from _ranx(_checked(judgments))
        return
    if chosen == "parquet":
        raise UsageError("parquet is no text", hint="write it to a file")
    write = _LINE[chosen]
    for judgment in _checked(judgments):
        yield write(judgment)


def check_form(form: str) -> QrelsForm:
    """A form by its name.

    Raises:
        UsageError: there is none of this name.
    """
    for known in FORMS:
        if form == known:
            return known
    raise UsageError(f"judgments have no form {form!r}", hint=nearest(form, list(FORMS)))


def _checked(judgments: Iterable[Judgment]) -> Iterator[Judgment]:
    """The judgments, whose ids every reader takes."""
    for judgment in judgments:
        for what, value in (("query", judgment.query_id), ("document", judgment.doc_id)):
            if value.isprintable() and value:
                continue
            problem = id_problem(value)
            if not problem and any("\ud800" <= char <= "\udfff" for char in value):
                problem = "holds half of a surrogate pair"
            if problem:
                raise DataError(
                    f"{what} id {value!r} {problem}: it cannot stand in a file of judgments",
                    hint="give it another id",
                )
        yield judgment


def _trec(judgment: Judgment) -> str:
    for what, value in (("query", judgment.query_id), ("document", judgment.doc_id)):
        problem = "holds white space" if has_white_space(value) else ""
        if what == "query" and value[0] in "#\ufeff":
            problem = "begins like a comment" if value[0] == "#" else "begins with a byte-order mark"
        if problem:
            raise DataError(
                f"{what} id {value!r} {problem}: it cannot stand in TREC's form",
                hint="write jsonl (--to jsonl), which holds any id",
            )
    return f"{judgment.query_id} 0 {judgment.doc_id} {judgment.relevance}\n"


def _jsonl(judgment: Judgment) -> str:
    fields = {"query_id": judgment.query_id, "doc_id": judgment.doc_id, "relevance": judgment.relevance}
    return json.dumps(fields, ensure_ascii=False) + "\n"


_LINE: dict[QrelsForm, Callable[[Judgment], str]] = {"beir": row, "trec": _trec, "jsonl": _jsonl}


def _ranx(judgments: Iterable[Judgment]) -> Iterator[str]:
    """One JSON object; a query whose judgments do not stand together is put together first."""
    table: dict[str, dict[str, int]] = {}
    for judgment in judgments:
        table.setdefault(judgment.query_id, {})[judgment.doc_id] = judgment.relevance
    separator = "{"
    for query_id, grades in table.items():
        entry = json.dumps(grades, ensure_ascii=False)
        yield f"{separator}{json.dumps(query_id, ensure_ascii=False)}: {entry}"
        separator = ",\n"
    yield "}\n" if table else "{}\n"


def _ending(path: Path | str) -> str:
    return Path(bare_name(Path(path).name)).suffix
