"""Results that hold the benchmark itself: beirkit's own diagnostic, named ``leaks/1``."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Literal

from beirkit.corpora.provider_results import Result
from beirkit.corpora.supporting import Task
from beirkit.corpora.urls import document_url
from beirkit.evaluate.answer_cues import AnswerCues, folded, words_of

NAME = "leaks/1"

Reason = Literal["data-set host", "question and answer", "question and row number"]

# Matched against the canonical address in lower case. They are places where copies of SimpleQA are published.
HOSTS = (
    r"huggingface\.co/datasets/.*simple[-_]?qa",
    r"kaggle\.com/(?:benchmarks|datasets|c|competitions)/.*simple[-_]?qa",
    r"raw\.githubusercontent\.com/.*simple[-_]?(?:qa|evals).*\.(?:csv|jsonl?|parquet)",
    r"github\.com/.*simple[-_]?(?:qa|evals).*\.(?:csv|jsonl?|parquet)",
    r"openaipublic\.blob\.core\.windows\.net/simple-evals/",
)
_HOST = re.compile("|".join(HOSTS))

RULES = (
    "the address is that of a data set with the benchmark",
    "the text holds the question's words in a row and a cue of the answer beside them",
    "the text holds the row's original_index and then the question's words in a row",
)


def definition_sha256() -> str:
    """SHA-256 of the rules and patterns."""
    return hashlib.sha256(json.dumps([NAME, RULES, HOSTS]).encode()).hexdigest()


def leak(task: Task, cues: AnswerCues, result: Result) -> Reason | None:
    """Why a result is taken for a copy of the benchmark; None: it is not.

    The answer is looked for in the text without the question, which may hold it itself.
    """
    if _HOST.match(document_url(result.url).canonical.lower()):
        return "data-set host"
    question, text = words_of(task.query), words_of(result.shown)
    if not question or question not in text:
        return None
    index = task.source("original_index")
    if index is not None and f" {index}{question}" in text:
        return "question and row number"
    return "question and answer" if cues.find(_without(result.shown, task.query)) else None


def _without(text: str, question: str) -> str:
    """A text without the question, whatever stands between its words."""
    words = words_of(question).split()
    pattern = r"[\W_]+".join(map(re.escape, words))
    return re.sub(pattern, " ", folded(text))
