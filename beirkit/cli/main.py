"""The entry point: finds the command, runs it, and turns errors into one message and an exit code.

Exit codes: 0 done, 1 a check found something, 2 wrong use or bad input, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import io
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from beirkit import __version__
from beirkit.cli.arguments import Parser, expand_lists, global_options_last
from beirkit.cli.pipes import drop_output, outlive_reader
from beirkit.cli.visible import one_line, print_visibly
from beirkit.corpora.errors import BeirkitError, UsageError

# command: (module, what it does); a module is imported only when its command is asked for
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "convert the standard library's documentation, run three retrievers, print the table"),
    "list": (
        "listing",
        "what there is: datasets, formats, retrievers, measures, suites, protocols, exports, imports",
    ),
    "fetch": ("fetch", "bring a published form of a dataset and make its BEIR folder"),
    "convert": ("convert", "turn a benchmark's source files into a BEIR folder"),
    "check": ("check", "find what is wrong with a BEIR folder"),
    "stats": ("stats", "counts, lengths and content ids of a BEIR folder; terms and postings of an index"),
    "qrels": ("qrels", "look at, choose, compare and export relevance judgments"),
    "export": ("export", "write a BEIR folder, or results, in the form of another tool or a leaderboard"),
    "validate": ("validate", "find what is wrong with the files of a submission, before they are uploaded"),
    "import": (
        "importing",
        "bring results of other tools into a folder of results: lists are scored, means kept",
    ),
    "replay": (
        "replay",
        "score the results of a capsule again, and search again where data and models are here",
    ),
    "submit": ("submit", "print the steps of a submission to a leaderboard; nothing is uploaded"),
    "run": ("run", "run retrievers on datasets and score them"),
    "score": ("score", "score a run file against judgments"),
    "compare": ("compare", "compare run files: differences, intervals, p-values"),
    "encode": ("encode", "write the vectors that a dense or sparse retriever makes of a dataset's texts"),
    "fuse": ("fuse", "make one run of several: reciprocal ranks, normalised scores, weighted sums"),
    "verify": ("verify", "hold results to published figures: OK, near or FAIL"),
    "show": ("show", "one query: its text, what is relevant, what each system returned and why"),
    "leaderboard": (
        "leaderboard",
        "a static site over many results: ranks, intervals, filters, a page for each system",
    ),
    "report": ("report", "write results as one HTML page: verdict, leaderboard, costs, queries, sources"),
    "explain": ("explain", "why a number is another one: every known cause tried, the best first"),
    "pool": ("pool", "have unjudged results of several runs judged, and take the judgments back"),
    "spans": (
        "spans",
        "how much of the spans that answer the queries was retrieved, however documents are cut",
    ),
    "answers": ("answers", "exact match and F1 of a system's answers, by SQuAD's rules"),
    "attribution": ("attribution", "whether the quotes in a model's answers stand in their sources"),
    "overlap": ("overlap", "find test queries and documents in training data, and score without them"),
    "cite": ("cite", "papers and licences of every dataset, model and tool behind a result"),
    "collect": ("collect", "ask a search tool every question of a dataset and store what it returns"),
    "equivalents": ("equivalents", "find verified copies of reference pages among captured pages"),
    "providers": ("providers", "score search tools by the supporting pages and answers they return"),
    "analyze": ("analyze", "show what a lexical retriever makes of a text, step by step"),
    "cache": ("cache", "list what the store keeps, and remove what is not used any more"),
    "warmup": ("warmup", "compile what searches use, so that none of them waits for it"),
    "version": ("version", "versions of beirkit and of what it stands on"),
}


# Modules that tell which step of a long run has begun: worth a line to everybody who did not ask for quiet.
_STEPS = {"beirkit.datasets", "beirkit.experiment"}


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of every command, or of all names but only one command's options.

    Args:
        only: the command whose module to load; ``None`` loads all of them.
    """
    parser = Parser(
        prog="beirkit",
        description="Any benchmark in, BEIR files out; any retriever over them; scores that stand up.",
        epilog="beirkit COMMAND --help shows the options of a command. Start with: beirkit demo",
    )
    parser.add_argument("--version", action="version", version=f"beirkit {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module_name, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if only is None or only == name:
            module = importlib.import_module(f"beirkit.cli.{module_name}")
            module.add_arguments(command)
            _add_common(command)
            command.set_defaults(execute=module.execute)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments, ``None``: those of the process.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _never_fail_to_print()
    outlive_reader()
    print_visibly()
    words = global_options_last(words)
    debug = "--debug" in words
    try:
        args = build_parser(only=words[0] if words else "").parse_args(expand_lists(words))
        _set_up_logging(args)
        _require_text(words)
        with _ends_as_interrupted():
            code: int = args.execute(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        told = str(stop) or "nothing half-written is left, and what is finished is not done again"
        print(f"beirkit: interrupted; {told}", file=sys.stderr)
        return 130
    except (BeirkitError, OSError, MemoryError) as error:
        if debug:
            raise
        print(f"beirkit: error: {one_line(describe(error))}", file=sys.stderr)
        if isinstance(error, OSError):
            drop_output()
        return 2
    return code


@contextmanager
def _ends_as_interrupted() -> Iterator[None]:
    """Inside, a request to end (``kill``, a scheduler, a closed terminal) cleans up as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    own = os.getpid()

    def stop(number: int, frame: object) -> None:
        if os.getpid() != own:  # a forked worker, which is ended by whoever started it
            os._exit(128 + number)
        raise KeyboardInterrupt

    ends = [signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]  # nohup ignores the latter
    ends = [number for number in ends if signal.getsignal(number) is signal.SIG_DFL]
    for number in ends:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in ends:
            signal.signal(number, signal.SIG_DFL)


def _never_fail_to_print() -> None:
    """Where the output is not UTF-8, as in a pipe on Windows, escape what it lacks: no work is lost."""
    for stream in (sys.stdout, sys.stderr):
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").replace("_", "")
        if encoding != "utf8" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _require_text(words: Sequence[str]) -> None:
    """Refuse arguments that are no text in this locale; a path among them could stand in no file of results.

    Raises:
        UsageError: names the first such argument.
    """
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"{word!r} is no text in the encoding {sys.getfilesystemencoding()} of this system",
                hint="rename it, or choose a UTF-8 locale or set PYTHONUTF8=1",
            ) from None


def describe(error: BaseException) -> str:
    """One line for a person."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror is not None:  # no file of ours, so where we print
        return f"the output cannot be written: {error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory"
    return str(error)


def _add_common(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("common options")
    group.add_argument("-q", "--quiet", action="store_true", help="no progress and no remarks, only errors")
    group.add_argument("-v", "--verbose", action="store_true", help="say more about what is being done")
    group.add_argument("--debug", action="store_true", help="show the traceback of an error")


def _set_up_logging(args: argparse.Namespace) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter())
    least = logging.ERROR if args.quiet else logging.INFO if args.verbose else logging.WARNING
    handler.addFilter(lambda record: record.levelno >= least or (not args.quiet and record.name in _STEPS))
    logger = logging.getLogger("beirkit")
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        kind = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        return f"beirkit: {kind}{one_line(record.getMessage())}"
