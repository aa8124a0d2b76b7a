"""Which submitted results are of one system, and which are one result twice."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from beirkit.boards.submissions import Tested
from beirkit.evaluate.site.model import Refused
from beirkit.stored import StoredResult, system_of

# What a run resolves from the facts of each dataset: its language, its instruction.
_RESOLVED = {"analyzer", "instruction", "prompts", "seed"}


def once(results: Sequence[Tested], refused: list[Refused]) -> list[Tested]:
    """The results without those that are there a second time, file for file."""
    seen: dict[tuple[Any, ...], str] = {}
    kept = []
    for one in results:
        scores = sorted(one.result.folder.glob("scores.*.jsonl"))
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in scores)).hexdigest()
        facts = one.result.facts
        key = (facts.dataset, facts.split, str(sorted(facts.content_ids.items())), one.result.seeded, digest)
        first = seen.setdefault(key, one.source)
        if first == one.source:
            kept.append(one)
        else:
            refused.append(Refused(one.source, f"is the same result as {first}, which is shown"))
    return kept


def named(results: Sequence[Tested]) -> list[tuple[str, Tested]]:
    """Each result with the name of its system.

    They are told apart as ``beirkit compare`` does, but for one thing: what a retriever takes from the facts
    of each dataset, such as the language of ``bm25-multilingual``, does not make several systems of it.
    """
    stored = [one.result for one in results]
    names = system_of(stored)
    groups: dict[tuple[Path, str], list[int]] = defaultdict(list)
    for place, one in enumerate(stored):
        if names[place].endswith(f"--{one.configuration[:6]}"):
            groups[one.folder.parent.parent, names[place].rpartition("--")[0]].append(place)
    for (_, name), places in groups.items():
        if name not in names and _resolved_alike([stored[place] for place in places]):
            for place in places:
                names[place] = name
    return list(zip(names, results, strict=True))


def _resolved_alike(results: Sequence[StoredResult]) -> bool:
    """Whether configurations differ in what is resolved for a dataset only, and not within one language."""
    rest = {json.dumps([_rest(one.facts.retriever), one.facts.stage, one.facts.k]) for one in results}
    analyzers: dict[str, set[str]] = defaultdict(set)
    for one in results:
        analyzer = one.facts.retriever.get("analyzer")
        language = str(analyzer.get("language")) if isinstance(analyzer, dict) else ""
        analyzers[language].add(json.dumps(analyzer, sort_keys=True))
    datasets = {(one.facts.dataset, one.facts.split) for one in results}
    return (
        len(datasets) == len(results)
        and len(rest) == 1
        and all(len(found) == 1 for found in analyzers.values())
    )


def _rest(facts: Any) -> Any:
    if isinstance(facts, dict):
        return {key: _rest(value) for key, value in sorted(facts.items()) if key not in _RESOLVED}
    return [_rest(one) for one in facts] if isinstance(facts, list) else facts
