"""The datasets of a suite, found; what a named suite lacks is told and leaves its mean without a value."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from beirkit.configs.schema import SuiteConfig
from beirkit.configs.suites import SuiteNode, require_one_kind, suite_tree
from beirkit.corpora.progress import Progress, silent
from beirkit.datasets import Dataset, NotBuiltError, apart, find_dataset
from beirkit.facts import config_named

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Members:
    """A suite and its datasets.

    Attributes:
        tree: the suite; its leaves are the names that results are filed under.
        datasets: those that are there, in the suite's order, each once.
        tasks: what kind of retrieval each leaf is, also of what is not there; of some it is not known.
        families: of datasets that training is declared by, alike.
    """

    tree: SuiteNode
    datasets: tuple[Dataset, ...]
    tasks: Mapping[str, str]
    families: Mapping[str, str]


def find_members(suite: SuiteConfig, *, named: bool = True, progress: Progress = silent) -> Members:
    """Every dataset of a suite.

    Args:
        suite: what names them.
        named: whether the suite is one that people know; datasets that were only named side by side have no
            mean, and each must be there.
        progress: shows how builds get on.

    Raises:
        UnknownNameError: a name is neither a dataset nor a folder.
        NotBuiltError: a dataset that was named by itself, or every member of a suite, is not built.
    """
    tree = suite_tree(suite)
    if not named:
        tree = SuiteNode("", tree.members)
    found: dict[str, Dataset] = {}
    lacking: dict[str, NotBuiltError] = {}
    for text in tree.leaves():
        try:
            found[text] = find_dataset(text, progress=progress)
        except NotBuiltError as error:
            if not named and text in tree.members:
                raise
            lacking[text] = error
    if lacking and not found:
        raise next(iter(lacking.values()))
    for reason in lacking.values():
        _log.warning("%s", reason)
    kinds = {text: dataset.config.judgment_kind for text, dataset in found.items() if dataset.config}
    require_one_kind(tree, kinds)
    datasets = apart(list(found.values()), {reason.dataset for reason in lacking.values()})
    by_folder = {dataset.folder.resolve(): dataset.name for dataset in datasets}
    labels = {text: by_folder[dataset.folder.resolve()] for text, dataset in found.items()}
    labels |= {text: reason.dataset for text, reason in lacking.items()}
    facts = {labels[text]: dataset.config for text, dataset in found.items() if dataset.config}
    facts |= {labels[text]: config for text in lacking if (config := config_named(text)) is not None}
    tasks = {label: config.task for label, config in facts.items()}
    families = {label: config.family for label, config in facts.items()}
    return Members(tree.renamed(labels), tuple(datasets), tasks, families)
