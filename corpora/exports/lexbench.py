"""A release of LexBench-SimpleQA-Verified, in the files that its dataset card describes."""

from __future__ import annotations

import io
import re
import tarfile
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from beirkit.corpora.equivalence import EquivalenceRule
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.exports.base import Facts, FolderExport, Records
from beirkit.corpora.exports.lexbench_notices import CARD, LICENCE, MIT, THIRD_PARTY
from beirkit.corpora.files import atomic_open, sha256_file
from beirkit.corpora.supporting import Task, policy_of, policy_record, task_of
from beirkit.corpora.url_forms import RULES
from beirkit.corpora.urls import UrlPolicy

GROUP = "factual-v1"
BINDING = {"family": "web", "category": "factual", "language": "en"}

_COMMIT = re.compile(r"[0-9a-f]{40}")
_VIEWER = ("id", "input", "family", "language", "task")


class LexbenchOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of :class:`LexbenchRelease`."""

    csv_revision: str = ""
    source_commit: str = ""


class LexbenchRelease(FolderExport[LexbenchOptions]):
    """The release of LexBench-SimpleQA-Verified: viewer rows, definitions, their archive, manifest, notices.

    No rankings, no grades and no text of a page are in it. Reading it back with the format ``lexbench``
    gives the same queries and judgments. The fields are those that the dataset card fixes; how they are laid
    out inside ``definitions/`` and ``manifest.json``, and the policy of addresses, are beirkit's own.

    Options:
        csv_revision: full commit, 40 hex digits, of the publisher's CSV on the Hugging Face hub; by default
            that of the release which was read, else none is stated.
        source_commit: full commit, 40 hex digits, of the code that the release is made by.
    """

    name: ClassVar[str] = "lexbench"
    summary: ClassVar[str] = "a release of LexBench-SimpleQA-Verified, from a folder that its format made"
    Options: ClassVar[type[msgspec.Struct]] = LexbenchOptions

    def write(self, records: Records, folder: Path, facts: Facts, options: LexbenchOptions) -> None:
        """Write the files; see :class:`FolderExport`."""
        for name in ("csv_revision", "source_commit"):
            given = getattr(options, name)
            if given and not _COMMIT.fullmatch(given):
                raise ConfigError(f"{name} is {given!r}, not a full commit of 40 hex digits")
        for _ in records.documents():
            pass  # counted; a page's text is not the release's to give away
        tasks = [task_of(query) for query in records.queries()]
        judged = sum(1 for split in records.splits for _ in records.judgments(split))
        told = records.provenance.options
        policy = policy_of(told)
        contract = _contract(tasks, judged, told.get("source") or {}, options)
        files = {f"data/{GROUP}.jsonl": b"".join(_line(_viewer_row(task)) for task in tasks)}
        files["definitions/datasets/factual-v1.json"] = _document(_definitions(tasks, policy))
        files["definitions/factual-source.json"] = _document(contract)
        files["definitions.tar.gz"] = _archive(
            {name: data for name, data in files.items() if name.startswith("definitions/")}
        )
        files["README.md"] = CARD.format(tasks=len(tasks)).encode()
        files["THIRD_PARTY.md"] = THIRD_PARTY.encode()
        files["LICENSE"] = LICENCE.encode()
        files["notices/openai-simpleqa-MIT.txt"] = MIT.format(holder="Copyright (c) 2024 OpenAI").encode()
        for name, data in files.items():
            with atomic_open(folder / name, "wb") as out:  # which compresses what ends in .gz
                out.write(data)
        listed = {
            name: {"bytes": (folder / name).stat().st_size, "sha256": sha256_file(folder / name)}
            for name in sorted(files)
        }
        with atomic_open(folder / "manifest.json", "wb") as out:
            out.write(_document({"source_commit": options.source_commit or None, "files": listed}))


def _viewer_row(task: Task) -> dict[str, Any]:
    text = msgspec.json.encode(_record(task)).decode()
    row = {"id": task.id, "input": task.query, **BINDING, "task": text}
    return {key: row[key] for key in _VIEWER}


def _record(task: Task) -> dict[str, Any]:
    return {**msgspec.to_builtins(task), **BINDING}


def _definitions(tasks: list[Task], policy: UrlPolicy) -> dict[str, Any]:
    rule = EquivalenceRule()
    copies = [copy for task in tasks for copy in task.equivalent_reference_provenance]
    methods = {str(copy["method"]) for copy in copies if "method" in copy}
    return {
        "name": GROUP,
        **BINDING,
        "source": "definitions/factual-source.json",
        "url_equivalence": {**policy_record(policy), "rules": list(RULES)},
        "reference_equivalence": {
            **msgspec.to_builtins(rule),
            "sha256": rule.sha256,
            "method": rule.method,
            "accepted_by": sorted(methods),  # another method than this rule's: other parameters were set
        },
        "tasks": [_record(task) for task in tasks],
    }


def _contract(
    tasks: list[Task], judged: int, known: dict[str, Any], options: LexbenchOptions
) -> dict[str, Any]:
    """What the release is made of, and what whoever makes it again must find."""
    expected = {
        "tasks": len(tasks),
        "reference_urls": sum(len(task.reference_urls) for task in tasks),
        "judged_references": judged,
        "ids_sha256": sha256("\n".join(task.id for task in tasks).encode()).hexdigest(),
    }
    return {
        "dataset": tasks[0].source("dataset") if tasks else None,
        "csv_revision": options.csv_revision or known.get("csv_revision"),
        "csv_sha256": (tasks[0].source("sha256") if tasks else None) or known.get("csv_sha256"),
        "selection": known.get("selection"),
        "order": "the publisher's",
        "ids": "prefix and original_index",
        "reference_urls": known.get("reference_urls"),
        "left_out": ["multi_step", "requires_reasoning"],
        "expected": expected,
    }


def _archive(files: dict[str, bytes]) -> bytes:
    """A tar of files without times and owners, so equal files give equal bytes."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(data), 0o644
            tar.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def _line(row: dict[str, Any]) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def _document(value: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
