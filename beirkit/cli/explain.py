"""``beirkit explain``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json

if TYPE_CHECKING:
    from beirkit.corpora.records import Qrels
    from beirkit.evaluate.explain.explanation import Cause, Explanation, Target
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol
    from beirkit.stored import StoredResult

_SHOWN = 8
_LONGEST = 140  # characters of what a cause says, without --all
_KNOWN_BY = {
    "scoring": "scored anew",
    "run": "another run",
    "manifest": "what is on record",
    "published": "a published figure",
    "harmless": "what is on record",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "result",
        type=Path,
        metavar="RESULT",
        help="a result folder, the JSON of a suite, with --qrels a run file, or as DATASET:SYSTEM a "
        "published figure",
    )
    parser.add_argument(
        "other",
        type=Path,
        nargs="?",
        metavar="OTHER",
        help="the result whose number is another one (default: the published figures of this retriever)",
    )
    parser.add_argument(
        "--published", metavar="NUMBER", help="the other number, as it is printed: 0.665, 66.5 or 66.5%%"
    )
    parser.add_argument("--note", default="", metavar="TEXT", help="where that number stands, for the report")
    parser.add_argument("--system", default="", metavar="NAME", help="hold it against this published system")
    parser.add_argument("-m", "--measure", default="nDCG@10", metavar="MEASURE", help="default: nDCG@10")
    parser.add_argument(
        "--protocol", default="beirkit", metavar="NAME", help="how our number is made (default: beirkit)"
    )
    parser.add_argument(
        "--other-protocol",
        metavar="NAME",
        help="how the number of OTHER is made (default: as ours)",
    )
    parser.add_argument(
        "--qrels",
        type=Path,
        metavar="QRELS",
        help="the judgments of a run file, or of a result whose dataset is not here",
    )
    parser.add_argument(
        "--split", metavar="NAME", help="split of a BEIR folder given as QRELS, or of published figures"
    )
    parser.add_argument(
        "--other-qrels",
        action="append",
        default=[],
        metavar="[NAME=]QRELS",
        help="another version of the judgments to try; may be repeated",
    )
    parser.add_argument(
        "-r",
        "--retriever",
        default="",
        metavar="NAME",
        help="which system of a suite's table (default: each of them)",
    )
    parser.add_argument(
        "--with",
        dest="beside",
        action="append",
        default=[],
        type=Path,
        metavar="RESULT",
        help="results that may measure what other settings do, besides those in the same folder of results; "
        "may be repeated",
    )
    parser.add_argument("--all", action="store_true", help="show every cause that was found, in full")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Explain one number, or each published one."""
    from beirkit.cli.output import print_json

    _refuse_mixture(args)
    found = list(_explanations(args))
    if args.json:
        print_json([{"of": name, **one.to_dict()} for name, one in found])
        return 0
    for name, one in found:
        _print(name, one, args)
    return 0


def _refuse_mixture(args: argparse.Namespace) -> None:
    from beirkit.corpora.errors import UsageError

    given = [name for name in ("other", "published", "system") if getattr(args, name) not in (None, "")]
    if len(given) > 1:
        raise UsageError(
            "one other number is explained at a time", hint="give OTHER, --published or --system"
        )
    if args.retriever and not args.result.suffix == ".json":
        raise UsageError("-r chooses a system of a suite's table", hint="name results/SUITE.json")
    if args.other_protocol and not args.other:
        raise UsageError("--other-protocol is how the number of OTHER is made", hint="name OTHER")
    if args.split and not args.qrels and args.result.exists():
        raise UsageError("--split chooses judgments of a folder", hint="add --qrels")


def _explanations(args: argparse.Namespace) -> Sequence[tuple[str, Explanation]]:
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.stored import read_suite_results

    measure, protocol = Measure.parse(args.measure), get_protocol(args.protocol)
    if args.qrels is not None:
        return [(str(args.result), _of_run_file(args, measure, protocol))]
    if not args.result.exists() and ":" in str(args.result):
        return _of_published(args, measure)
    suite = read_suite_results(args.result)
    if suite is not None:
        from beirkit.cli.explain_suites import explained

        return explained(args, suite, measure, protocol)
    return _of_result(args, _only(args.result), measure, protocol)


def _only(path: Path) -> StoredResult:
    """A result, or the only one that a folder of results holds."""
    from beirkit.corpora.errors import UsageError
    from beirkit.result_paths import find_results
    from beirkit.stored import read_result

    if not path.is_dir() or (path / "manifest.json").is_file():
        return read_result(path)
    found = find_results([path])
    if len(found) > 1:
        listed = ", ".join(str(one.folder) for one in found[:3])
        raise UsageError(f"holds {len(found)} results", path=path, hint=f"name one of them: {listed}")
    return found[0]


def _of_published(args: argparse.Namespace, measure: Measure) -> Sequence[tuple[str, Explanation]]:
    from beirkit.corpora.errors import UsageError
    from beirkit.explaining import of_reference
    from beirkit.explaining_published import explain_published, published_figure
    from beirkit.typed_numbers import typed

    dataset, _, system = str(args.result).partition(":")
    ours = published_figure(dataset, system, measure, args.split or "")
    if args.published is not None:
        target, theirs = typed(args.published, args.note), None
    elif args.system:
        theirs = published_figure(dataset, args.system, measure, args.split or "")
        target = of_reference(theirs)
    else:
        raise UsageError("a figure is explained against another", hint="give --published or --system")
    return [(f"{ours.system.label} on {dataset}", explain_published(ours, target, theirs))]


def _of_result(
    args: argparse.Namespace, result: StoredResult, measure: Measure, protocol: Protocol
) -> Sequence[tuple[str, Explanation]]:
    from beirkit.cli.output import progress_for
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.explaining import (
        Ours,
        counterparts,
        explain_result,
        of_reference,
        of_result,
        siblings,
    )
    from beirkit.result_paths import find_results
    from beirkit.typed_numbers import typed

    progress = progress_for(args)
    beside = {one.folder.resolve(): one for one in [*siblings(result), *find_results(args.beside)]}
    name = f"{result.facts.name} on {result.dataset}@{result.facts.split}"
    targets: list[tuple[Target, bool]]
    if args.other is not None:
        other = _only(args.other)
        beside |= {one.folder.resolve(): one for one in siblings(other)}
        beside.pop(result.folder.resolve(), None)
        rules = get_protocol(args.other_protocol) if args.other_protocol else protocol
        if rules == protocol:
            beside.pop(other.folder.resolve(), None)
        else:  # scored by our rules it is halfway
            beside[other.folder.resolve()] = other
        says = f"{other.facts.name} on {other.dataset}@{other.facts.split} ({other.folder.name})"
        targets = [(of_result(other, measure, rules, says), False)]
    elif args.published is not None:
        targets = [(typed(args.published, args.note), True)]
    else:
        targets = [(of_reference(one), True) for one in counterparts(result, measure, args.system)]
    versions = _versions(args.other_qrels)
    if args.other is not None and (theirs := _other_judgments(other, result)) is not None:
        versions["OTHER's"] = theirs
    ours = Ours(result, measure, protocol, versions, list(beside.values()))
    return [
        (name, explain_result(ours, target, partial=partial, progress=progress))
        for target, partial in targets
    ]


def _other_judgments(other: StoredResult, result: StoredResult) -> Qrels | None:
    """The judgments of another result, where they are others and are there."""
    from beirkit.corpora.errors import BeirkitError

    part = f"qrels/{other.facts.split}"
    own = result.facts.content_ids.get(f"qrels/{result.facts.split}")
    if other.facts.content_ids.get(part) == own:
        return None
    try:
        return other.exam().qrels
    except BeirkitError:
        return None


def _of_run_file(args: argparse.Namespace, measure: Measure, protocol: Protocol) -> Explanation:
    from beirkit.cli.output import progress_for
    from beirkit.cli.score import read_judgments
    from beirkit.corpora.errors import UsageError
    from beirkit.corpora.folder import open_folder
    from beirkit.evaluate.explain.explain import explain
    from beirkit.explaining import facts_of
    from beirkit.runs import find_run, result_folder
    from beirkit.stored import read_result
    from beirkit.typed_numbers import typed

    if args.published is None:
        raise UsageError(
            "with --qrels a run is explained against a number that is typed", hint="give it: --published"
        )
    if args.beside:
        raise UsageError(
            "--with is about results of beirkit run, without --qrels", hint="leave one of them out"
        )
    exam = read_judgments(args.qrels, args.split)
    given = find_run(args.result)
    splits, queries = {}, None
    if args.qrels.is_dir():
        collection = open_folder(args.qrels)
        splits = {split: collection.qrels(split) for split in collection.splits}
        splits = {split: qrels for split, qrels in splits.items() if qrels and qrels != exam.qrels}
        queries = sum(1 for _ in collection.queries())
    own = given.self_match_ids if exam.self_match_ids is None else exam.self_match_ids
    return explain(
        given.read(exam.qrels, excluded=exam.excluded),
        exam.qrels,
        measure,
        typed(args.published, args.note),
        protocol=protocol,
        self_match_ids=own,
        depth=given.depth,
        queries=queries,
        splits=splits,
        versions=_versions(args.other_qrels),
        facts=facts_of(read_result(args.result)) if result_folder(args.result) else None,
        progress=progress_for(args),
    )


def _versions(texts: Sequence[str]) -> dict[str, Qrels]:
    from beirkit.cli.score import read_judgments

    found = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = Path(text).name, text
        found[name] = read_judgments(Path(path), None).qrels
    return found


def _print(name: str, one: Explanation, args: argparse.Namespace) -> None:
    from beirkit.cli.output import print_table

    digits = 6 if one.target.decimals is None else max(4, one.target.decimals)
    print(f"{name}: {one.measure} {one.ours:.{digits}f}; {one.target.says}: {one.target.printed}")
    if one.target.reading:
        print(one.target.reading)
    print(f"Gap: {one.gap:+.{digits}f}. {one.verdict}")
    shown = one.causes if args.all else one.causes[:_SHOWN]
    with_values = one.target.values is not None
    columns = [
        "cause",
        "what is otherwise",
        "known by",
        "then",
        "leaves",
        "closes",
        *(["alike"] if with_values else []),
    ]
    if shown:
        rows = [_row(cause, digits, with_values, short=not args.all) for cause in shown]
        print_table("", columns, rows, left=3)
    if len(shown) < len(one.causes):
        print(f"{len(one.causes) - len(shown)} more causes close less of it (--all)")
    if shown and shown[0].arithmetic:
        print(f"The sum for {shown[0].about}:")
        for line in shown[0].arithmetic:
            print(f"  {line}")
    for what, why in one.untested.items():
        print(f"Not tried: {what}: {why}")
    for what, said in one.target.notes.items():
        print(f"Its source says: {what}: {said}")
    if one.chance and one.explained and not args.quiet:
        print(
            f"{one.tried:,} scorings were compared; one of them would meet a number chosen at random, no "
            f"further from ours than this one, in {one.chance:.1%} of cases.",
            file=sys.stderr,
        )


def _signed(left: float, digits: int) -> str:
    told = f"{left:+.{digits}f}"
    return told if float(told) else f"{0:.{digits}f}"


def _row(cause: Cause, digits: int, with_values: bool, *, short: bool) -> list[str]:
    from beirkit.figures import figure

    says = cause.says
    if short and len(says) > _LONGEST:
        says = says[:_LONGEST].rpartition(" ")[0] + " …"
    row = [
        cause.about,
        says + (" (as its source states)" if cause.stated else ""),
        _KNOWN_BY[cause.kind],
        figure(cause.value, digits),
        "–" if cause.leaves is None else _signed(cause.leaves, digits),
        "?" if cause.closes is None else f"{cause.closes:.0%}",
    ]
    return [*row, "–" if cause.alike is None else f"{cause.alike:.0%}"] if with_values else row
