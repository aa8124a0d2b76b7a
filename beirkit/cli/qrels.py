"""``beirkit qrels``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beirkit.cli import outputs
from beirkit.cli.arguments import add_json
from beirkit.cli.score import add_default_relevance

if TYPE_CHECKING:
    from beirkit.corpora.qrels_counts import QrelsCounts, Spread
    from beirkit.corpora.qrels_diff import QrelsDiff
    from beirkit.corpora.qrels_tools import Filtered, Merged
    from beirkit.corpora.records import Qrels
    from beirkit.judgments import Judgments

_OPTIONS = {
    "queries": "--queries",
    "where": "--where",
    "grades": "--grades",
    "min_grade": "--min-grade",
    "binarize": "--binarize",
}
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        help="judgments: a file (BEIR, TREC, .jsonl, .json, .parquet), a BEIR folder, a dataset's name, "
        "or - for standard input; several are merged",
    )
    parser.add_argument(
        "--split",
        dest="splits",
        action="append",
        default=[],
        metavar="NAME",
        help="split of a folder; give it again for another (default: the reported one)",
    )
    parser.add_argument(
        "--merge",
        choices=("error", "first", "last", "max", "min"),
        default="error",
        help="which grade counts where sources differ (default: error, they must not)",
    )
    add_default_relevance(parser)
    choose = parser.add_argument_group("what is kept, in this order")
    choose.add_argument(
        "--queries",
        type=Path,
        metavar="FILE",
        help="only these queries: ids one a line, or queries.jsonl/.tsv",
    )
    choose.add_argument(
        "--where",
        metavar="CONDITION",
        help="only what meets it: grade, query and doc with =, !=, <, <=, >, >=, in (…), matches 'glob*', "
        "and, or, not",
    )
    choose.add_argument(
        "--grades",
        metavar="OLD=NEW,…",
        help="other grades, or none: 3=2,2=1,1=drop; every grade must be named",
    )
    choose.add_argument("--min-grade", type=int, metavar="N", help="only grades of N and more")
    choose.add_argument(
        "--binarize",
        type=int,
        nargs="?",
        const=1,
        metavar="N",
        help="grades of N (1 where it is left out) and more become 1, others 0",
    )
    out = parser.add_argument_group("what is made of it (default: a table of counts)")
    out.add_argument(
        "--to",
        metavar="FORM",
        help="beir, trec, jsonl, parquet, or ranx (default: as the name of --out says)",
    )
    out.add_argument(
        "--out",
        metavar="FILE",
        help="file to write; .gz, .bz2 and .zst compress (default, or -: standard output)",
    )
    out.add_argument(
        "--overwrite", action="store_true", help="let --out replace one of the files that are read"
    )
    out.add_argument(
        "--diff", metavar="OTHER", help="what OTHER, as it stands, has more, less and graded otherwise"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Read, merge, choose; then count, compare or write."""
    from beirkit.cli.output import print_json
    from beirkit.corpora.qrels_counts import count_judgments
    from beirkit.corpora.qrels_diff import diff_qrels
    from beirkit.corpora.qrels_tools import filter_judgments
    from beirkit.judgments import merge_judgments

    _refuse_input_twice(args)
    if args.out not in (None, "-"):
        outputs.refuse_qrels_output(args.out, _source_files(args), overwrite=args.overwrite)
    form, steps = _form(args), _steps(args)  # what is asked wrongly is told before anything is read
    versions = [part for source in args.sources for part in _find(source, args)]
    judgments, merged = merge_judgments(versions, args.merge)
    filtered = filter_judgments(judgments.qrels, **steps)
    if args.diff is not None:
        other, _ = merge_judgments(_find(args.diff, args), args.merge)
        difference = diff_qrels(filtered.qrels, other.qrels)
        if args.json:
            print_json({"from": judgments.name, "to": other.name, **difference.to_dict()})
        else:
            _print_difference(judgments.name, other.name, difference, shown=None if args.verbose else _SHOWN)
        return 0
    counts = count_judgments(filtered.qrels)
    if form is not None:
        _refuse_sample(judgments.sampled, judgments.name)
        _write(filtered.qrels, form, args.out)
    if args.json:
        print_json(
            {
                "source": judgments.name,
                "out": args.out,
                "form": form,
                **counts.to_dict(),
                "merged": {"sources": len(versions), "same": merged.same, "settled": merged.settled},
                "dropped": filtered.dropped,
                "changed": filtered.changed,
                "not_judged": filtered.not_judged,
            }
        )
    elif form is None:
        _print_counts(judgments.name, counts)
    if not args.quiet and not (args.json and form is None):
        _print_summary(counts, filtered, merged, len(versions), args, brief=form is None)
    return 0


def _form(args: argparse.Namespace) -> str | None:
    """The form to write, None where nothing is written; wrong combinations are refused before any reading."""
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.qrels_write import check_form, form_of

    to_file = args.out not in (None, "-")
    form: str | None = check_form(args.to) if args.to else form_of(args.out) if to_file else None
    if args.diff is not None and (form or args.out):
        raise UsageError("--diff only looks and writes nothing", hint="leave --to and --out out")
    if args.out == "-" and form is None:
        raise UsageError("--out - needs --to, since it has no name", hint="add --to beir")
    if form is not None and not to_file:
        if args.json:
            raise UsageError("--json and the judgments both want standard output", hint="add --out FILE")
        if form == "parquet":
            raise UsageError("parquet is no text", hint="add --out FILE.parquet")
    return form


def _find(source: str, args: argparse.Namespace) -> list[Judgments]:
    from beirkit.judgments import find_judgments

    return find_judgments(source, _splits(source, args), default_relevance=args.default_relevance)


def _splits(source: str, args: argparse.Namespace) -> list[str]:
    """The splits asked for; a file has none, which is fine where another source is a folder."""
    if _is_file(source) and not all(map(_is_file, _sources(args))):
        return []
    splits: list[str] = args.splits
    return splits


def _sources(args: argparse.Namespace) -> list[str]:
    return [*args.sources, *([args.diff] if args.diff is not None else [])]


def _is_file(source: str) -> bool:
    from beirkit.corpora.qrels_stream import is_stream

    return is_stream(source) or Path(source).is_file()


def _source_files(args: argparse.Namespace) -> list[Path]:
    """The files that are read, as far as they are files."""
    from contextlib import suppress

    from beirkit.corpora.errors import BeirkitError
    from beirkit.corpora.layout import find_qrels
    from beirkit.datasets import find_dataset

    files = [path for path in (args.queries,) if path is not None and path.is_file()]
    for source in args.sources:
        path = Path(source)
        if path.is_file():
            files.append(path)
        elif not _is_file(source):
            with suppress(BeirkitError):  # which is told when it is read
                files += find_qrels(path if path.is_dir() else find_dataset(source).folder).values()
    return files


def _refuse_input_twice(args: argparse.Namespace) -> None:
    from beirkit.corpora.errors import UsageError

    if sum(source in ("-", "/dev/stdin") for source in _sources(args)) > 1:
        raise UsageError("standard input can be read once only", hint="name it once")


def _steps(args: argparse.Namespace) -> dict[str, Any]:
    """The arguments of ``filter_judgments``."""
    from beirkit.corpora.qrels_tools import parse_grades, read_query_ids
    from beirkit.corpora.qrels_where import parse_where

    return {
        "where": None if args.where is None else parse_where(args.where),
        "grades": None if args.grades is None else parse_grades(args.grades),
        "queries": None if args.queries is None else read_query_ids(args.queries),
        "min_grade": args.min_grade,
        "binarize": args.binarize,
    }


def _refuse_sample(sampled: bool, name: str) -> None:
    from beirkit.corpora.errors import UsageError

    if sampled:
        raise UsageError(f"{name} is a sample, and would pass for the whole outside", hint="export the whole")


def _write(qrels: Qrels, form: str, out: str | None) -> None:
    from beirkit.corpora.qrels_counts import judgments_of
    from beirkit.corpora.qrels_write import qrels_lines, write_qrels

    if out not in (None, "-"):
        write_qrels(out, judgments_of(qrels), form)
        return
    pieces = list(
        qrels_lines(judgments_of(qrels), form)
    )  # an id that cannot be written leaves no half output
    if sys.stdout.isatty():
        sys.stdout.write("".join(pieces))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(pieces).encode())  # UTF-8 and LF whatever the terminal's own
    sys.stdout.buffer.flush()


def _print_counts(name: str, counts: QrelsCounts) -> None:
    from beirkit.cli.output import print_table

    rows = [
        [str(grade), f"{number:,}", f"{number / counts.judgments:.1%}", f"{counts.queries_by_grade[grade]:,}"]
        for grade, number in counts.grades.items()
    ]
    rows.append(["all", f"{counts.judgments:,}", "", f"{counts.queries:,}"])
    print_table(name, ["grade", "judgments", "share", "queries with it"], rows)
    spreads = [("judged documents", counts.judged), ("relevant documents", counts.relevant)]
    print_table("", ["per query", "least", "median", "mean", "most"], [_spread(*pair) for pair in spreads])
    print(
        f"documents judged: {counts.documents:,}; queries without a relevant one: {counts.without_relevant:,}"
    )


def _spread(name: str, spread: Spread | None) -> list[str]:
    if spread is None:
        return [name, "-", "-", "-", "-"]
    return [name, f"{spread.least:,}", f"{spread.median:,g}", f"{spread.mean:,.2f}", f"{spread.most:,}"]


def _print_summary(
    counts: QrelsCounts,
    filtered: Filtered,
    merged: Merged,
    sources: int,
    args: argparse.Namespace,
    *,
    brief: bool,
) -> None:
    """What was written and what was left out, on standard error."""
    from beirkit.corpora.findings import counted

    told: list[str] = []
    if not brief:
        grades = ", ".join(f"grade {grade}: {number:,}" for grade, number in counts.grades.items())
        of = counted(counts.queries, "query", "queries")
        told.append(f"{_judgments(counts.judgments)} of {of} ({grades or 'none'})")
    if sources > 1:
        told.append(
            f"merged {sources} sources: {_judgments(merged.same)} the same, {merged.settled:,} settled"
        )
    told += [f"{_OPTIONS[name]} dropped {_judgments(number)}" for name, number in filtered.dropped.items()]
    told += [
        f"{_OPTIONS[name]} changed {counted(number, 'grade', 'grades')}"
        for name, number in filtered.changed.items()
    ]
    if args.binarize is not None:
        told[-1] += f": {args.binarize} and more are 1, others 0"
    if filtered.not_judged:
        some = ", ".join(filtered.not_judged[:3])
        ids = counted(len(filtered.not_judged), f"id of {args.queries} has", f"ids of {args.queries} have")
        told.append(f"{ids} no judgment (e.g. {some})")
    told.append(f"content id {counts.content_id}")
    for line in told:
        print(f"beirkit: {line}", file=sys.stderr)


def _judgments(number: int) -> str:
    from beirkit.corpora.findings import counted

    return counted(number, "judgment", "judgments")


def _print_difference(old: str, new: str, difference: QrelsDiff, *, shown: int | None) -> None:
    from beirkit.cli.output import print_table

    data: dict[str, Any] = difference.to_dict()
    print(
        f"from {old} to {new}: {data['added']:,} added, {data['removed']:,} removed, "
        f"{data['changed']:,} graded otherwise, {data['same']:,} the same"
    )
    for word, ids in (("more", difference.queries_added), ("fewer", difference.queries_removed)):
        if ids:
            listed = ", ".join(ids[:5]) + ", …" * (len(ids) > 5)
            print(f"{len(ids):,} judged {'query' if len(ids) == 1 else 'queries'} {word}: {listed}")
    if difference.changed:
        moves = (f"{before} to {after}: {number:,}" for before, after, number in difference.transitions())
        print(f"grades: {'; '.join(moves)}")
    sizes = [
        (query_id, *(len(row[kind]) for kind in ("added", "removed", "changed")))
        for query_id, row in data["queries"].items()
    ]
    sizes.sort(key=lambda row: (-sum(row[1:]), row[0]))
    if sizes:
        rows = [[query_id, *(f"{number:,}" for number in numbers)] for query_id, *numbers in sizes[:shown]]
        print_table("", ["query", "added", "removed", "graded otherwise"], rows)
        if shown is not None and len(sizes) > shown:
            print(f"and {len(sizes) - shown:,} more queries; --verbose shows them, --json every judgment")
