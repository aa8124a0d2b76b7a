"""LoTTE: one domain or several, ids that do not meet, and what is refused."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

import pytest

from beirkit.converters.catalog import convert
from beirkit.corpora.collection import Collection
from beirkit.corpora.errors import BeirkitError, ConfigError

RELEASE = Path(__file__).parent.parent / "fixtures" / "lotte" / "raw"
WRITING = RELEASE / "lotte" / "writing"


def told(collection: Collection) -> tuple[list[str], list[str], dict[str, set[tuple[str, str]]]]:
    return (
        [document.doc_id for document in collection.documents()],
        [query.query_id for query in collection.queries()],
        {s: {(j.query_id, j.doc_id) for j in collection.judgments(s)} for s in collection.splits},
    )


@pytest.mark.parametrize(
    ("raw", "options"),
    [(RELEASE, {"domains": ["writing"]}), (WRITING, {}), (WRITING / "test", {})],
    ids=["release", "domain", "part"],
)
def test_one_domain_keeps_its_numbers(raw: Path, options: dict[str, Any]) -> None:
    documents, queries, judgments = told(convert("lotte", raw, options))
    assert documents == ["0", "1", "2"]
    assert queries == ["search-0", "forum-0", "forum-1"]
    assert judgments == {"search": {("search-0", "0")}, "forum": {("forum-0", "1"), ("forum-0", "2")}}


def test_one_kind_of_questions_keeps_its_numbers_too() -> None:
    documents, queries, judgments = told(convert("lotte", WRITING, {"questions": "forum"}))
    assert documents == ["0", "1", "2"]
    assert queries == ["0", "1"]
    assert judgments == {"forum": {("0", "1"), ("0", "2")}}


def test_the_other_part_is_another_collection() -> None:
    documents = convert("lotte", RELEASE, {"domains": ["writing"], "part": "dev"}).documents()
    assert [document.text for document in documents] == ["Another collection."]


def test_the_archive_gives_what_the_folder_gives(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "lotte.tar.gz", "w:gz") as archive:
        archive.add(RELEASE / "lotte", "lotte")
    options = {"domains": ["science", "writing"]}
    from_archive, from_folder = (
        convert("lotte", tmp_path / "lotte.tar.gz", options),
        convert("lotte", RELEASE, options),
    )
    assert told(from_archive) == told(from_folder)
    assert told(from_archive)[0] == ["science-0", "science-1", "writing-0", "writing-1", "writing-2"]


@pytest.mark.parametrize(
    ("raw", "options", "found"),
    [
        (RELEASE, {}, "has 2 domains: science, writing (say which, several are pooled"),
        (RELEASE, {"domains": ["writting"]}, "has no test part of 'writting' (did you mean 'writing'?)"),
        (RELEASE, {"domains": ["science"], "part": "dev"}, "has no dev part of 'science'"),
        (RELEASE / "lotte" / "science", {"part": "dev"}, "has no part 'dev'"),
    ],
)
def test_a_domain_must_be_chosen_and_there(raw: Path, options: dict[str, Any], found: str) -> None:
    with pytest.raises(BeirkitError) as caught:
        convert("lotte", raw, options)
    assert str(caught.value).startswith(f"{raw}: {found}")


def test_an_unknown_kind_of_questions_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'forum'"):
        convert("lotte", WRITING, {"questions": "forums"})
