"""What ``run`` and ``score`` do where judgments are the addresses of references."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.protocol import Protocol


def add_switch(parser: argparse.ArgumentParser) -> None:
    """Add ``--ndcg-on-references``."""
    parser.add_argument(
        "--ndcg-on-references",
        action="store_true",
        help="compute nDCG, if it is asked for, where judgments are addresses of references without grades",
    )


def chosen_measures(args: argparse.Namespace, protocol: Protocol) -> list[str | Measure] | None:
    """The measures of ``beirkit score``, without nDCG over references unless the switch is given.

    Args:
        args: with ``qrels``, ``measures`` and ``ndcg_on_references``.
        protocol: brings the default measures.

    Raises:
        UsageError: nDCG over references is asked for without the switch.
    """
    from beirkit.evaluate.graded import fitting_measures
    from beirkit.facts import config_of

    config = config_of(args.qrels) if args.qrels is not None and args.qrels.is_dir() else None
    if config is None:
        return args.measures or None
    default: tuple[str | Measure, ...] = protocol.measures
    if config.judgment_kind != "graded":
        default = (*config.measures, *default)
    return list(
        fitting_measures(args.measures, default, config.judgment_kind, graded=args.ndcg_on_references)
    )


def score_results(args: argparse.Namespace) -> int:
    """Score a search tool's results, which ``beirkit score`` was given in place of a run.

    Args:
        args: of ``beirkit score``.

    Raises:
        UsageError: measures of runs are asked for, or there is no dataset to score by.
    """
    from beirkit.cli.providers import tell, tool_name
    from beirkit.corpora.errors import UsageError

    if args.measures or args.ndcg_on_references:
        option = "-m" if args.measures else "--ndcg-on-references"
        raise UsageError(
            "a search tool's results have measures of their own",
            path=args.run,
            hint=f"leave {option} out, or choose cut-offs with: beirkit providers; it writes runs too "
            "(--out FOLDER), which are scored by any measure",
        )
    if args.qrels is None:
        raise UsageError("results are scored by a dataset of supporting pages", hint="name its folder")
    path: Path = args.run
    return tell(args, str(args.qrels), {tool_name(path): path}, [1, 5, 10])
