"""Tasks of the installed mteb, loaded by mteb itself: from this disk unless a download is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from beirkit.corpora.errors import DataError, MissingExtraError, UnknownNameError, UsageError, nearest
from beirkit.corpora.notices import warn


def load_task(name: str, subset: str, split: str, *, download: bool) -> tuple[Any, dict[str, Any]]:
    """A retrieval task and its data by split: ``corpus``, ``queries``, ``relevant_docs``, ``top_ranked``.

    Args:
        name: of the task.
        subset: which of its subsets, such as a language; empty: the only one.
        split: the split; empty: those that mteb evaluates.
        download: let mteb download what is not on this disk, which is told before.

    Raises:
        MissingExtraError: mteb is not installed.
        UnknownNameError: it has no such task, subset or split.
        UsageError: it is no retrieval task, a subset must be chosen, or the data is not on this disk.
        DataError: mteb cannot load the data though it may download it.
    """
    task = _task(name)
    subset = _subset(task, name, subset)
    if split:
        task.filter_eval_splits([split])
    facts = task.metadata
    repository = f"{facts.dataset['path']} at revision {facts.dataset['revision']}"
    if download:
        warn(f"mteb downloads what it lacks of {repository}; licence: {facts.license or 'not stated'}")
    try:
        with _offline(not download):
            task.filter_languages(None, hf_subsets=[subset]).load_data()
        if hasattr(task, "convert_v1_dataset_format_to_v2"):  # loaders of tasks from before mteb 2
            task.convert_v1_dataset_format_to_v2(num_proc=None)
    except Exception as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        if download:
            raise DataError(f"mteb cannot load {name}, {repository}: {reason}") from error
        found = f"mteb has {name} not on this disk, and nothing is downloaded without leave: {reason}"
        licence = f"licence: {facts.license or 'not stated'}"
        hint = f"--set download=true lets it download {repository}; {licence}"
        raise UsageError(found, hint=hint) from error
    splits: dict[str, Any] = task.dataset[subset]
    if split and split not in splits:
        raise UnknownNameError(f"mteb: {name} has no split {split!r}", hint=nearest(split, list(splits)))
    return task, splits


def _task(name: str) -> Any:
    try:
        import mteb  # pyright: ignore[reportMissingImports]  # no part of `all`
    except ModuleNotFoundError as error:
        raise MissingExtraError("format 'mteb'", "mteb") from error
    if not name:
        raise UsageError("mteb has many tasks", hint="name one: mteb:TASK, such as mteb:SciFact")
    try:
        task = mteb.get_task(name)
    except KeyError as error:
        hint = str(error.args[0]).removeprefix("KeyError: ")
        raise UnknownNameError(f"mteb {mteb.__version__} has no task {name!r}", hint=hint) from error
    if task.is_aggregate:
        parts = ", ".join(part.metadata.name for part in task.tasks)
        hint = f"convert each of them: {parts}"
        raise UsageError(f"mteb: {name} is the mean of {len(task.tasks)} tasks", hint=hint)
    if not hasattr(task, "ignore_identical_ids"):
        found = f"mteb: {name} is of the type {task.metadata.type}"
        raise UsageError(found, hint="only retrieval and reranking tasks have judgments of documents")
    return task


def _subset(task: Any, name: str, asked: str) -> str:
    subsets = list(task.hf_subsets)
    if asked in subsets:
        return asked
    if asked:
        raise UnknownNameError(f"mteb: {name} has no subset {asked!r}", hint=nearest(asked, subsets))
    if len(subsets) > 1:
        found = f"mteb: {name} has {len(subsets)} subsets: {', '.join(subsets[:12])}"
        raise UsageError(found, hint=f"name one: --set subset={subsets[0]}")
    return str(subsets[0])


@contextmanager
def _offline(wanted: bool) -> Iterator[None]:
    """Inside, the libraries of the hub answer from their caches only.

    They take that from the environment when they are imported, which may have been long ago.
    """
    if not wanted:
        yield
        return
    import datasets
    from huggingface_hub import constants

    switches = [(constants, "HF_HUB_OFFLINE"), (datasets.config, "HF_HUB_OFFLINE")]
    before = [getattr(module, name) for module, name in switches]
    try:
        for module, name in switches:
            setattr(module, name, True)
        yield
    finally:
        for (module, name), value in zip(switches, before, strict=True):
            setattr(module, name, value)
