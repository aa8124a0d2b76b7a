from __future__ import annotations

import bm25s
import numpy as np
import pytest
import Stemmer

from beirkit.configs.load import convert
from beirkit.configs.spec import parse_retriever
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.records import Document, Query
from beirkit.retrievers.catalog import create
from beirkit.retrievers.lexical import bm25s_package
from beirkit.retrievers.lexical.bm25s_package import Bm25sOptions
from tests.retrievers.lexical.corpora import random_documents

QUERIES = [Query("q1", "w1 w2 w3"), Query("q2", "w14 w14 w9"), Query("q3", "nothing"), Query("q4", "w11")]
VARIANTS = ["lucene", "robertson", "atire", "bm25l", "bm25+"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("k", [3, 100])
def test_the_kind_bm25_computes_the_same(variant: str, k: int) -> None:
    documents = random_documents(5)
    options = f"variant={variant},k1=1.2,b=0.6" + (",delta=0.7" if variant in ("bm25l", "bm25+") else "")
    theirs = create(parse_retriever(f"bm25s:{options}"))
    ours = create(parse_retriever(f"bm25-mteb:{options}"))
    for retriever in (theirs, ours):
        retriever.index(documents)
    found, expected = (retriever.search(QUERIES, k).to_dict() for retriever in (ours, theirs))
    assert any(expected.values())
    for query_id, scores in expected.items():
        assert found[query_id] == pytest.approx(scores, rel=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_are_the_packages_own(variant: str) -> None:
    documents = random_documents(6)
    retriever = create(parse_retriever(f"bm25s:variant={variant},stopwords=en,stemmer=english"))
    retriever.index(documents)
    found = retriever.search(QUERIES, 100).to_dict()
    model = bm25s.BM25(method=variant, k1=0.9, b=0.4, delta=0.5)
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{document.title} {document.text}".strip() for document in documents]
    model.index(bm25s.tokenize(texts, stemmer=stemmer, show_progress=False), show_progress=False)
    for query in QUERIES:
        (tokens,) = bm25s.tokenize(query.text, stemmer=stemmer, return_ids=False, show_progress=False)
        shared = [text for text in texts if set(text.split()) & set(query.text.split())]
        assert len(found[query.query_id]) == len(shared)
        if shared:
            scores = model.get_scores(tokens)
            for doc_id, score in found[query.query_id].items():
                assert np.float32(score) == scores[int(doc_id[1:])]


def test_its_tokenizer_is_recorded() -> None:
    facts = create(parse_retriever("bm25s:stopwords=[the, of],lower=false,pattern=\\S+")).identity()
    assert facts["bm25s"] == bm25s.__version__
    assert (facts["pattern"], facts["lower"], facts["stopwords"]) == (r"\S+", False, "list")
    assert facts["stopwords_sha256"]
    assert "delta" not in facts
    assert create(parse_retriever("bm25s:variant=bm25+")).identity()["delta"] == 0.5


def test_every_name_of_a_list_is_the_packages() -> None:
    for name in bm25s_package.STOPWORDS:
        assert bm25s.tokenization._infer_stopwords(name)
    with pytest.raises(ValueError, match="not recognized"):
        bm25s.tokenization._infer_stopwords("klingon")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stopwords": "englisch"}, "no list of stop words is called 'englisch'.*english"),
        ({"stemmer": "englisch"}, "no stemmer is called 'englisch'.*english"),
        ({"pattern": "("}, "is no regular expression"),
        ({"k1": 0}, "k1 is 0"),
        ({"b": 2}, "b is 2"),
        ({"delta": 1.0}, "has no delta"),
        ({"variant": "bm25l", "delta": -1}, "delta is -1"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        bm25s_package.Bm25sRetriever(convert(options, Bm25sOptions, path="options"))


def test_a_corpus_without_words() -> None:
    retriever = create(parse_retriever("bm25s"))
    retriever.index([Document("a", "", ""), Document("b", "", ".")])
    assert retriever.search([Query("q", "owl")], 3).to_dict() == {"q": {}}
