"""What measures there are: one row per family, and how trec_eval names it."""

from __future__ import annotations

from typing import Literal

import msgspec

At = Literal["never", "rank", "rank?", "share"]
"""What may follow ``@``: nothing, a rank (``rank?``: or nothing), or a share with at most two decimals."""


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """Measures that differ only in cut-off and relevance level.

    Attributes:
        name: canonical, as ir_measures prints it; trec_eval's name where ir_measures has none.
        meaning: the definition in one line.
        spellings: other names people use, compared without case and without ``_ - . blank``.
        at: what may follow ``@``.
        whole: trec_eval's name of the measure without a cut-off.
        cut: trec_eval's name of the measure with one.
        levels: whether ``(rel=2)`` has a meaning; nDCG keeps grades whatever the level is.
        total: how values per query become one: mean, sum, or the exponential of the mean of logarithms.
        bounded: values lie within 0..1.
        by: what it goes by: grades, or beside them spans or sets of pages, which a BEIR folder must have.
    """

    name: str
    meaning: str
    spellings: tuple[str, ...] = ()
    at: At = "never"
    whole: str | None = None
    cut: str | None = None
    levels: bool = True
    total: Literal["mean", "sum", "geometric"] = "mean"
    bounded: bool = True
    by: Literal["grades", "spans", "pages"] = "grades"


FAMILIES: tuple[Family, ...] = (
    Family(
        name="nDCG", at="rank?", whole="ndcg", cut="ndcg_cut", levels=False, spellings=("ndcg",),
        meaning="gain = grade, discount log2(rank + 1), divided by the best possible order of the judgments",
    ),
    Family(
        name="nDCG_exp", at="rank?", levels=False, spellings=("ndcg_burges", "nDCG_2exp"),
        meaning="nDCG with the gain 2^grade - 1",
    ),
    Family(
        name="AP", at="rank?", whole="map", cut="map_cut", spellings=("map", "average_precision"),
        meaning="precision at each relevant result, summed, divided by the number of relevant documents",
    ),
    Family(
        name="RR", at="rank?", whole="recip_rank", spellings=("mrr", "recip_rank", "reciprocal_rank"),
        meaning="1 / rank of the first relevant result, 0 where there is none (in the top k)",
    ),
    Family(
        name="R", at="rank", cut="recall", spellings=("recall",),
        meaning="relevant results in the top k / relevant documents",
    ),
    Family(
        name="R_cap", at="rank", spellings=("rcap", "recall_cap", "capped_recall"),
        meaning="relevant results in the top k / min(k, relevant documents); no value without any",
    ),
    Family(
        name="P", at="rank", cut="P", spellings=("precision",),
        meaning="relevant results in the top k / k, also where fewer than k results came back",
    ),
    Family(
        name="Success", at="rank", cut="success",
        spellings=("hit", "hits", "hit_rate", "top_k_accuracy"),
        meaning="1 if a relevant document is in the top k, else 0",
    ),
    Family(
        name="Judged", at="rank?", levels=False,
        meaning="judged results in the top k / results in the top k",
    ),
    Family(
        name="Hole", at="rank", levels=False,
        meaning="results in the top k that are judged for no query of the split / k (BEIR)",
    ),
    Family(name="Rprec", whole="Rprec", spellings=("r_precision",),
           meaning="precision at the rank that equals the number of relevant documents"),
    Family(name="Bpref", whole="bpref",
           meaning="how often judged non-relevant documents stand before relevant ones (judged only)"),
    Family(name="infAP", whole="infAP", meaning="AP estimated from sampled judgments"),
    Family(name="IPrec", at="share", cut="iprec_at_recall", spellings=("iprec_at_recall",),
           meaning="the best precision at or after the given recall"),
    Family(name="SetP", whole="set_P", meaning="relevant results / results"),
    Family(name="SetR", whole="set_recall", meaning="relevant results / relevant documents"),
    Family(name="SetF", whole="set_F", meaning="harmonic mean of SetP and SetR"),
    Family(name="SetAP", whole="set_map", spellings=("set_map",), meaning="SetP x SetR"),
    Family(name="SetRelP", whole="set_relative_P",
           meaning="relevant results / min(results, relevant documents)"),
    Family(name="NumQ", whole="num_q", levels=False, total="sum", bounded=False, meaning="queries"),
    Family(name="NumRet", whole="num_ret", levels=False, total="sum", bounded=False, meaning="results"),
    Family(name="NumRel", whole="num_rel", total="sum", bounded=False, meaning="relevant documents"),
    Family(name="NumRelRet", whole="num_rel_ret", total="sum", bounded=False, meaning="relevant results"),
    Family(name="relative_P", at="rank", cut="relative_P",
           meaning="relevant results in the top k / min(k, relevant documents)"),
    Family(name="Rprec_mult", at="share", cut="Rprec_mult",
           meaning="precision at a multiple of the number of relevant documents"),
    # by evidence, not by grades: evidence_measures.py
    Family(name="SpanRecall", at="rank", levels=False, by="spans",
           meaning="characters of the query's spans in the top k / characters of its spans"),
    Family(name="SpanPrecision", at="rank", levels=False, by="spans",
           meaning="characters of the query's spans in the top k / distinct characters in the top k"),
    Family(name="PageRprec", levels=False, by="pages", spellings=("kilt_rprec", "page_r_precision"),
           meaning="R-precision over pages, of the set of evidence for which it is best (KILT)"),
)  # fmt: skip


def squeezed(name: str) -> str:
    """A name without case and separators, the form in which spellings are compared."""
    return name.casefold().translate({ord(c): None for c in "_-. "})


_BY_SPELLING = {
    squeezed(spelling): family
    for family in FAMILIES
    for spelling in (family.name, family.whole, family.cut, *family.spellings)
    if spelling is not None
}
_BY_NAME = {family.name: family for family in FAMILIES}

# Text, not numbers; and pytrec_eval aborts the process when it frees them.
_TEXT = {"runid", "relstring"}


def engine_only() -> dict[str, Family]:
    """Families for whatever else pytrec_eval computes, under trec_eval's own names."""
    import pytrec_eval

    known = {name for family in FAMILIES for name in (family.whole, family.cut)}
    return {
        name: Family(
            name=name,
            meaning=f"trec_eval's {name}",
            whole=name,
            total="geometric" if name.startswith("gm_") else "sum" if name.startswith("num_") else "mean",
            bounded=False,
        )
        for name in sorted(pytrec_eval.supported_measures)
        if name not in known | _TEXT
    }


def find_family(name: str) -> Family | None:
    """The family with this name, in any spelling; ``None`` where there is none."""
    family = _BY_NAME.get(name) or _BY_SPELLING.get(squeezed(name))
    if family is None:
        others = {squeezed(other): made for other, made in engine_only().items()}
        family = others.get(squeezed(name))
    return family


def known_names() -> list[str]:
    """Every name that a hint may propose."""
    spellings = {spelling for family in FAMILIES for spelling in (family.name, *family.spellings)}
    return sorted(spellings | set(engine_only()))
