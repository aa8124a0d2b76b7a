"""A stand-in for mteb with one small task of invented records: no contract needs mteb or a network."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

DOCUMENTS = [
    {"id": "t1", "title": "Tides", "text": "The moon pulls – twice a day.", "year": 1898},
    {"id": "t2", "title": None, "text": "Neap tides are low."},
    {"id": "t 3", "title": "", "text": ""},
]
QUERIES = [
    {"id": "b", "text": "what pulls the sea", "instruction": "Only causes."},
    {"id": "a", "text": "low tides"},
]
JUDGED = {"b": {"t2": 0, "t1": 2}, "a": {"t2": 1}}
RANKED = {"a": ["t2", "t1"]}


class Task:
    """What the converter asks of a task of mteb."""

    is_aggregate = False
    ignore_identical_ids = False
    hf_subsets: tuple[str, ...] = ("default",)

    def __init__(self) -> None:
        self.metadata = SimpleNamespace(
            name="TideRetrieval",
            type="Retrieval",
            dataset={"path": "someone/tides", "revision": "0123456789" * 4},
            license="cc-by-4.0",
            bibtex_citation="@misc{tides}",
            prompt={"query": "Given a question about the sea, retrieve what answers it"},
        )

    def filter_eval_splits(self, splits: list[str]) -> None:
        self.splits = splits

    def filter_languages(self, languages: None, *, hf_subsets: list[str]) -> Task:
        assert hf_subsets == ["default"]
        return self

    def load_data(self) -> None:
        self.dataset: dict[str, Any] = {
            "default": {
                "test": {
                    "corpus": DOCUMENTS,
                    "queries": QUERIES,
                    "relevant_docs": JUDGED,
                    "top_ranked": RANKED,
                }
            }
        }

    def convert_v1_dataset_format_to_v2(self, num_proc: None) -> None:
        """Nothing: the data has the second form."""


def module() -> ModuleType:
    """A module ``mteb`` with that task alone."""
    found: Any = ModuleType("mteb")
    found.__version__ = "2.0"

    def get_task(name: str) -> Task:
        if name != "TideRetrieval":
            raise KeyError(f"KeyError: '{name}' not found")
        return Task()

    found.get_task = get_task
    return found  # type: ignore[no-any-return]  # it was made a module above
