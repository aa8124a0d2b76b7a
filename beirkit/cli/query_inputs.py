"""From what a command is given to queries that can be looked at: for ``beirkit show`` and the report."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beirkit.cli.compare_inputs import Contest
    from beirkit.corpora.records import Document
    from beirkit.evaluate.measures import Measure
    from beirkit.evaluate.report.model import Text
    from beirkit.query_views import Answers


@dataclass(frozen=True)
class Found:
    """Systems on one dataset with what is at hand of it.

    Attributes:
        answers: scores, runs, judgments and texts of queries.
        documents: the corpus; None: it is not here.
        lacking: why judgments or texts are not here; empty: they are.
    """

    answers: Answers
    documents: Iterable[Document] | None
    lacking: str = ""

    def texts(self, wanted: Collection[str], *, whole: bool = False) -> dict[str, Text]:
        """Some documents, or their beginnings."""
        from beirkit.query_views import texts_of

        return {} if self.documents is None else texts_of(self.documents, wanted, whole=whole)


def with_compare_defaults(args: argparse.Namespace) -> argparse.Namespace:
    """The same arguments, with defaults for those that only ``beirkit compare`` has."""
    from beirkit.cli import compare

    parser = argparse.ArgumentParser()
    compare.add_arguments(parser)
    defaults = parser.parse_args([])
    return argparse.Namespace(**{**vars(defaults), **vars(args)})


def expanded(paths: Sequence[Path]) -> list[Path]:
    """The same paths, but for a folder of many results its results."""
    from beirkit.result_paths import find_results
    from beirkit.runs import result_folder

    found = []
    for path in paths:
        many = path.is_dir() and result_folder(path) is None
        found += [one.folder for one in find_results([path])] if many else [path]
    return list(dict.fromkeys(found))


def find_answers(
    args: argparse.Namespace, contest: Contest, measure: Measure, *, texts: bool = True
) -> Found:
    """What can be shown of a dataset's queries.

    Where the dataset is not here, or has changed, there are ranked lists and values without texts.

    Args:
        args: as :func:`with_compare_defaults` makes them.
        contest: the systems.
        measure: whose values are shown.
        texts: whether texts are wanted; judgments are looked for all the same.

    Raises:
        BeirkitError: runs or judgments cannot be read.
    """
    from beirkit.cli.compare_detail_tables import Systems
    from beirkit.cli.compare_stored import runs_of
    from beirkit.cli.compare_tables import Style
    from beirkit.corpora.errors import BeirkitError
    from beirkit.query_views import Answers

    these = Systems(args, contest, next(iter(contest.scores)), Style(4))
    own = these.own
    try:
        exam, folder = these.exam, these.folder
    except BeirkitError as error:
        return Found(Answers(contest.scores, measure, runs_of(contest), own, {}, {}), None, error.found)
    answers = Answers(contest.scores, measure, exam.runs, own, exam.qrels, exam.queries if texts else {})
    documents = folder.documents() if folder is not None and texts else None
    return Found(answers, documents)
