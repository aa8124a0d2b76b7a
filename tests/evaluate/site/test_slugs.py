"""Names of pages for names of systems."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from beirkit.evaluate.site.slugs import page_names

HOSTILE = [
    "../../etc/passwd",
    "..", ".", "", "CON", "nul", "com1.txt", "a/b", "a\\b", "a:b", "<script>", "é", "שלום",
    "A", "a", "a.", "a ", "x" * 500, "x" * 501, "\ud800", "%2e%2e", "index.html?x#y", "-rf",
]  # fmt: skip


def test_plain_names_stay_and_others_get_a_hash() -> None:
    found = page_names(["minilm", "bm25-rm3", "BAAI/bge@5c38"])
    assert found["minilm"] == "minilm"
    assert found["bm25-rm3"] == "bm25-rm3"
    assert re.fullmatch(r"baai-bge-5c38-[0-9a-f]{12}", found["BAAI/bge@5c38"])


def test_hostile_names_stay_inside_and_apart_where_case_does_not_count() -> None:
    found = page_names(HOSTILE)
    assert len({slug.casefold() for slug in found.values()}) == len(HOSTILE)
    for slug in found.values():
        assert re.fullmatch(r"[a-z0-9_][a-z0-9._-]*", slug), slug
        assert not slug.endswith(".")
        assert len(slug) < 100
        assert slug not in ("con", "nul", "com1.txt")


def test_a_name_that_is_the_page_of_another_one_gets_its_own() -> None:
    victim = page_names(["A B"])["A B"]
    found = page_names(["A B", victim])
    assert found["A B"] == victim
    assert found[victim] != victim


@given(st.lists(st.text(max_size=20), unique=True, max_size=20), st.text(max_size=20))
def test_a_page_keeps_its_name_whoever_else_is_there(names: list[str], other: str) -> None:
    alone = page_names([other])[other]
    assert page_names({*names, other})[other] == alone
