"""Copies of references: the rule of LexBench's card, and what it leaves open."""

from __future__ import annotations

import difflib
import random
from pathlib import Path

import pytest

from beirkit.configs.mirrors import load_mirrors
from beirkit.corpora.equivalence import (
    EquivalenceRule,
    Page,
    candidates,
    find_copies,
    matching_share,
    normalised,
    same_article,
)
from beirkit.corpora.errors import ConfigError
from beirkit.corpora.supporting import Task
from beirkit.corpora.urls import document_url

_WORDS = random.Random(7).choices([f"word{n}" for n in range(900)], k=600)
LEAD = " ".join(_WORDS)[:1500]


def page(url: str = "https://en.wikipedia.org/wiki/Blue_Gate", **fields: str) -> Page:
    return Page(url=url, **{"title": "Blue Gate", "text": LEAD, "observed": "2026-01-01", **fields})


def copy(**fields: str) -> Page:
    return page("https://www.wikiwand.com/en/Blue_Gate", **fields)


def test_the_same_text_under_the_same_title_is_a_copy() -> None:
    outcome = same_article(page(), copy(title="BLUE  GATE", text=LEAD.upper()))
    assert (outcome.accepted, outcome.share) == (True, 1.0)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"title": "Red Gate"}, "titles differ"),
        ({"text": "short"}, "fewer than 200"),
        ({"text": LEAD[:199]}, "fewer than 200"),
        ({"status": "timeout"}, "was not read: timeout"),
        ({"text": " ".join(reversed(_WORDS))}, "too few characters"),
    ],
)
def test_what_is_no_copy(fields: dict[str, str], reason: str) -> None:
    outcome = same_article(page(), copy(**fields))
    assert not outcome.accepted
    assert reason in outcome.reason


def test_only_long_blocks_count() -> None:
    reference = "abcdefghijkl" + "-" * 8 + "abcdefghijk"
    assert matching_share("abcdefghijkl", "abcdefghijkl", EquivalenceRule()) == 1.0
    assert matching_share("abcdefghijk", "abcdefghijk", EquivalenceRule()) == 0.0
    assert matching_share(reference, "abcdefghijkl?", EquivalenceRule()) == pytest.approx(12 / 13)


def test_the_denominator_is_a_parameter() -> None:
    ours, theirs = "x" * 100 + "y" * 100, "x" * 100
    shares = {
        name: matching_share(ours, theirs, EquivalenceRule(denominator=name))
        for name in ("copy", "reference", "shorter", "longer")
    }
    assert shares == {"copy": 1.0, "reference": 0.5, "shorter": 1.0, "longer": 0.5}


def test_frequent_characters_are_not_junk() -> None:
    """difflib's own default drops them from 200 characters on, and with them most of the match."""
    changed = " ".join("changed" if n % 10 == 0 else word for n, word in enumerate(_WORDS))[:1500]
    ours, theirs = normalised(LEAD), normalised(changed)
    found = matching_share(ours, theirs, EquivalenceRule())
    blocks = difflib.SequenceMatcher(None, ours, theirs).get_matching_blocks()
    with_junk = sum(block.size for block in blocks if block.size >= 12) / len(theirs)
    assert found > 0.8 > 0.5 > with_junk


def test_every_parameter_is_in_the_hash() -> None:
    rules = [
        EquivalenceRule(),
        EquivalenceRule(share=0.7),
        EquivalenceRule(block=10),
        EquivalenceRule(lead=100),
        EquivalenceRule(least=10),
        EquivalenceRule(denominator="reference"),
        EquivalenceRule(normaliser="collapse-space"),
    ]
    assert len({rule.sha256 for rule in rules}) == len(rules)
    assert rules[0].method == f"title-and-lead/1+{rules[0].sha256[:12]}"


GROUPS = [["https://en.wikipedia.org/wiki/{title}", "https://wikiroulette.co/?p={title}"]]


@pytest.mark.parametrize(
    ("url", "made"),
    [
        ("https://en.wikipedia.org/wiki/Blue_Gate", ["https://wikiroulette.co/?p=Blue_Gate"]),
        ("http://wikiroulette.co/?p=Blue%20Gate", ["https://en.wikipedia.org/wiki/Blue_Gate"]),
        ("https://en.wikipedia.org/wiki/Blue_Gate#History", ["https://wikiroulette.co/?p=Blue_Gate"]),
        ("https://en.wikipedia.org/wiki/A_(b)", ["https://wikiroulette.co/?p=A_(b)"]),
        ("https://x.example/wiki/Blue_Gate", []),
    ],
)
def test_candidates_come_from_templates(url: str, made: list[str]) -> None:
    assert list(candidates(url, GROUPS)) == made


def test_an_accepted_copy_tells_how_it_was_found() -> None:
    task = Task(
        id="q1", query="?", reference_answer="x", reference_urls=["https://en.wikipedia.org/wiki/Blue_Gate"]
    )
    groups = [group.templates for group in load_mirrors()]
    pages = {document_url(p.url).canonical: p for p in (page(), copy(observed="2026-02-03"))}
    found = list(find_copies([task, task], pages, groups))
    assert len(found) == 1
    assert found[0].reference_url == task.reference_urls[0]
    assert found[0].url == "https://www.wikiwand.com/en/Blue_Gate"
    assert found[0].observed == "2026-02-03"
    assert found[0].method == EquivalenceRule().method
    assert len(found[0].reference_sha256) == len(found[0].copy_sha256) == 64
    assert list(find_copies([task], {}, groups)) == []


def test_a_template_without_a_title_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mirrors.yaml"
    path.write_text("groups: [{name: g, templates: [https://x.example/]}]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="does not hold"):
        load_mirrors(path)
