"""How results come into MTEB's results repository: files, place, pull request, and what else it asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from beirkit.evaluate.exports.base import Step
from beirkit.evaluate.exports.mteb_facts import MtebFacts
from beirkit.evaluate.exports.mteb_tree import META, ModelFolder, model_folders
from beirkit.evaluate.exports.strict_json import strict_json
from beirkit.evaluate.exports.submission import Submitted, find_submission

REPOSITORY = "https://github.com/embeddings-benchmark/results"


def steps_for(path: Path, facts: MtebFacts) -> list[Step]:
    """Everything to do with a valid folder of results, in order."""
    found: list[Step] = []
    submission = find_submission(path)
    folders = [folder for folder in model_folders(path) if folder.files]
    for folder in folders:
        folder.meta = strict_json((folder.path / META).read_bytes())
        found.append(_implementation(folder.meta, facts))
    if submission is not None:
        found += _data(submission.results)
    found.append(Step(what=f"Fork and clone {REPOSITORY}."))
    title = "Add results"
    for folder in folders:
        name, revision = folder.meta["name"], folder.meta["revision"]
        goal = f"results/{name.replace('/', '__').replace(' ', '_')}/{revision}/"
        files = sorted([*(Path(file).name for file in folder.files.values()), META, "run_settings.jsonl"])
        source = f"{path}/{folder.name}" if folder.name else str(path)
        listed = ", ".join(file for file in files if (folder.path / file).is_file())
        found.append(
            Step(
                what=f"Copy from {source}/ to {goal}: {listed}.",
                why="Where the repository has a file already, no split, subset or language may go from it.",
            )
        )
        title = _title(folder, len(folders))
        found += _coverage(folder, facts)
    found += [
        Step(what="Leave export.json and predictions/ out of it.", why="They are for your own records."),
        Step(what=f"Open a pull request with the title: {title}"),
        Step(
            what="Tick its checklist: a model sheet, an implementation in mteb, results obtained with it, a "
            "public model, and what it was trained on.",
            why="These scores were computed by beirkit from its own run; say so, or run mteb once more.",
        ),
    ]
    return found


def _implementation(meta: Mapping[str, object], facts: MtebFacts) -> Step:
    name, revision = str(meta["name"]), meta["revision"]
    why = "The repository takes results of models that mteb implements; a model card alone is not enough."
    if name not in facts.models:
        return Step(
            what=f"Add {name} to mteb (mteb/models/model_implementations) by a pull request of its own.",
            done=False,
            why=f"{why} mteb {facts.mteb} does not implement it.",
        )
    implemented = facts.models[name]
    if implemented not in ("", revision):
        return Step(
            what=f"Have mteb implement {name} at revision {revision}, or run {implemented}.",
            done=False,
            why=f"{why} mteb {facts.mteb} implements it at {implemented}.",
        )
    return Step(what=f"Have {name} implemented in mteb.", done=True, why=why)


def _data(results: Sequence[Submitted]) -> list[Step]:
    """One step for all data, each named once: a task may have many languages, searched by many systems."""
    told = dict.fromkeys(
        f"{one.dataset}@{one.split} ({one.content_ids.get('corpus', 'unknown')[:12]})" for one in results
    )
    if not told:
        return []
    whose = "the task's data" if len(told) == 1 else "the tasks' data"
    return [
        Step(
            what=f"Be sure that {', '.join(told)} {'is' if len(told) == 1 else 'are'} {whose}.",
            why="In brackets is the content id of the corpus. Records and characters were compared with "
            "mteb's statistics where it has them; only data fetched from the task's repository at its "
            "revision prove it.",
        )
    ]


def _coverage(folder: ModelFolder, facts: MtebFacts) -> list[Step]:
    """What share of each board the files are; a board shows a mean of models with all its tasks only."""
    have = set(folder.files)
    rows = []
    for board, tasks in facts.boards.items():
        inside = have.intersection(tasks)
        if inside:
            rows.append((len(inside) / len(tasks), board, len(inside), len(tasks)))
    rows.sort(key=lambda row: (-row[0], row[1]))
    return [
        Step(
            what=f"{board}: {there} of the board's {all_of} tasks.",
            done=True if there == all_of else None,
            why="" if there == all_of else "It shows a mean only where every task is there.",
        )
        for _, board, there, all_of in rows[:5]
    ]


def _title(folder: ModelFolder, models: int) -> str:
    tasks = sorted(folder.files)
    what = tasks[0] if len(tasks) == 1 else f"{len(tasks)} tasks"
    whom = folder.meta["name"] if models == 1 else f"{models} models"
    return f"Add results of {whom} on {what}"
