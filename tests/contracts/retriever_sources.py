"""What retrievers of the contracts search, and what some need to begin: files, models, a service."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from beirkit.configs.schema import RetrieverConfig
from beirkit.corpora.records import Document, Query
from beirkit.corpora.run_files import write_run
from beirkit.retrievers.catalog import create
from tests.retrievers.outside.local_service import LocalService

Options = dict[str, Any]

FIXTURES = Path(__file__).parent.parent / "fixtures"

DOCUMENTS = [
    Document("d10", "Barn owls", "Barn owls hunt voles at night."),
    Document("d2", "", "The kestrel hovers before it strikes."),
    Document("d1", "Owls", ""),
    Document("D3", "Falcons", "Peregrine falcons strike other birds in the air."),
    Document("é4", "", ""),
    Document("z", "Voles", "Voles are eaten by owls, kestrels and foxes; owls eat most of them."),
]
QUERIES = [
    Query("q2", "What do owls hunt?"),
    Query("q10", "kestrel strikes"),
    Query("q1", "zyxwv"),
    Query("é", "birds eaten by falcons"),
]


def search_file(folder: Path) -> Options:
    """A search class of a user's own; what imports beir is no module of these tests."""
    file = folder / "word_overlap.py"
    file.write_bytes((FIXTURES / "beir_search" / "word_overlap.txt").read_bytes())
    return {"class": f"{file}:WordOverlap", "score_function": "cos_sim"}


def rerank_file(folder: Path) -> Options:
    """A function of a user's own that counts the words a text shares with the query."""
    file = folder / "count_words.py"
    file.write_text(
        "def score(query, texts):\n"
        "    words = set(query.lower().split())\n"
        "    return [float(sum(word in words for word in text.lower().split())) for text in texts]\n",
        encoding="utf-8",
    )
    return {"retriever": "bm25", "model": f"{file}:score", "depth": 3}


def mteb_model(folder: Path) -> Options:
    """A search model of a user's own."""
    file = folder / "mteb_overlap.py"
    file.write_bytes((FIXTURES / "mteb_search" / "word_overlap.txt").read_bytes())
    return {"model": f"{file}:WordOverlap"}


def run_file(folder: Path) -> Options:
    """What BM25 finds among the documents of these tests."""
    bm25 = create(RetrieverConfig(name="bm25", kind="bm25"))
    bm25.index(DOCUMENTS)
    write_run(bm25.search(QUERIES, 100), folder / "bm25.jsonl")
    return {"path": str(folder / "bm25.jsonl")}


def service(folder: Path) -> Options:
    """A service that has the documents of these tests; it lives as long as the process."""
    service = LocalService(DOCUMENTS)
    return {"url": f"{service.url}?query={{query}}&k={{k}}", "results": "found.items", "id": "doc.id"}


def vectors(folder: Path) -> Options:
    """Files of vectors in which a word of the documents and queries of these tests is a term of weight 1."""
    places = {}
    texts = {
        "documents": {d.doc_id: f"{d.title} {d.text}" for d in DOCUMENTS},
        "queries": {query.query_id: query.text for query in QUERIES},
    }
    for name, rows in texts.items():
        vectors = {key: dict.fromkeys(re.findall(r"\w+", text.lower()), 1) for key, text in rows.items()}
        lines = (json.dumps({"id": key, "vector": vector}) + "\n" for key, vector in vectors.items())
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
        places[name] = str(folder / f"{name}.jsonl")
    return places
