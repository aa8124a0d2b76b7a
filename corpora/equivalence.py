"""Whether a page is a copy of a reference: the same title, and most of the lead in long common blocks.

The rule is that of LexBench-SimpleQA-Verified's dataset card. What the card leaves open is a named parameter
of :class:`EquivalenceRule`, with beirkit's own choice as its default.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal
from urllib.parse import quote, unquote

import msgspec

from beirkit.corpora.supporting import EquivalentCopy, Task
from beirkit.corpora.urls import DEFAULT, UrlPolicy, document_url

Denominator = Literal["copy", "reference", "shorter", "longer"]
Normaliser = Literal["casefold-words", "collapse-space"]


class EquivalenceRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a page counts as a copy of a reference.

    Attributes:
        name: of the rule.
        share: least share of matching characters.
        block: least length of a common block that counts, in normalised characters.
        lead: most characters of each page's text that are looked at.
        least: least normalised characters that each lead must have.
        denominator: what the share is of: the copy's normalised lead, the reference's, or the shorter or the
            longer of both. Not fixed by the card.
        normaliser: ``casefold-words``: NFKC, case folded, all but letters and digits as one blank;
            ``collapse-space``: white space collapsed only. Not fixed by the card.
        alignment: how common blocks are found. Not fixed by the card. ``autojunk=False`` matters: by default
            difflib ignores frequent characters of texts from 200 characters on.
    """

    name: Literal["title-and-lead/1"] = "title-and-lead/1"
    share: float = 0.8
    block: int = 12
    lead: int = 4000
    least: int = 200
    denominator: Denominator = "copy"
    normaliser: Normaliser = "casefold-words"
    alignment: Literal["difflib.SequenceMatcher(autojunk=False)"] = "difflib.SequenceMatcher(autojunk=False)"

    @property
    def sha256(self) -> str:
        """SHA-256 of the parameters."""
        return hashlib.sha256(json.dumps(msgspec.to_builtins(self), sort_keys=True).encode()).hexdigest()

    @property
    def method(self) -> str:
        """The rule as a record of an accepted copy names it."""
        return f"{self.name}+{self.sha256[:12]}"


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page as somebody captured it.

    Attributes:
        url: its address.
        title: the article's title.
        text: its text; empty where the request failed.
        observed: the day on which it was read, ISO 8601.
        status: ``ok``, or why there is no text.
    """

    url: str
    title: str = ""
    text: str = ""
    observed: str = ""
    status: str = "ok"


class Outcome(msgspec.Struct, frozen=True):
    """Whether two pages are the same article.

    Attributes:
        accepted: they are.
        share: share of matching characters; 0 where the texts were not compared.
        reason: why they are not.
    """

    accepted: bool
    share: float = 0.0
    reason: str = ""


def normalised(text: str, normaliser: Normaliser = "casefold-words") -> str:
    """A text as it is compared."""
    if normaliser == "collapse-space":
        return " ".join(text.split())
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[^\W_]+", folded))


def matching_share(reference: str, copy: str, rule: EquivalenceRule) -> float:
    """The share of matching characters in two normalised texts, in blocks that are long enough, 0 to 1."""
    blocks = difflib.SequenceMatcher(None, reference, copy, autojunk=False).get_matching_blocks()
    matched = sum(block.size for block in blocks if block.size >= rule.block)
    lengths = {
        "copy": len(copy),
        "reference": len(reference),
        "shorter": min(len(copy), len(reference)),
        "longer": max(len(copy), len(reference)),
    }
    return matched / max(1, lengths[rule.denominator])


def same_article(reference: Page, copy: Page, rule: EquivalenceRule | None = None) -> Outcome:
    """Whether a page is a copy of a reference; a failed request or a short page proves nothing."""
    rule = rule or EquivalenceRule()
    if failed := next((page for page in (reference, copy) if page.status != "ok"), None):
        return Outcome(False, reason=f"{failed.url} was not read: {failed.status}")
    ours, theirs = (normalised(page.text[: rule.lead], rule.normaliser) for page in (reference, copy))
    if min(len(ours), len(theirs)) < rule.least:
        return Outcome(False, reason=f"a lead has fewer than {rule.least} characters")
    titles = [normalised(page.title, rule.normaliser) for page in (reference, copy)]
    if titles[0] != titles[1] or not titles[0]:
        return Outcome(False, reason="the titles differ")
    share = matching_share(ours, theirs, rule)
    return Outcome(share >= rule.share, share, "" if share >= rule.share else "too few characters match")


def candidates(url: str, mirrors: Iterable[Sequence[str]]) -> Iterator[str]:
    """Addresses at which copies of a reference may be, by templates alone.

    Args:
        url: the reference.
        mirrors: groups of templates of one article's address, with ``{title}`` where its title stands.
    """
    for group in mirrors:
        titles = {template: found for template in group if (found := _title(url, template))}
        for title in list(titles.values())[:1]:
            name = quote(title, safe="/:(),'!*")
            yield from (template.replace("{title}", name) for template in group if template not in titles)


def find_copies(
    tasks: Iterable[Task],
    pages: Mapping[str, Page],
    mirrors: Sequence[Sequence[str]],
    rule: EquivalenceRule | None = None,
    policy: UrlPolicy = DEFAULT,
) -> Iterator[EquivalentCopy]:
    """The copies of references among captured pages, each with how it was found to be one.

    Args:
        tasks: the questions; what a search tool returned plays no part.
        pages: captured pages by canonical address.
        mirrors: as for :func:`candidates`.
        rule: when a page is a copy.
        policy: when two addresses are one document.
    """
    rule = rule or EquivalenceRule()
    seen: set[tuple[str, str]] = set()
    for url in (url for task in tasks for url in task.reference_urls):
        reference = pages.get(document_url(url, policy).canonical)
        for made in candidates(url, mirrors) if reference else ():
            copy = pages.get(document_url(made, policy).canonical)
            if reference is None or copy is None or (url, copy.url) in seen:
                continue
            seen.add((url, copy.url))
            outcome = same_article(reference, copy, rule)
            if outcome.accepted:
                yield EquivalentCopy(
                    reference_url=url,
                    url=copy.url,
                    method=rule.method,
                    observed=max(reference.observed, copy.observed),
                    share=round(outcome.share, 4),
                    reference_sha256=_sha256(reference.text),
                    copy_sha256=_sha256(copy.text),
                )


def _title(url: str, template: str) -> str | None:
    """The title in an address of a template's shape, its blanks as underscores."""
    before, _, after = template.partition("{title}")
    pattern = re.escape(_bare(before)) + r"([^?#&]+)" + re.escape(after)
    found = re.fullmatch(pattern, document_url(url).canonical)
    return unquote(found[1]).replace(" ", "_") if found else None


def _bare(url: str) -> str:
    return re.sub(r"^https?://(www\.)?", "", url.strip(), flags=re.IGNORECASE)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
