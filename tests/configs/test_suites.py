"""The shipped suites have the members that people know them by, and forms on the hub are mteb's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from beirkit.configs.load import load_dataset, load_suite, names
from beirkit.configs.schema import Published, SuiteConfig
from beirkit.configs.suites import suite_tree
from beirkit.corpora.errors import ConfigError

THIRTEEN = {
    "arguana", "climate-fever", "dbpedia-entity", "fever", "fiqa", "hotpotqa", "nfcorpus", "nq", "quora",
    "scidocs", "scifact", "trec-covid", "webis-touche2020",
}  # fmt: skip
PRIVATE = {"bioasq", "robust04", "signal1m", "trec-news"}
HARD = {"climate-fever-hard-negatives", "fever-hard-negatives", "hotpotqa-hard-negatives"}
NANO = {f"nano-{name}" for name in THIRTEEN - {"trec-covid"} | {"msmarco"}}
MEMBERS = {
    "beir-13": THIRTEEN,
    "beir-15": THIRTEEN | {"cqadupstack", "msmarco"},
    "beir-18": THIRTEEN | {"cqadupstack"} | PRIVATE,
    "nano-beir": NANO,
    "mteb-eng-v2-retrieval": HARD
    | {"arguana", "cqadupstack-gaming", "cqadupstack-unix", "fiqa", "scidocs", "trec-covid"}
    | {"webis-touche2020-v3"},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_a_suite_has_its_members_each_once(name: str) -> None:
    suite = load_suite(name)
    assert suite.name == name
    assert sorted(suite.datasets) == sorted(MEMBERS[name])
    assert not suite.retrievers


def test_cqadupstack_has_twelve_forums_and_counts_once() -> None:
    assert len(load_suite("cqadupstack").datasets) == 12
    tree = suite_tree(load_suite("beir-15"))
    assert (len(tree.members), len(tree.leaves())) == (15, 26)


def test_two_inner_suites_of_one_name_are_refused(tmp_path: Path) -> None:
    one, two, around = (tmp_path / f"{name}.yaml" for name in ("one", "two", "around"))
    one.write_text("name: water\ndatasets: [scifact]\n", encoding="utf-8")
    two.write_text("name: water\ndatasets: [nfcorpus]\n", encoding="utf-8")
    around.write_text(f"name: around\ndatasets: [{two}]\n", encoding="utf-8")
    for second in (two, around):
        suite = SuiteConfig(name="outer", datasets=[str(one), str(second)])
        with pytest.raises(ConfigError, match="two suites are called 'water'") as told:
            suite_tree(suite)
        assert f"{one} and {two}" in str(told.value)
    around.write_text(f"name: around\ndatasets: [{one}]\n", encoding="utf-8")
    tree = suite_tree(SuiteConfig(name="outer", datasets=[str(one), str(around)]))
    assert [node.name for node in tree.suites()] == ["water", "water", "around", "outer"]


@pytest.mark.parametrize("name", names("suites"))
def test_every_member_is_there_with_a_split_to_report(name: str) -> None:
    for leaf in suite_tree(load_suite(name)).leaves():
        assert load_dataset(leaf).reported_split


def test_ms_marco_is_reported_on_dev_and_nanobeir_on_its_only_split() -> None:
    assert load_dataset("msmarco").reported_split == "dev"
    assert {load_dataset(name).reported_split for name in NANO} == {"train"}


def test_nanobeir_has_fifty_queries_of_each_set() -> None:
    counts = {name: load_dataset(name).expected for name in NANO}
    queries = {name: expected.queries for name, expected in counts.items() if expected}
    assert queries == {name: 49 if "touche" in name else 50 for name in NANO}


def _on_the_hub(owner: str) -> Iterator[tuple[str, Published]]:
    for name in names("datasets"):
        for form in load_dataset(name).published:
            if form.kind == "huggingface" and form.repository.startswith(f"{owner}/"):
                yield name, form


def test_a_repository_of_mteb_is_pinned() -> None:
    forms = list(_on_the_hub("mteb"))
    assert len(forms) >= 40
    assert not [name for name, form in forms if len(form.revision) != 40]


def test_pinned_repositories_are_those_of_the_installed_mteb() -> None:
    mteb = pytest.importorskip("mteb", reason="needs the part 'mteb'")
    tasks = mteb.get_tasks(task_types=["Retrieval"], exclude_superseded=False, languages=["eng", "deu"])
    pinned = {(task.metadata.dataset["path"], task.metadata.dataset["revision"]): task for task in tasks}
    forms = list(_on_the_hub("mteb"))
    assert not {form.repository for _, form in forms if (form.repository, form.revision) not in pinned}
    for name, form in forms:
        task, expected = pinned[form.repository, form.revision], load_dataset(name).expected
        assert expected is not None
        for split, counted in task.metadata.descriptive_stats.items():
            if split in task.metadata.eval_splits:
                assert counted.get("num_documents", expected.documents) == expected.documents, name
                grades = expected.judgments.get(split, {})
                judged = sum(number for grade, number in grades.items() if grade)  # mteb counts -1 as well
                assert not grades or judged == counted["relevant_docs_statistics"]["num_relevant_docs"], name
    benchmark = mteb.get_benchmark("MTEB(eng, v2)")
    theirs = {task.metadata.dataset["path"] for task in benchmark.tasks if task.metadata.type == "Retrieval"}
    members = load_suite("mteb-eng-v2-retrieval").datasets
    assert {form.repository for name, form in forms if name in members} == theirs
