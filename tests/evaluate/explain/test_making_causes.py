"""One thing in which two results were made otherwise makes the gap, and is named first."""

from __future__ import annotations

from typing import Any

import pytest

from beirkit.corpora.run import Run
from beirkit.evaluate.explain.explain import explain
from beirkit.evaluate.explain.explanation import Explanation, Target
from beirkit.evaluate.explain.makings import Alternative
from beirkit.evaluate.explain.manifests import differences
from tests.evaluate.explain import made_up as m

JUDGED = m.qrels()
LISTS = m.lists()
THEIRS = m.lists(seed=7)  # another ranking of the same queries
NDCG = "nDCG@10"
RULES = "beirkit:self_match=keep"

# axis, key path in the manifest, value there
CASES = [
    ("prompts", "retriever.encoder.prompts.query", "query: "),
    ("max length", "retriever.encoder.max_length", 512),
    ("truncation", "report.document.truncated_share", 0.4),
    ("analyzer", "retriever.analyzer.stemmer", "none"),
    ("k1 and b", "retriever.k1", 1.5),
    ("title handling", "retriever.template", "{text}"),
    ("title handling", "retriever.fields", {"title": 1.0, "text": 1.0}),
    ("precision", "retriever.encoder.dtype", "float16"),
    ("model revision", "retriever.encoder.model_sha256", "e" * 64),
    ("corpus", "content_ids.corpus", "f" * 64),
    ("queries", "content_ids.queries", "f" * 64),
    ("pooling", "retriever.encoder.pooling", "cls"),
    ("similarity", "retriever.similarity", "dot"),
    ("depth", "k", 10),
]


def against(facts: dict[str, Any], theirs: m.Lists = THEIRS, **more: Any) -> Explanation:
    target = Target(
        value=m.mean(JUDGED, theirs, NDCG, RULES),
        says="the other result",
        values=m.values(JUDGED, theirs, NDCG, RULES),
        facts=facts,
    )
    return explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=RULES, facts=m.FACTS, **more)


# half of the datasets are named, by names that have causes of their own in what people tell of them
@pytest.mark.parametrize(
    ("number", "axis", "path", "value"), [(number, *case) for number, case in enumerate(CASES)]
)
def test_the_setting_that_was_another_is_named_first(number: int, axis: str, path: str, value: Any) -> None:
    facts = m.changed(path, value, name="arguana" if number % 2 else "")
    found = against(facts)
    first = found.causes[0]
    assert (first.axes, first.explains, first.kind) == ((axis,), True, "manifest")
    assert path.rpartition(".")[2] in first.says
    assert found.verdict.startswith(f"Explained by {axis}: ")


@pytest.mark.parametrize("name", ["", "arguana", "webis-touche2020", "cqadupstack-android"])
def test_a_datasets_name_changes_nothing(name: str) -> None:
    facts = m.changed("retriever.k1", 1.5)
    named = m.changed("retriever.k1", 1.5, name=name)
    assert against(named).causes == against(facts).causes


def test_what_was_scored_otherwise_goes_before_what_was_set_otherwise() -> None:
    kept_out = {q: {d: s for d, s in row.items() if d != q} for q, row in LISTS.items()}
    found = against(m.changed("retriever.k1", 1.5), kept_out)
    assert (found.causes[0].axes, found.causes[0].alike) == (("self-match",), 1.0)


def test_two_results_with_one_mean_and_other_queries() -> None:
    values = m.values(JUDGED, LISTS, NDCG, RULES)
    turned = dict(zip(values, reversed(values.values()), strict=True))
    target = Target(value=sum(values.values()) / len(values), values=turned, facts=m.FACTS)
    found = explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=RULES, facts=m.FACTS)
    assert found.causes == ()
    assert found.verdict.startswith("There is no gap")
    assert "of the queries" in found.verdict.lower()


def test_a_run_beside_that_has_another_value_of_it_takes_nothing_away() -> None:
    other = Alternative(axes=("k1 and b",), says="k1 is 1.2 there", value=0.1)
    found = against(m.changed("retriever.k1", 1.5), alternatives=[other])
    assert (found.causes[0].axes, found.causes[0].kind) == (("k1 and b",), "manifest")


def test_a_mean_that_only_happens_to_be_equal_is_no_explanation() -> None:
    values = m.values(JUDGED, LISTS, NDCG, "beirkit:self_match=remove")
    turned = dict(zip(values, [*list(values.values())[1:], next(iter(values.values()))], strict=True))
    mean = sum(values.values()) / len(values)
    target = Target(value=mean, values=turned, facts=m.FACTS)
    found = explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=RULES, facts=m.FACTS)
    assert not found.explained


def test_two_runs_whose_manifests_are_alike() -> None:
    facts = m.changed("k", m.FACTS["k"])
    found = against(facts)
    assert not found.explained
    assert "Nothing known explains" in found.verdict


def test_last_digits_may_come_of_the_machine() -> None:
    near = {q: dict(row) for q, row in LISTS.items()}
    values = m.values(JUDGED, near, NDCG, RULES)
    values["q01"] += 0.006
    target = Target(
        value=sum(values.values()) / len(values), values=values, facts=m.changed("k", m.FACTS["k"])
    )
    found = explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=RULES, facts=m.FACTS)
    assert found.causes[0].axes == ("machine and versions",)


def test_several_settings_are_told_apart_by_runs_that_have_one_of_them() -> None:
    facts = m.changed("retriever.k1", 1.5)
    facts["retriever"]["analyzer"]["stemmer"] = "none"
    blind = against(facts)
    assert [one.axes for one in blind.causes if one.kind == "manifest"] == [("analyzer",), ("k1 and b",)]
    assert "What else differs was not measured: analyzer, k1 and b; a run with one" in blind.verdict
    theirs = Alternative(
        axes=("k1 and b",),
        says="retriever.k1 is 1.5",
        value=m.mean(JUDGED, THEIRS, NDCG, RULES),
        values=m.values(JUDGED, THEIRS, NDCG, RULES),
    )
    seen = against(facts, alternatives=[theirs])
    assert (seen.causes[0].axes, seen.causes[0].kind, seen.causes[0].closes) == (("k1 and b",), "run", 1.0)


def test_what_both_results_have_alike_is_no_cause() -> None:
    facts = m.changed("retriever.k1", 1.5)
    facts["retriever"]["analyzer"]["stemmer"] = "none"
    value = m.mean(JUDGED, THEIRS, NDCG, RULES)
    other = Alternative(axes=("title handling",), says="template is '{text}'", value=value, facts=m.FACTS)
    found = against(facts, alternatives=[other])
    assert ("title handling",) not in [one.axes for one in found.causes]


def test_a_run_between_the_two_takes_them_apart() -> None:
    facts = m.changed("retriever.k1", 1.5)
    between = m.changed("retriever.k1", 1.5)
    facts["retriever"]["analyzer"]["stemmer"] = "none"
    way = Alternative(axes=("k1 and b",), says="k1 is 1.5 there", value=0.9, facts=between)
    first = against(facts, alternatives=[way]).causes[0]
    assert (first.axes, first.explains) == (("k1 and b", "analyzer"), True)
    assert first.arithmetic[1].startswith("with k1 and b: 0.900000 (+")
    assert first.arithmetic[2].startswith("with analyzer too: ")


def test_title_handling_is_measured_by_a_run_that_has_it() -> None:
    value = m.mean(JUDGED, THEIRS, NDCG, RULES)
    other = Alternative(axes=("title handling",), says="retriever.template is '{text}'", value=value)
    target = Target(value=round(value, 4), decimals=4)
    found = explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=RULES, alternatives=[other])
    assert found.causes[0].axes == ("title handling",)
    assert "title handling" not in found.untested


def test_what_a_source_states_is_compared_and_nothing_else() -> None:
    target = Target(value=0.9, decimals=3, facts={"retriever": {"k1": 1.2, "b": 0.4}})
    found = explain(Run.from_dict(LISTS), JUDGED, NDCG, target, protocol=RULES, facts=m.FACTS, partial=True)
    [cause] = [one for one in found.causes if one.kind == "manifest"]
    assert (cause.axes, cause.closes, cause.explains) == (("k1 and b",), None, False)
    assert cause.says == "k1 is 1.2 there and 0.9 here"


def test_a_consequence_is_no_difference_of_its_own() -> None:
    facts = m.changed("retriever.encoder.max_length", 128)
    facts["report"]["document"]["truncated_share"] = 0.5
    assert [one.axis for one in differences(m.FACTS, facts) if one.matters] == ["max length"]
