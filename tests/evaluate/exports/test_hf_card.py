"""Results in the header of a model card: nothing else in it changes by a byte."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from beirkit.corpora.errors import DataError
from beirkit.evaluate.exports.hf_card import split_card, with_results


def result(dataset: str = "mteb/scifact", value: float = 68.63, split: str = "test") -> dict[str, Any]:
    return {
        "task": {"type": "Retrieval"},
        "dataset": {"type": dataset, "name": "x", "config": "default", "split": split},
        "metrics": [{"type": "ndcg_at_10", "value": value}],
    }


BLOCK = """model-index:
- name: mine
  results:
  - task:
      type: Retrieval
    dataset:
      type: mteb/scifact
      name: x
      config: default
      split: test
    metrics:
    - type: ndcg_at_10
      value: 68.63
"""


def test_a_card_without_a_header_gets_one() -> None:
    assert with_results("# Mine\n", "mine", [result()]) == f"---\n{BLOCK}---\n# Mine\n"
    assert with_results("", "mine", [result()]) == f"---\n{BLOCK}---\n"


HEADERS = [
    "license: mit\n",
    "license: mit # the old one\ntags:\n  - a\n  - 'b'\n",
    "# remark\nlanguage:   [en,   de]\n\n# last\n",
    "license: mit",  # no line end before the closing line is impossible, so this becomes one
    "",
    "datasets:\n- mteb/x\nnote: >\n  long\n  text\n",
]
BODIES = ["", "# Mine\n", "text\n---\nmodel-index: no\n", "no line end", "\n\n  ---  \n"]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("body", BODIES)
def test_a_header_without_results_gets_them_at_its_end(header: str, body: str) -> None:
    header += "" if header.endswith("\n") or not header else "\n"
    assert with_results(f"---\n{header}---\n{body}", "mine", [result()]) == f"---\n{header}{BLOCK}---\n{body}"


@pytest.mark.parametrize("before", ["\n\n", "  ", "\ufeff", "\ufeff\n"])
def test_what_stands_before_a_header_stays(before: str) -> None:
    """The hub takes a header behind blank lines; a second one before it would hide the first."""
    card = f"{before}---\nlicense: mit\n---\nbody\n"
    assert with_results(card, "mine", [result()]) == f"{before}---\nlicense: mit\n{BLOCK}---\nbody\n"


@example("---\n---\n---")
@example("---\na: 1\n--- \n")
@example("---\n---\na: 1\n---\n")
@example("---\n\n---\n")
@given(st.lists(st.sampled_from(["---", "--- ", "\n", "\r\n", "  ", "a: 1", "- x"]), max_size=8).map("".join))
def test_a_header_is_what_the_hub_takes_for_one(card: str) -> None:
    """But for an empty one, which is a place to write to."""
    repocard = pytest.importorskip("huggingface_hub.repocard", reason="needs huggingface_hub")
    theirs, ours = repocard.REGEX_YAML_BLOCK.search(card), split_card(card)
    if ours is None:
        assert theirs is None
    elif not ours.text.strip():  # where another end follows, the hub takes its end for a first line
        assert theirs is None or theirs[2].strip().startswith("---") or not theirs[2].strip()
    else:
        assert theirs is not None
        assert ours.text.rstrip("\r\n") == theirs[2].rstrip("\r\n")


def test_what_the_hub_takes_for_no_header_is_none() -> None:
    """Blanks behind the dashes: there it is text, and results put inside would not be seen."""
    card = "--- \nlicense: mit\n---\nbody\n"
    assert with_results(card, "mine", [result()]) == f"---\n{BLOCK}---\n{card}"


OTHERS = """---
license: mit
model-index:
  - name: "Mine"   # as it is called
    results:
      # of somebody else
      - task: {type: Retrieval}
        dataset: {type: mteb/nfcorpus, name: NF, config: default, split: test}
        metrics: [{type: ndcg_at_10, value: 31.0}]   # kept

      - task:
          type: Retrieval
        dataset:
          {type: mteb/scifact, name: old, config: default, split: test}
        metrics:
        - {type: ndcg_at_10, value: 1.0}
      # remark of the next
      - task: {type: STS}
        dataset: {type: mteb/sts, name: STS}
        metrics: [{type: cosine, value: 1.0e+1}]
# the end of it
tags: [a,  b]
---
body
"""


def test_a_result_that_is_there_is_replaced_and_others_stay() -> None:
    made = with_results(OTHERS, "other name", [result()])
    before, _, rest = OTHERS.partition("      - task:\n          type: Retrieval\n")
    assert made.startswith(before)
    assert made.endswith(rest[rest.index("      # remark of the next") :])
    header = split_card(made)
    assert header is not None
    results = yaml.safe_load(header.text)["model-index"][0]["results"]
    assert [one["metrics"][0]["value"] for one in results] == [31.0, 68.63, 10.0]


def test_a_new_result_goes_behind_the_last() -> None:
    made = with_results(OTHERS, "mine", [result("mteb/fiqa"), result(value=2.0)])
    assert made.index("mteb/sts") < made.index("mteb/fiqa") < made.index("# the end of it")
    assert made.endswith("# the end of it\ntags: [a,  b]\n---\nbody\n")
    assert with_results(made, "mine", [result("mteb/fiqa"), result(value=2.0)]) == made


@given(
    st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True),
    st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, min_size=1),
    st.integers(0, 4),
    st.booleans(),
)
def test_any_results_can_be_put_to_any(old: list[str], new: list[str], indent: int, crlf: bool) -> None:
    """Each dataset stands there once, in the order it came, and what is around stays."""
    items = "".join(
        " " * indent + line + "\n"
        for name in old
        for line in yaml.safe_dump([result(name, 1.0)], sort_keys=False).splitlines()
    )
    index = f"model-index:\n- name: m\n  results:\n{items}" if old and indent >= 2 else ""
    card = f"---\nlicense: mit\n{index}tags: [x]\n---\nbody\n"
    card = card.replace("\n", "\r\n") if crlf else card
    made = with_results(card, "m", [result(name, 2.0) for name in new])
    header = split_card(made)
    assert header is not None
    assert made.count("\r") == (made.count("\n") if crlf else 0)
    results = yaml.safe_load(header.text)["model-index"][0]["results"]
    kept = old if index else []
    assert [one["dataset"]["type"] for one in results] == [*kept, *(n for n in new if n not in kept)]
    assert all((one["metrics"][0]["value"] == 2.0) == (one["dataset"]["type"] in new) for one in results)
    end = "\r\n" if crlf else "\n"
    assert header.after == f"---{end}body{end}"
    assert header.text.startswith(f"license: mit{end}")
    assert f"tags: [x]{end}" in header.text


@pytest.mark.parametrize(
    ("card", "said"),
    [
        ("---\nlicense: mit\n", "has no end"),
        ("---\nlicense: [\n---\n", "is no YAML"),
        ("---\n- a\n---\n", "no mapping"),
        ("---\na: 1\na: 2\n---\n", "the key 'a' twice"),
        ("---\nmodel-index: [{name: a, results: [{task: {type: b}}]}]\n---\n", "written in one line"),
        ("---\nmodel-index: none\n---\n", "no list of one model"),
        ("---\nmodel-index:\n- name: a\n  results: []\n---\n", "has no results"),
        ("---\nmodel-index:\n- name: a\n- name: b\n---\n", "no list of one model"),
        ("---\nmodel-index:\n- name: a\n  results:\n  -\n    task: {type: b}\n---\n", "behind its dash"),
    ],
)
def test_what_cannot_be_added_to_is_refused(card: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        with_results(card, "m", [result()])
