"""``beirkit score --rescore``: kept results scored in another way, and who moved."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beirkit.configs.suites import SuiteNode
    from beirkit.corpora.records import Qrels
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol
    from beirkit.evaluate.rescoring import Rescored
    from beirkit.rescoring import Scoring


class _Rescore(argparse.Action):
    """Takes the results, after which a run and its judgments need not be there.

    Were they declared as optional, argparse would no longer find them on both sides of an option.
    """

    def __init__(self, *, instead_of: Sequence[argparse.Action], **settings: Any) -> None:
        self._instead_of = instead_of
        super().__init__(**settings)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        for positional in self._instead_of:
            positional.required = False
        setattr(namespace, self.dest, values)


def add_rescoring(parser: argparse.ArgumentParser, *, instead_of: Sequence[argparse.Action]) -> None:
    """Declare the options.

    Args:
        parser: of the command.
        instead_of: what need not be given then.
    """
    group = parser.add_argument_group("kept results scored anew (in place of RUN and QRELS)")
    group.add_argument(
        "--rescore",
        action=_Rescore,
        instead_of=instead_of,
        nargs="+",
        type=Path,
        default=[],
        metavar="RESULT",
        help="score these under --protocol or with --new-qrels and tell who moved: result folders, a folder "
        "of results, a suite's JSON, or with --old-qrels run files",
    )
    group.add_argument(
        "--old-protocol",
        metavar="NAME",
        help="what they are compared with (default: the protocol of the suite's JSON, else beirkit)",
    )
    group.add_argument(
        "--new-qrels",
        action="append",
        default=[],
        metavar="[DATASET=]QRELS",
        help="another version of the judgments; again for another dataset",
    )
    group.add_argument(
        "--old-qrels", type=Path, metavar="QRELS", help="the judgments that run files were scored with"
    )


def refuse_mixture(args: argparse.Namespace) -> None:
    """Refuse options of scoring and of scoring anew that make no sense together.

    Raises:
        UsageError: names what is wrong.
    """
    from beirkit.corpora.errors import UsageError

    if args.rescore and args.run is not None:
        raise UsageError(f"--rescore takes its own results, and {args.run} stands beside them")
    if args.rescore and args.per_query:
        raise UsageError("--per-query is of one run", hint="leave it out with --rescore")
    if args.rescore and args.abstention:
        raise UsageError("--abstention is of one run", hint="leave it out with --rescore")
    if args.rescore and args.depth is not None and args.old_qrels is None:
        raise UsageError("--depth is of run files; results are as deep as they were made")
    if not args.rescore and (args.old_protocol or args.new_qrels or args.old_qrels):
        raise UsageError(
            "--old-protocol, --old-qrels and --new-qrels are about results scored anew",
            hint="name them behind --rescore",
        )


def execute_rescoring(args: argparse.Namespace) -> int:
    """Score anew and print what came of it."""
    from beirkit.cli.output import print_json
    from beirkit.evaluate.measures import parse_measures
    from beirkit.evaluate.protocol import get_protocol

    new = get_protocol(args.protocol)
    measures = parse_measures(args.measures or new.measures)
    if args.old_qrels is not None:
        old = get_protocol(args.old_protocol or "beirkit")
        scorings, suite = [_rescored_runs(args, old, new, measures)], None
    else:
        old, scorings, suite = _rescored_results(args, new, measures)
    tables = [(scoring.dataset, scoring.measures) for scoring in scorings]
    if suite is not None:
        from beirkit.rescoring import rescore_suite

        tables.append((f"mean of {suite.name}", rescore_suite(suite, scorings, measures)))
    if args.json:
        print_json(_data(old, new, scorings, tables))
        return 0
    for name, of_measures in tables:
        for one in of_measures:
            _print_moves(name, one, new.digits)
    if not args.quiet:
        print(f"Old protocol: {old.describe()}", file=sys.stderr)
        print(f"New protocol: {new.describe()}", file=sys.stderr)
    return 0


def _rescored_results(
    args: argparse.Namespace, new: Protocol, measures: Sequence[Measure]
) -> tuple[Protocol, list[Scoring], SuiteNode | None]:
    from beirkit.corpora.errors import UsageError
    from beirkit.evaluate.protocol import get_protocol
    from beirkit.rescoring import rescore
    from beirkit.result_paths import find_results
    from beirkit.runs import result_folder
    from beirkit.stored import read_suite_results

    suites = [suite for path in args.rescore if (suite := read_suite_results(path)) is not None]
    bare = [path for path in args.rescore if path.is_file() and result_folder(path) is None]
    if len(bare) > len(suites):
        raise UsageError(f"{bare[0]} is a run file, which needs its judgments", hint="add --old-qrels")
    rules = list(dict.fromkeys(suite.protocol for suite in suites))
    if len(rules) > 1 and args.old_protocol is None:
        raise UsageError(f"they were scored under {' and '.join(rules)}", hint="say which: --old-protocol")
    old = get_protocol(args.old_protocol or (rules[0] if rules else "beirkit"))
    results = find_results(args.rescore)
    try:
        scorings = rescore(results, old, new, measures, _new_judgments(args))
    except UsageError as error:
        hint = error.hint.replace("--qrels", "--old-qrels")
        raise UsageError(error.found, path=error.path, hint=hint) from error
    nodes = [suite.suite for suite in suites]
    return old, scorings, nodes[0] if len(args.rescore) == len(nodes) == 1 else None


def _new_judgments(args: argparse.Namespace) -> dict[str, Qrels]:
    from beirkit.cli.score import read_judgments
    from beirkit.corpora.errors import UsageError

    found: dict[str, Qrels] = {}
    for text in args.new_qrels:
        name, equals, path = text.partition("=")
        if not equals or Path(text).exists():
            name, path = "", text
        if name in found:
            raise UsageError(f"--new-qrels gives two versions of {name or 'the judgments'}")
        found[name] = read_judgments(Path(path), args.split, args.default_relevance).qrels
    return found


def _rescored_runs(
    args: argparse.Namespace, old: Protocol, new: Protocol, measures: Sequence[Measure]
) -> Scoring:
    """Runs that their judgments were named for."""
    from beirkit.cli.score import read_judgments
    from beirkit.corpora.errors import UsageError
    from beirkit.evaluate.engine import evaluate
    from beirkit.evaluate.rescoring import rescored
    from beirkit.rescoring import Scoring
    from beirkit.runs import counted_depth, find_run, searched_judgments
    from beirkit.stored import short_names

    if len(args.new_qrels) > 1:
        raise UsageError("run files are of one dataset", hint="name one version: --new-qrels QRELS")
    exam = read_judgments(args.old_qrels, args.split, args.default_relevance)
    other = next(iter(_new_judgments(args).values()), exam.qrels)
    if old == new and not args.new_qrels:
        raise UsageError(
            f"both times the protocol is {old.name}", hint="name another --protocol, or --new-qrels"
        )
    paths = [path for named in args.rescore for path in _runs_at(named)]
    names = short_names(paths)
    given = {names[path]: find_run(path) for path in dict.fromkeys(paths)}
    depth = counted_depth(args.depth, given.items())
    scores = []
    for protocol, version in ((old, exam.qrels), (new, other)):
        qrels = searched_judgments(version, given.values())
        scores.append(
            {
                name: evaluate(
                    qrels,
                    one.read(
                        qrels,
                        excluded=exam.excluded,
                        strict=args.strict,
                        lenient_scores=args.lenient_scores,
                    ),
                    measures,
                    protocol,
                    self_match_ids=one.self_match_ids if exam.self_match_ids is None else exam.self_match_ids,
                    depth=depth,
                    strict=args.strict,
                    lenient_scores=args.lenient_scores,
                    evidence=exam.evidence,
                )
                for name, one in given.items()
            }
        )
    before, after = scores
    moves = tuple(rescored(before, after, measure) for measure in measures)
    return Scoring(str(args.old_qrels), before, after, moves)


def _runs_at(path: Path) -> list[Path]:
    """A run file or result folder itself, else every result that a folder or table leads to."""
    from beirkit.result_paths import find_results
    from beirkit.runs import result_folder
    from beirkit.stored import read_suite_results

    if result_folder(path) is not None or not path.is_dir():
        kept = read_suite_results(path)
        return [path] if kept is None else [one.folder for one in kept.results]
    return [one.folder for one in find_results([path])]


def _print_moves(name: str, one: Rescored, digits: int) -> None:
    from beirkit.cli.output import print_table
    from beirkit.figures import figure

    rows = [
        [
            move.system,
            figure(move.old, digits),
            figure(move.new, digits),
            "–" if move.old is None or move.new is None else f"{move.new - move.old:+.{digits}f}",
            _rank(move.old_rank),
            _rank(move.new_rank),
            _way(move.old_rank, move.new_rank),
        ]
        for move in one.moves
    ]
    moved = sum(move.moved for move in one.moves)
    tau = "" if one.tau is None else f", Kendall's tau {one.tau:.3f}"
    title = f"{name}, {one.measure}: {moved} of {len(one.moves)} systems moved{tau}"
    print_table(title, ["system", "old", "new", "difference", "old rank", "new rank", "moved"], rows)


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)


def _way(old: int | None, new: int | None) -> str:
    """How many ranks up (+) or down a system went."""
    return "" if old is None or new is None or old == new else f"{old - new:+d}"


def _data(
    old: Protocol,
    new: Protocol,
    scorings: Sequence[Scoring],
    tables: Sequence[tuple[str, tuple[Rescored, ...]]],
) -> dict[str, Any]:
    import msgspec

    return {
        "old_protocol": old.describe(),
        "new_protocol": new.describe(),
        "queries": {
            scoring.dataset: {
                which: {system: one.counts.judged for system, one in scores.items()}
                for which, scores in (("old", scoring.old), ("new", scoring.new))
            }
            for scoring in scorings
        },
        "measures": {name: msgspec.to_builtins(of_measures) for name, of_measures in tables},
    }
