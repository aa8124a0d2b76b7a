"""Questions with their answers and the pages that support these, known by address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from beirkit.corpora.errors import DataError
from beirkit.corpora.records import Query
from beirkit.corpora.urls import DocumentUrl, UrlPolicy, document_url

POLICY = "url_policy"
"""The key of a collection's options under which its policy of addresses stands."""

Json = dict[str, Any]


class EquivalentCopy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page that was found to be a copy of a reference.

    Attributes:
        reference_url: the reference, as the publisher wrote it.
        url: the copy.
        method: name of the rule that accepted it, with its parameters' hash.
        observed: the day on which both pages were read, ISO 8601.
        share: share of matching characters that was found, 0 to 1.
        reference_sha256: of the reference page's text.
        copy_sha256: of the copy's text.
    """

    reference_url: str
    url: str
    method: str
    observed: str
    share: float
    reference_sha256: str
    copy_sha256: str


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One question; the keys are those of a record of LexBench-SimpleQA-Verified.

    Attributes:
        id: the query's id.
        query: the publisher's question, unchanged.
        reference_answer: the publisher's answer, unchanged.
        reference_urls: the publisher's addresses, junk among them included.
        topic: the publisher's label.
        answer_type: the publisher's label, such as ``Date``.
        provenance: which row of which source it is; its form is whoever wrote the record's.
        derivation: what was done to it, likewise.
        equivalent_reference_urls: copies of the references.
        equivalent_reference_provenance: how each copy was found to be one; ours are those of
            :class:`EquivalentCopy`.
    """

    id: str
    query: str
    reference_answer: str
    reference_urls: list[str]
    topic: str = ""
    answer_type: str = ""
    provenance: Any = {}
    derivation: Any = {}
    equivalent_reference_urls: list[str] = []
    equivalent_reference_provenance: list[Json] = []

    def source(self, key: str) -> Any:
        """What the provenance says under a key; None where it says nothing."""
        return self.provenance.get(key) if isinstance(self.provenance, dict) else None

    def with_copies(self, copies: Iterable[EquivalentCopy]) -> Task:
        """The same question with further copies of its references."""
        new = [copy for copy in copies if copy.url not in self.equivalent_reference_urls]
        if not new:
            return self
        return msgspec.structs.replace(
            self,
            equivalent_reference_urls=[*self.equivalent_reference_urls, *(copy.url for copy in new)],
            equivalent_reference_provenance=[
                *self.equivalent_reference_provenance,
                *(msgspec.to_builtins(copy) for copy in new),
            ],
        )


def query_of(task: Task, policy: UrlPolicy) -> Query:
    """A task as a query of a BEIR folder: all but id and text stands in its metadata."""
    metadata: Json = msgspec.to_builtins(task)
    invalid = [url for url in task.reference_urls if document_url(url, policy).tier == "invalid"]
    for key in ("id", "query"):
        del metadata[key]
    for key in ("equivalent_reference_urls", "equivalent_reference_provenance"):
        if not metadata[key]:
            del metadata[key]
    if invalid:
        metadata["invalid_reference_urls"] = invalid
    return Query(task.id, task.query, metadata)


def task_of(query: Query) -> Task:
    """The task that a query of a BEIR folder stands for.

    Raises:
        DataError: its metadata have no answer or no addresses.
    """
    fields = {key: value for key, value in query.metadata.items() if key != "invalid_reference_urls"}
    try:
        return msgspec.convert({**fields, "id": query.query_id, "query": query.text}, Task)
    except msgspec.ValidationError as error:
        raise DataError(
            f"query {query.query_id!r} is no question with supporting pages: {error}",
            hint="its metadata need reference_answer and reference_urls; convert it with the format lexbench",
        ) from error


class Supporting:
    """Which documents support a task: its references, and their copies under the reference's name.

    Args:
        task: the question.
        policy: when two addresses are one document.
    """

    def __init__(self, task: Task, policy: UrlPolicy) -> None:
        self.policy = policy
        self.references: dict[str, str] = {}
        """First spelling of each valid reference by its canonical name, in order."""
        self.names: dict[str, str] = {}
        """Canonical name of a reference by that of each of its copies and its own."""
        for url in task.reference_urls:
            found = document_url(url, policy)
            if found.tier != "invalid":
                self.references.setdefault(found.canonical, url)
                self.names[found.canonical] = found.canonical
        told = {str(copy.get("url")): copy for copy in task.equivalent_reference_provenance}
        for url in task.equivalent_reference_urls if self.references else ():
            found = document_url(url, policy)
            reference = document_url(str(told.get(url, {}).get("reference_url", "")), policy).canonical
            if reference not in self.references:  # a record of another form: it is a copy of one of them
                reference = next(iter(self.references))
            if found.tier != "invalid":
                self.names.setdefault(found.canonical, reference)

    def of(self, found: DocumentUrl) -> str | None:
        """The canonical name of the reference that a page is, itself or as a copy; None: of no reference."""
        return None if found.tier == "invalid" else self.names.get(found.canonical)

    def archived(self, found: DocumentUrl) -> str | None:
        """The reference that an archive's page shows, or of which the reference shows an archived form."""
        if found.tier == "archived_copy" and found.origin:
            return self.names.get(found.origin)
        for reference, url in self.references.items():
            shown = document_url(url, self.policy)
            if shown.tier == "archived_copy" and shown.origin and shown.origin == found.canonical:
                return reference
        return None


def policy_record(policy: UrlPolicy) -> Json:
    """A policy as it is recorded: its name, switches and hash."""
    hosts = sorted(policy.mobile_hosts)
    return {**msgspec.to_builtins(policy), "mobile_hosts": hosts, "sha256": policy.sha256}


def policy_of(options: Json) -> UrlPolicy:
    """The policy that a collection was made under, by the options of its provenance.

    Raises:
        DataError: it was made under a definition that this version of beirkit does not have.
    """
    recorded = dict(options.get(POLICY) or {})
    if not recorded:
        return UrlPolicy()
    stated = recorded.pop("sha256", "")
    try:
        policy = msgspec.convert(recorded, UrlPolicy)
    except msgspec.ValidationError as error:
        raise DataError(f"its policy of addresses is unknown: {error}", hint="convert it again") from error
    if stated not in ("", policy.sha256):
        raise DataError(
            f"its addresses were compared under another definition of {policy.name} ({stated[:12]}…)",
            hint="convert it again, or score with the version of beirkit that made it",
        )
    return policy
