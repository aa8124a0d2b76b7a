"""What the installed mteb says of its tasks, boards and models; loading it takes seconds."""

from __future__ import annotations

from typing import Any

from beirkit.corpora.errors import MissingExtraError
from beirkit.evaluate.exports.mteb_facts import MtebFacts, Size, TaskFacts, installed_version

_RETRIEVAL = {"Retrieval", "InstructionRetrieval", "Reranking", "InstructionReranking"}


def facts_of_installed() -> MtebFacts:
    """Everything, read from the package; nothing is downloaded.

    Raises:
        MissingExtraError: mteb is not installed.
    """
    try:
        import mteb  # pyright: ignore[reportMissingImports]  # no part of `all`
    except ImportError as error:
        raise MissingExtraError("a table of MTEB's tasks", "mteb") from error
    tasks = mteb.get_tasks(exclude_superseded=False, exclude_private=False)
    return MtebFacts(
        mteb=installed_version(),
        tasks={task.metadata.name: _task(task) for task in tasks},
        boards={
            board.name: tuple(sorted({task.metadata.name for task in board.tasks}))
            for board in mteb.get_benchmarks()
        },
        models={meta.name: meta.revision or "" for meta in mteb.get_model_metas() if meta.name},
    )


def _task(task: Any) -> TaskFacts:
    about = task.metadata
    retrieval = about.type in _RETRIEVAL and "text" in about.modalities
    parts = tuple(sorted(part.metadata.name for part in getattr(task, "tasks", ())))
    subsets = {name: tuple(codes) for name, codes in about.hf_subsets_to_langscripts.items()}
    path = "" if parts else str(about.dataset.get("path") or "")
    return TaskFacts(
        type=about.type,
        path=path,
        revision=str(about.revision),
        main_score=about.main_score,
        splits=tuple(about.eval_splits),
        subsets=subsets if retrieval else {},
        remove_self=bool(getattr(task, "ignore_identical_ids", False)),
        parts=parts,
        sizes=_sizes(about.descriptive_stats or {}, list(subsets)) if retrieval else {},
        superseded_by=str(task.superseded_by or "") if hasattr(task, "superseded_by") else "",
    )


def _sizes(statistics: dict[str, Any], subsets: list[str]) -> dict[str, dict[str, Size]]:
    found = {}
    for split, told in statistics.items():
        parts = {subsets[0]: told} if len(subsets) == 1 else told.get("hf_subset_descriptive_stats") or {}
        sizes = {name: _size(part) for name, part in parts.items() if name in subsets}
        known = {name: size for name, size in sizes.items() if size is not None}
        if known:
            found[split] = known
    return found


def _size(told: dict[str, Any]) -> Size | None:
    try:
        return Size(
            told.get("num_documents"),
            told["documents_text_statistics"]["total_text_length"],
            told.get("num_queries"),
            told["queries_text_statistics"]["total_text_length"],
            told["relevant_docs_statistics"]["num_relevant_docs"],
        )
    except (KeyError, TypeError):  # a form without these, or no texts
        return None
