"""What pytrec_eval is given in the place of a list: shorter, with few ids in it, and worth the same."""

from __future__ import annotations

import random

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.packed_ids import PackedIds
from beirkit.corpora.run import Run
from beirkit.evaluate.measures import Measure, parse_measures
from beirkit.evaluate.ranking import in_order, judged_results
from beirkit.evaluate.trec import trec_values

EVERY = (
    *(
        "nDCG",
        "nDCG@3",
        "AP",
        "AP@3",
        "RR",
        "R@3",
        "P@3",
        "P@50",
        "Success@3",
        "Rprec",
        "Bpref",
        "infAP",
        "IPrec@0.3",
    ),
    *("SetP", "SetR", "SetF", "SetAP", "SetRelP", "NumQ", "NumRet", "NumRel", "NumRelRet", "relative_P@3"),
    *("Rprec_mult@0.6", "11pt_avg", "G", "Rndcg", "binG", "gm_bpref", "gm_map", "ndcg_rel", "utility"),
    *("num_nonrel_judged_ret", "P(rel=2)@3", "AP(rel=2)"),
)


def packed(ids: list[str]) -> PackedIds:
    keys = np.array([one.encode() for one in ids], dtype="S8").view(">u8").astype(np.uint64)
    return PackedIds(b"", keys)


def sample(seed: int, *, pack: bool) -> tuple[Run, dict[str, dict[str, int]]]:
    """Lists of which a few results are judged, some of no judged query, one without any judged result."""
    draw = random.Random(seed)
    ids = sorted(f"d{n}" for n in range(60))
    docs, scores, sizes = [], [], []
    for _ in range(12):
        found = draw.sample(range(60), draw.randrange(40))
        docs += found
        scores += sorted((draw.randrange(20) / 4 for _ in found), reverse=draw.random() < 0.5)
        sizes.append(len(found))
    run = Run(
        [f"q{n}" for n in range(12)],
        packed(ids) if pack else ids,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.array(docs, dtype=np.int32),
        np.array(scores, dtype=np.float64),
    )
    qrels = {
        f"q{n}": {
            f"d{draw.randrange(70)}": draw.choice((-1, 0, 0, 1, 2, 3)) for _ in range(draw.randrange(1, 9))
        }
        for n in range(14)
    }
    return run, {
        query_id: row | {"d0": 1} if max(row.values()) < 0 else row for query_id, row in qrels.items()
    }


@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_every_measure_has_the_value_of_the_whole_list(seed: int, pack: bool) -> None:
    run, qrels = sample(seed, pack=pack)
    ordered = run.ordered()
    whole = {
        query_id: {doc_id: -float(rank) for rank, (doc_id, _) in enumerate(pairs)}
        for query_id, pairs in ordered.lists()
        if pairs
    }
    for name in EVERY:
        (measure,) = parse_measures(name)
        names = {str(measure.trec_name)}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=measure.level)
        expected = {
            query_id: row[str(measure.trec_key)] for query_id, row in evaluator.evaluate(whole).items()
        }
        values = trec_values(ordered, qrels, tuple(whole), [measure])[:, 0]
        assert dict(zip(whole, values.tolist(), strict=True)) == expected, name


def test_every_measure_of_the_engine_is_among_them() -> None:
    covered = {str(Measure.parse(name).trec_name).split(".")[0] for name in EVERY}
    assert set(pytrec_eval.supported_measures) - covered == {"runid", "relstring"}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_packed_ids_and_texts_have_one_order(seed: int, precision: str) -> None:
    run, _ = sample(seed, pack=True)
    run.scores[::7] += 1e-9  # ties as float32 only
    texts = Run(run.query_ids, list(run.doc_ids), run.offsets, run.docs, run.scores)
    expected = texts.ordered(precision)  # type: ignore[arg-type]  # one of the two names
    for one in (run, texts):
        found = in_order(one, precision)  # type: ignore[arg-type]  # one of the two names
        assert found.docs.tolist() == expected.docs.tolist()
        assert found.scores.tolist() == expected.scores.tolist()


@given(st.data())
def test_judged_results_are_where_they_stand(data: st.DataObject) -> None:
    run, qrels = sample(data.draw(st.integers(0, 10_000)), pack=data.draw(st.booleans()))
    at, ids = judged_results(run, qrels)
    expected = [
        (int(run.offsets[i]) + rank, doc_id)
        for i, (query_id, pairs) in enumerate(run.lists())
        for rank, (doc_id, _) in enumerate(pairs)
        if doc_id in qrels.get(query_id, {})
    ]
    assert list(zip(at.tolist(), ids, strict=True)) == expected


def test_an_id_that_looks_like_a_rank_is_not_taken_for_one() -> None:
    odd = {"q": {"\x010": 0, "\x011": 1, "b": 0}}
    run = Run.from_dict({"q": {"a": 3.0, "b": 2.0, "\x011": 1.0}})
    (value,) = trec_values(run, odd, ("q",), list(parse_measures("RR")))[:, 0].tolist()
    assert value == pytest.approx(1 / 3)
