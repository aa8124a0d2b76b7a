"""Texts compared with each other: every pair that is told is one, and none that is there is missed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from beirkit.corpora import near as near_module
from beirkit.corpora.check import check_folder
from beirkit.corpora.deep_twins import ndcg_bound, recall_bound
from beirkit.corpora.findings import Finding
from beirkit.corpora.near import near_pairs
from beirkit.corpora.shingles import Shingler, jaccard

HEADER = "query-id\tcorpus-id\tscore\n"
TEXT = "the moon pulls the sea and the sea follows the moon around the turning earth every single day"


@pytest.fixture
def folder(folder: Path) -> Path:
    """The room's folder with every query judged in one split."""
    (folder / "qrels" / "dev.tsv").write_text(HEADER + "q3\td2\t1\n", encoding="utf-8")
    return folder


def deep(folder: Path) -> list[Finding]:
    return [finding for finding in check_folder(folder, deep=True) if finding.code >= "BK050"]


def add_documents(folder: Path, *texts: tuple[str, str]) -> None:
    with (folder / "corpus.jsonl").open("a", encoding="utf-8") as out:
        for doc_id, text in texts:
            out.write(f'{{"_id": "{doc_id}", "title": "", "text": "{text}"}}\n')


def add_queries(folder: Path, *texts: tuple[str, str]) -> None:
    with (folder / "queries.jsonl").open("a", encoding="utf-8") as out:
        for query_id, text in texts:
            out.write(f'{{"_id": "{query_id}", "text": "{text}"}}\n')


def judge(folder: Path, split: str, *lines: str) -> None:
    with (folder / "qrels" / f"{split}.tsv").open("a", encoding="utf-8") as out:
        out.writelines(line.replace(" ", "\t") + "\n" for line in lines)


def test_a_sound_folder_has_no_findings(folder: Path) -> None:
    assert check_folder(folder, deep=True) == []


def test_documents_with_the_same_text(folder: Path) -> None:
    add_documents(folder, ("d5", "short one"), ("d6", " Short  ONE"), ("d7", ""), ("d8", ""))
    [finding] = deep(folder)
    assert (finding.code, finding.path, finding.line) == ("BK050", "corpus.jsonl", 6)
    assert finding.found == "document 'd6' has the text of 'd5' on line 5"


def test_documents_that_are_nearly_the_same(folder: Path) -> None:
    changed = f"{TEXT} again"
    add_documents(folder, ("d5", TEXT), ("d6", changed), ("d7", TEXT.replace("moon", "sun")))
    [finding] = deep(folder)
    assert (finding.code, finding.line, finding.key) == ("BK051", 6, "d5\td6")
    assert finding.found == "document 'd6' is 93% the same as 'd5' on line 5"


def test_a_repeated_id_is_no_twin(folder: Path) -> None:
    add_documents(folder, ("d5", TEXT), ("d5", TEXT), ("d5", f"{TEXT} again"))
    assert deep(folder) == []


def test_unjudged_twins_of_relevant_documents(folder: Path) -> None:
    add_documents(folder, ("d5", TEXT), ("d6", TEXT.upper()), ("d7", f"{TEXT} again"), ("d8", TEXT))
    judge(folder, "test", "q1 d5 2", "q1 d8 0", "q2 d7 0")
    found = [finding for finding in deep(folder) if finding.code in ("BK052", "BK056")]
    assert [(finding.code, finding.line, finding.key) for finding in found] == [
        ("BK052", 5, "q1\td5\td6"),
        ("BK052", 5, "q1\td5\td7"),
        ("BK056", None, ""),
    ]
    assert found[0].found.endswith("'d6', not judged for query 'q1', is the same text as the relevant 'd5'")
    assert "is 93% the same as the relevant 'd5'" in found[1].found
    assert found[2].found.startswith("1 of 2 queries of split 'test' have unjudged twins")


@pytest.mark.parametrize(
    ("relevant", "twins", "fall", "rise"),
    [
        ([1], [1], 1 - 1 / 1.6309298, 1 / 1.6309298),
        ([2, 1], [2], 1 - (2 + 0.6309298) / (2 + 2 * 0.6309298 + 0.5), 2 / (2 + 2 * 0.6309298 + 0.5)),
        ([1] * 10, [1], 0.0, 1 / 4.5435594),
    ],
)
def test_bounds_of_ndcg(relevant: list[int], twins: list[int], fall: float, rise: float) -> None:
    assert ndcg_bound(relevant, twins) == pytest.approx((fall, rise))


def test_bounds_of_recall() -> None:
    assert recall_bound(3, 1) == pytest.approx((1 - 3 / 4, 1 / 4))
    assert recall_bound(200, 50) == pytest.approx((100 / 200 - 100 / 250, 50 / 250))


def test_no_run_goes_beyond_the_bounds() -> None:
    draw = random.Random(1)
    for _ in range(200):
        relevant = {f"r{n}": draw.randint(1, 3) for n in range(draw.randint(1, 12))}
        twins = {f"t{n}": draw.randint(1, 3) for n in range(draw.randint(1, 4))}
        ranking = [*relevant, *twins, *(f"x{n}" for n in range(5))]
        draw.shuffle(ranking)
        change = ndcg(ranking, {**relevant, **twins}) - ndcg(ranking, relevant)
        bound = ndcg_bound(list(relevant.values()), list(twins.values()))
        assert -bound.fall - 1e-12 <= change <= bound.rise + 1e-12


def ndcg(ranking: Sequence[str], grades: dict[str, int]) -> float:
    discounts = 1 / np.log2(np.arange(2, 12))
    gains = np.array([grades.get(doc_id, 0) for doc_id in ranking[:10]])
    ideal = np.array(sorted(grades.values(), reverse=True)[:10])
    return float((gains * discounts[: len(gains)]).sum() / (ideal * discounts[: len(ideal)]).sum())


def test_queries_that_repeat(folder: Path) -> None:
    add_queries(
        folder, ("q4", "What  moves the sea"), ("q5", "WARM wind"), ("q6", "never judged"), ("q7", "")
    )
    judge(folder, "test", "q4 d1 2", "q4 d2 0", "q5 d2 1", "q6 d1 1")
    assert [(finding.code, finding.path, finding.line, finding.key) for finding in deep(folder)] == [
        ("BK053", "queries.jsonl", 4, "q1\tq4"),
        ("BK054", "queries.jsonl", 5, "q2\tq5"),
        ("BK055", "queries.jsonl", 6, "q3\tq6"),
    ]
    assert "one is judged in split 'test', the other in 'dev'" in deep(folder)[2].found


def test_near_pairs_are_those_that_a_full_comparison_finds() -> None:
    """200 texts in families that drift apart: MinHash proposes, exact similarity decides."""
    draw = random.Random(5)
    words = [f"w{number}" for number in range(400)]
    texts: list[str] = []
    for _ in range(20):
        text = draw.choices(words, k=120)
        for _ in range(10):
            texts.append(" ".join(text))
            text[draw.randrange(len(text))] = draw.choice(words)
    shingler = Shingler()
    sets = [np.unique(shingler.shingles([text])[0]) for text in texts]
    expected = {
        (one, two) for two in range(len(texts)) for one in range(two) if jaccard(sets[one], sets[two]) >= 0.8
    }
    assert 100 < len(expected) < 1_000

    def blocks() -> Iterator[tuple[Sequence[int], Sequence[str]]]:
        for start in range(0, len(texts), 30):
            yield range(start, min(start + 30, len(texts))), texts[start : start + 30]

    found = near_pairs(blocks, threshold=0.8)
    assert {pair[:2] for pair in found} == expected
    assert all(pair.similarity == jaccard(sets[pair.one], sets[pair.two]) for pair in found)
    assert near_pairs(blocks, threshold=0.8) == found


def test_pairs_are_verified_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{TEXT} {number}" for number in range(12)]
    whole = near_pairs(lambda: [(range(12), texts)], threshold=0.8)
    assert len(whole) == 66
    monkeypatch.setattr(near_module, "_AT_ONCE", 40)
    assert near_pairs(lambda: [(range(12), texts)], threshold=0.8) == whole


def test_texts_without_words_are_like_nothing() -> None:
    assert near_pairs(lambda: [(range(4), ["", "...", "!", "a"])], threshold=0.8) == []
    assert near_pairs(list, threshold=0.8) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("one", 1),
        ("one two three four five", 1),
        ("a b c d e f", 2),
        ("月亮吸引着大海", 3),
        ("שלום עולם", 1),
    ],
)
def test_shingles_of_a_text(text: str, count: int) -> None:
    """Five words in a row; an ideogram is a word."""
    shingles, counts = Shingler().shingles(["before it are six words, say", text, "after"])
    assert counts.tolist() == [2, count, 1]
    assert len(shingles) == counts.sum()


def test_shingles_do_not_depend_on_the_process() -> None:
    shingles, _ = Shingler().shingles(["The moon"])
    assert hex(int(shingles[0])) == "0xda1b0f7cb90f7a89"
    assert Shingler().shingles(["the  MOON!"])[0].tolist() == shingles.tolist()


# What is in the handed folders: code and number of defects.
HANDED: dict[str, dict[str, int]] = {
    "scifact/beir": {"BK053": 1, "BK054": 1, "BK055": 2},
    "cranfield/beir": {},
    "cisi/beir": {"BK050": 2, "BK051": 3, "BK052": 8, "BK056": 8},
    "heq_he/beir": {"BK050": 1, "BK052": 4, "BK056": 4},
    "xquad/beir/ar": {"BK053": 4},
    "xquad/beir/en": {"BK053": 5},
    "xquad/beir/hi": {"BK053": 7},
    "xquad/beir/zh": {"BK053": 9},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDED)
def test_handed_folders(name: str, shared: Path) -> None:
    counts: Counter[str] = Counter()
    for finding in deep(shared / "data" / name):
        counts[finding.code] += finding.count
    assert counts == HANDED[name]
