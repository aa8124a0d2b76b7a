"""``beirkit show``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from beirkit.cli.arguments import add_json
from beirkit.cli.report import add_shared

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beirkit.cli.compare_inputs import Contest


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "runs",
        metavar="RESULT",
        nargs="+",
        help="result folders, the results/SUITE.json of `beirkit run`, or run files with --qrels; a last "
        "word that is no path is the id of a query",
    )
    parser.add_argument("--query", metavar="ID", help="the query to show (default: the first)")
    step = parser.add_mutually_exclusive_group()
    step.add_argument("--next", action="store_true", help="the one behind it, in the order chosen")
    step.add_argument("--previous", action="store_true", help="the one before it")
    order = parser.add_mutually_exclusive_group()
    order.add_argument("--worst", action="store_true", help="order queries by the lowest mean of the systems")
    order.add_argument(
        "--disagree",
        action="store_true",
        help="order queries by the greatest difference between two systems (default: by id)",
    )
    parser.add_argument("-d", "--dataset", metavar="NAME", help="which dataset, where results are of several")
    parser.add_argument("--top", metavar="N", type=int, default=5, help="results of each system (default: 5)")
    add_shared(parser)
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Show one query; at a terminal go on with keys."""
    from beirkit.cli.compare_inputs import gather
    from beirkit.cli.output import print_json
    from beirkit.cli.query_inputs import expanded, find_answers, with_compare_defaults
    from beirkit.cli.query_text import Shown, analyzers, as_json, as_text
    from beirkit.corpora.errors import UsageError

    if args.top < 1:
        raise UsageError(f"--top {args.top}: a whole number from 1")
    paths, query = _words(args)
    whole = with_compare_defaults(args)
    whole.runs = expanded(paths)
    given = gather(whole, [])
    contest = _contest(given.contests, args.dataset)
    measure = given.measures[0]
    found = find_answers(whole, contest, measure)
    shown = Shown(found, _order(args, found.answers.values()), args.top, analyzers(contest.paths))
    place = _place(shown.order, query, 1 if args.next else -1 if args.previous else 0)
    if found.lacking and not args.quiet:
        print(f"Judgments and texts are not shown: {found.lacking}", file=sys.stderr)
    if args.json:
        print_json({"dataset": contest.dataset, "measure": str(measure), **as_json(shown, place)})
        return 0
    sys.stdout.write(as_text(shown, place, str(measure)))
    if sys.stdin.isatty() and sys.stdout.isatty():
        browse(
            place,
            len(shown.order),
            read_key,
            lambda at: print("\n" + as_text(shown, at, str(measure)), end="", flush=True),
        )
    return 0


def browse(place: int, total: int, key: Callable[[], str], show: Callable[[int], None]) -> int:
    """Go from query to query by keys: n or space for the next, p for the previous, q to leave.

    Args:
        place: of the query that is shown.
        total: how many there are.
        key: waits for one; empty: there are no more.
        show: shows the query at a place.

    Returns:
        Where it was left.
    """
    steps = {"n": 1, " ": 1, "\r": 1, "\n": 1, "p": -1}
    while True:
        pressed = key()
        if pressed in ("q", "", "\x03", "\x04"):
            return place
        moved = place + steps.get(pressed, 0)
        if moved != place and 0 <= moved < total:
            place = moved
            show(place)


def read_key() -> str:
    """One key of the terminal, without waiting for the end of a line where the system can do that."""
    print("[n]ext  [p]revious  [q]uit ", end="", file=sys.stderr, flush=True)
    try:
        import termios
        import tty
    except ImportError:  # Windows: a letter and Enter
        return sys.stdin.readline()[:1]
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        return sys.stdin.read(1)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
        print(file=sys.stderr)


def _words(args: argparse.Namespace) -> tuple[list[Path], str | None]:
    """The paths, and the query that was named by ``--query`` or behind them."""
    from beirkit.corpora.errors import UsageError

    words = list(args.runs)
    query: str | None = args.query
    if len(words) > 1 and not Path(words[-1]).exists():
        if query is not None:
            raise UsageError(f"{words[-1]!r} is no path, and --query names a query already")
        query = words.pop()
    return [Path(word) for word in words], query


def _contest(contests: Sequence[Contest], name: str | None) -> Contest:
    """The dataset that was named, or the only one.

    Raises:
        UsageError: there are several, or none of that name.
    """
    from beirkit.corpora.errors import UsageError, nearest

    known = [one.dataset for one in contests]
    if name is None and len(contests) > 1:
        raise UsageError("the results are of several datasets", hint=f"add -d: {', '.join(known)}")
    chosen = next((one for one in contests if name in (None, one.dataset)), None)
    if chosen is None:
        raise UsageError(f"no result is of {name!r}", hint=nearest(str(name), known))
    return chosen


def _order(args: argparse.Namespace, values: dict[str, dict[str, float | None]]) -> list[str]:
    from beirkit.query_views import by_disagreement, by_value

    if args.disagree:
        return by_disagreement(values)
    return by_value(values) if args.worst else list(values)


def _place(order: Sequence[str], query: str | None, step: int) -> int:
    """Where the query stands, or the one beside it.

    Raises:
        UsageError: there is none.
    """
    from beirkit.corpora.errors import UsageError, nearest

    if not order:
        raise UsageError("there is no query to show")
    if query is not None and query not in order:
        raise UsageError(f"no scored query has the id {query!r}", hint=nearest(query, list(order)))
    place = (0 if query is None else order.index(query)) + step
    if not 0 <= place < len(order):
        raise UsageError(
            f"{order[place - step]} is the {'last' if step > 0 else 'first'} query of this order"
        )
    return place
