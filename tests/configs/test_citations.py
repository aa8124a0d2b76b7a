"""The papers that are cited: complete for what ships, about nothing that does not, and good BibTeX."""

from __future__ import annotations

import re

import pytest

from beirkit.configs.citations import Paper, papers, papers_for
from beirkit.configs.load import load_dataset, load_retriever, names
from beirkit.retrievers import catalog as retrievers


def test_papers_are_about_what_ships() -> None:
    for key, paper in papers().items():
        assert set(paper.datasets) <= set(names("datasets")), key
        assert set(paper.suites) <= set(names("suites")), key
        assert set(paper.retrievers) <= set(names("retrievers")), key
        assert set(paper.kinds) <= set(retrievers.kinds()), key
        assert paper.datasets or paper.suites or paper.retrievers or paper.kinds or paper.tools, key


@pytest.mark.parametrize("name", names("datasets"))
def test_every_dataset_has_something_to_cite(name: str) -> None:
    config = load_dataset(name)
    assert papers_for("datasets", name) or config.citation
    assert config.licence


@pytest.mark.parametrize("name", names("retrievers"))
def test_every_retriever_has_something_to_cite(name: str) -> None:
    assert papers_for("retrievers", name), load_retriever(name).citation


def test_every_suite_but_those_of_ones_own_has_a_paper() -> None:
    assert {name for name in names("suites") if papers_for("suites", name)} >= {"beir-13", "nano-beir"}


@pytest.mark.parametrize("key", list(papers()))
def test_entries_can_be_read(key: str) -> None:
    """Each entry has its braces closed, one field a line, and no character that stops LaTeX."""
    paper = papers()[key]
    assert re.fullmatch(r"[a-z0-9-]+", key)
    head, *lines, end = paper.bibtex(key).splitlines()
    assert (head, end) == (f"@{paper.kind}{{{key},", "}")
    for line in lines:
        name, value = re.fullmatch(r"  (\w+) = \{(.*)\},", line).groups()  # type: ignore[union-attr]  # asserts
        assert value.count("{") == value.count("}")
        if name not in ("doi", "url"):
            assert not re.search(r"(?<!\\)[&%$#_]", value)
    needed = {"article": "journal", "inproceedings": "booktitle"}.get(paper.kind)
    assert needed is None or getattr(paper, needed)
    assert all("," in one or one == "others" or one.startswith("{") for one in paper.author)
    assert str(paper).startswith(paper.author[0].strip("{}").split(", ")[-1])


def test_an_entry_by_hand() -> None:
    paper = Paper(
        kind="article", title="A_b & C", author=["Doe, Jane", "{The 5% Club}"], journal="J", volume="2",
        number="3", pages="1--9", year=2020, doi="10.1/a_b", arxiv="2001.00001",
    )  # fmt: skip
    assert paper.bibtex("k") == (
        "@article{k,\n  author = {Doe, Jane and {The 5\\% Club}},\n  title = {{A\\_b \\& C}},\n"
        "  journal = {J},\n"
        "  volume = {2},\n  number = {3},\n  pages = {1--9},\n  year = {2020},\n  doi = {10.1/a_b},\n"
        "  eprint = {2001.00001},\n  archiveprefix = {arXiv},\n}"
    )
    assert str(paper) == "Jane Doe, The 5% Club. A_b & C. J 2(3), 2020. doi:10.1/a_b"
