"""Names of measures: every spelling in use, one canonical form out."""

from __future__ import annotations

import pytest

from beirkit.corpora.errors import UnknownNameError, UsageError
from beirkit.evaluate.measures import Measure, list_measures, parse_measures

SPELLINGS = {
    "nDCG@10": "ndcg_cut_10 ndcg_cut.10 ndcg@10 nDCG@10 NDCG@10 ndcg_at_10 nDCG(cutoff=10)",
    "nDCG": "ndcg nDCG NDCG",
    "R@100": "recall_100 R@100 Recall@100 recall.100 recall_at_100",
    "P@5": "P_5 precision@5 P@5 P.5 precision_at_5 P(rel=1)@5",
    "RR@10": "MRR@10 mrr_at_10 RR@10 mrr_10",
    "RR": "recip_rank RR mrr MRR reciprocal_rank",
    "AP@100": "map_cut.100 MAP@100 map_at_100 map_cut_100 AP@100",
    "AP": "map MAP AP",
    "Success@5": "Hit@5 hit_rate@5 success_5 top_k_accuracy@5 Success@5 hits@5",
    "nDCG_exp@10": 'ndcg_exp@10 nDCG_exp@10 nDCG(dcg="exp-log2")@10',
    "R_cap@100": "R_cap@100 rcap@100 recall_cap@100 r_cap_100",
    "Judged@10": "judged@10 Judged@10 judged_10 Judged(cutoff=10)",
    "Hole@10": "hole@10 Hole@10",
    "Bpref": "bpref Bpref",
    "Rprec": "Rprec r_precision R-precision",
    "P(rel=2)@5": "P(rel=2)@5 precision(rel=2)@5 P(rel=2)_5",
    "IPrec@0.1": "IPrec@0.1 iprec_at_recall_0.10 iprec_at_recall.0.1",
    "NumRelRet": "num_rel_ret NumRelRet NumRet(rel=1)",
    "gm_map": "gm_map",
    "11pt_avg": "11pt_avg",
}


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [(s, canonical) for canonical, spellings in SPELLINGS.items() for s in spellings.split()],
)
def test_every_spelling_has_one_canonical_name(spelling: str, canonical: str) -> None:
    measure = Measure.parse(spelling)
    assert str(measure) == canonical
    assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize("name", ["Accuracy@5", "accuracy@5", "acc@5", "Accuracy(rel=1)@5", "accuracy_5"])
def test_accuracy_is_two_measures_and_refused(name: str) -> None:
    """BEIR's is Success; that of ir_measures is the share of relevant results before others."""
    with pytest.raises(UnknownNameError, match="unknown measure") as told:
        Measure.parse(name)
    assert "BEIR's Accuracy@k (top_k_accuracy) is Success@5" in str(told.value)
    with pytest.raises(UnknownNameError, match="is Success@k"):
        Measure.parse("Accuracy")


@pytest.mark.parametrize("name", ["nDCG@0", "P@-1", "ndcg_cut.23.4", "AP@x", "R@", "nDCG@1_0", "Success@٣"])
def test_a_cutoff_that_would_end_the_process_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="the cut-off must be a whole number from 1"):
        Measure.parse(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("R", r"needs a cut-off \(such as R@10\)"),
        ("Bpref@10", "Bpref takes no cut-off"),
        ("nDCG(rel=2)@10", "nDCG has no relevance level"),
        ("P(rel=0)@5", "relevance level must be a whole number from 1, not '0'"),
        ("P(beta=2)@5", "'beta=2' is not understood"),
        ("P", r"names 9 measures \(name one, such as P@5, P@10\)"),
        ("IPrec@0.123", "at most two decimals"),
        ("IPrec@1.5", "recall lies within 0..1"),
        ("nDCG@10,P@5", r"'nDCG@10,P@5' names 2 measures \(put blanks between them: nDCG@10 P@5\)"),
        ("map, P(rel=2)@5 , RR", r"names 3 measures \(put blanks between them: map P\(rel=2\)@5 RR\)"),
        ("P@5,x", r"put blanks between them: P@5 x"),
        ("P@5,", "the cut-off must be a whole number from 1, not ''"),
    ],
)
def test_an_impossible_measure_says_what_is_wrong(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Measure.parse(name)


@pytest.mark.parametrize(
    "made", [Measure("nDCG", 0), Measure("Bpref", 10), Measure("P", 2.5), Measure("P", 5, 0)]
)
def test_a_measure_made_by_hand_is_checked_before_it_is_used(made: Measure) -> None:
    with pytest.raises(UsageError, match=r"must be a whole number from 1|takes no cut-off"):
        parse_measures([made])


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown measure 'ndgc@10' \(did you mean 'nDCG'\?\)"):
        Measure.parse("ndgc@10")
    for name in ("runid", "relstring", "@10", ""):
        with pytest.raises(UnknownNameError, match="beirkit list measures"):
            Measure.parse(name)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["P_5,10"], "P@5 P@10"),
        (["ndcg_cut.5,10", "NDCG@10", "map"], "nDCG@5 nDCG@10 AP"),
        (["P(rel=1,cutoff=5)"], "P@5"),
        (["success"], "Success@1 Success@5 Success@10"),
        ("mrr@10", "RR@10"),
    ],
)
def test_lists_of_cutoffs_are_several_measures_each_once(texts: list[str], expected: str) -> None:
    assert " ".join(map(str, parse_measures(texts))) == expected


def test_whatever_pytrec_eval_computes_can_be_asked_by_its_own_name() -> None:
    import pytrec_eval

    for name in pytrec_eval.supported_measures - {"runid", "relstring"}:
        assert parse_measures([name])


def test_the_list_of_measures_says_what_each_is() -> None:
    table = {row["name"]: row for row in list_measures()}
    assert {"nDCG[@k]", "R_cap@k", "Hole@k", "Judged[@k]", "IPrec@x", "Bpref", "gm_map"} <= set(table)
    assert "mrr" in table["RR[@k]"]["spellings"]
    assert all(row["summary"] for row in table.values())
