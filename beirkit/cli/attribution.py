"""``beirkit attribution``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beirkit.cli.arguments import add_json, add_settings, key_values

if TYPE_CHECKING:
    from beirkit.attribution import AttributionResult, Keys, Refusals
    from beirkit.evaluate.attribution.summary import Abstention, AttributionSummary, Interval, Rates

_TASKS = ("prompts", "score", "check")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "task",
        choices=_TASKS,
        help="prompts: write what to ask a model; score: look for its quotes in the sources; check: hold "
        "records to the rules of Asmachta's card",
    )
    parser.add_argument(
        "records",
        metavar="RECORDS",
        type=Path,
        help="records with a source each: a JSON array or JSON lines, such as asmachta.json",
    )
    parser.add_argument(
        "outputs",
        metavar="OUTPUTS",
        nargs="?",
        type=Path,
        help="score: JSON lines of id and output; may be left out where outputs stand beside the sources",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="prompts: the JSON lines to write; score: what was found in each output, as JSON lines",
    )
    parser.add_argument(
        "--key",
        dest="keys",
        action="append",
        default=[],
        metavar="FIELD=NAME",
        help="another name of a field: id, source, question, output, declined (source=context); may be "
        "repeated",
    )
    parser.add_argument(
        "--template",
        type=Path,
        metavar="FILE",
        help="prompts: a template with {source_text} and {question} (default: ours, in Hebrew)",
    )
    score = parser.add_argument_group("how outputs are scored")
    add_settings(
        score,
        "rules",
        "fuzzy_threshold (0.9), fuzzy_least (15), short (5), unit (quote, claim), brackets (trailing, "
        "last, all), lists (all, last); kept with the figures",
    )
    score.add_argument(
        "--refusal-patterns",
        type=Path,
        metavar="FILE",
        help="regular expressions, one a line, of what a refusal says (default: ours, Hebrew and English)",
    )
    score.add_argument(
        "--refusal", metavar="MODULE:FUNCTION", help="a function that says whether an output declines"
    )
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Write prompts, score outputs, or check records."""
    from beirkit.attribution import Keys
    from beirkit.configs.load import convert
    from beirkit.corpora.errors import UsageError

    keys = convert(key_values(args.keys), Keys, path="--key") if args.keys else Keys()
    if args.outputs is not None and args.task != "score":
        raise UsageError(f"{args.task} takes one file", hint="outputs are for: beirkit attribution score")
    if args.template is not None and args.task != "prompts":
        raise UsageError("--template is for: beirkit attribution prompts")
    if args.task == "prompts":
        return _prompts(args, keys)
    return _score(args, keys) if args.task == "score" else _check(args)


def _prompts(args: argparse.Namespace, keys: Keys) -> int:
    from beirkit.attribution import read_sources, write_prompts
    from beirkit.cli.output import print_json
    from beirkit.corpora.errors import DataError, UsageError
    from beirkit.evaluate.attribution.prompts import PromptTemplate

    if args.out is None:
        raise UsageError("prompts need a file to write to", hint="add --out prompts.jsonl")
    template = PromptTemplate()
    if args.template is not None:
        try:
            template = PromptTemplate(args.template.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise DataError("is not UTF-8", path=args.template, hint="save it as UTF-8") from error
    count = write_prompts(args.out, read_sources(args.records, keys), template)
    if args.json:
        print_json({"path": str(args.out), "prompts": count, "template_sha256": template.sha256})
    elif not args.quiet:
        print(f"{count:,} prompts in {args.out}, template {template.sha256[:12]}")
    return 0


def _score(args: argparse.Namespace, keys: Keys) -> int:
    import msgspec

    from beirkit.attribution import read_outputs, read_sources, score_outputs, write_scores
    from beirkit.cli.output import print_json
    from beirkit.configs.load import convert
    from beirkit.evaluate.attribution.rules import AttributionRules
    from beirkit.results import library_versions

    settings: dict[str, Any] = dict(key_values(args.rules))
    rules = convert(settings, AttributionRules, path="--set") if settings else AttributionRules()
    outputs = None
    if args.outputs is not None:
        known = [record.id for record in read_sources(args.records, keys)]
        outputs = read_outputs(args.outputs, known, keys)
    result = score_outputs(
        read_sources(args.records, keys),
        outputs,
        rules=rules,
        refusals=_refusals(args),
        path=args.outputs or args.records,
    )
    if args.out is not None:
        write_scores(args.out, result.records)
    if args.json:
        data: dict[str, Any] = msgspec.to_builtins(result.summary)
        ratings = msgspec.to_builtins(result.ratings) if result.ratings else None
        versions = library_versions(["beirkit", "rapidfuzz"])
        told = {"refusals": result.refusals, "human_ratings": ratings, "versions": versions}
        print_json({**data, **told})
    else:
        _print(result)
        if args.out is not None and not args.quiet:
            print(f"beirkit: every quote with its place: {args.out}", file=sys.stderr)
    return 0


def _refusals(args: argparse.Namespace) -> Refusals:
    from beirkit.attribution import Refusals
    from beirkit.corpora.errors import UsageError

    if args.refusal_patterns is not None and args.refusal is not None:
        raise UsageError("--refusal-patterns and --refusal are two ways to say one thing", hint="give one")
    if args.refusal_patterns is not None:
        return Refusals.from_file(args.refusal_patterns)
    return Refusals.from_callable(args.refusal) if args.refusal is not None else Refusals.default()


def _check(args: argparse.Namespace) -> int:
    from beirkit.cli.output import print_json
    from beirkit.converters.reading.asmachta_rules import check_records

    problems = list(check_records(args.records))
    if args.json:
        print_json([{"path": str(args.records), "line": one.line, "found": one.found} for one in problems])
    else:
        for one in problems:
            print(f"{args.records}:{one.line}: {one.found}")
        if not problems and not args.quiet:
            print(f"{args.records}: every record is as the card says")
    return 1 if problems else 0


def _print(result: AttributionResult) -> None:
    from beirkit.cli.output import print_table

    summary = result.summary
    rows = [_row("all answerable", summary.overall)]
    rows += [_row(f"genre {name}", rates) for name, rates in summary.genres.items()]
    rows += [_row(f"difficulty {name}", rates) for name, rates in summary.difficulties.items()]
    columns = ["", "records", "verified quotes, strict", "verified quotes, parsed", "format compliance"]
    print_table("Quotes that stand in the source", columns, rows)
    _print_quotes(summary)
    _print_abstention(summary.abstention, result.refusals)
    if result.ratings is not None:
        rows = [
            [
                name,
                f"{one.records}",
                f"{one.mean:.2f}",
                _plain(one.spread),
                _plain(one.same),
                _plain(one.alpha),
            ]
            for name, one in result.ratings.dimensions.items()
        ]
        columns = ["", "records", "mean", "deviation", "same score", "alpha"]
        print_table("Human ratings (indicative, no ground truth)", columns, rows)


def _print_quotes(summary: AttributionSummary) -> None:
    tiers = [f"{tier} {count} ({summary.tier_shares[tier]:.0%})" for tier, count in summary.quotes.items()
             if summary.tier_shares]  # fmt: skip
    print(f"quotes: {', '.join(tiers) or 'none'}")
    for what, counts in (("warnings", summary.warnings), ("departures from the form", summary.deviations)):
        if counts:
            print(f"{what}: {', '.join(f'{name} {count}' for name, count in counts.items())}")
    print()


def _print_abstention(abstention: Abstention, rule: str) -> None:
    from beirkit.cli.output import print_table

    rows = [
        [name, *(str(count) for count in counts.values()), "–" if share is None else f"{share:.1%}"]
        for name, counts, share in (
            ("answerable", abstention.answerable, abstention.declined_answerable),
            ("unanswerable", abstention.unanswerable, abstention.declined_unanswerable),
        )
    ]
    columns = ["", *abstention.answerable, "share declined"]
    print_table(f"Abstention (refusals told by {rule})", columns, rows)


def _row(name: str, rates: Rates) -> list[str]:
    return [
        name,
        f"{rates.records:,}",
        _rate(rates.verified_quote_rate_strict, rates.strict_interval),
        _rate(rates.verified_quote_rate_parsed, rates.parsed_interval),
        _rate(rates.format_compliance, rates.compliance_interval),
    ]


def _rate(value: float | None, interval: Interval) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if interval is None else f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
