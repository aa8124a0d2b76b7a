"""Files of term weights: every form in which people have them, and what is refused with path and line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from beirkit.corpora.errors import DataError, UsageError
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.sparse.vector_files import read_vectors, vector_files, vectors_sha256


def read(place: Path, role: Role = "document") -> dict[str, dict[str, float]]:
    return {vector.key: dict(vector.weights) for vector in read_vectors(place, role)}


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "d1", "contents": "Owls hunt.", "vector": {"owl": 3.1, "##s": 2}}',  # Pyserini
        '{"id": "d1", "content": "Owls hunt.", "vector": {"owl": 3.1, "##s": 2}}',  # SPLADE
        '{"id": "d1", "text": "Owls hunt.", "vector": {"owl": 3.1, "##s": 2}}',
        '{"vector": {"owl": 3.1, "##s": 2}, "_id": "d1"}',
        '{"docid": "d1", "vector": {"owl": 3.1, "##s": 2.0}}',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_json_lines_of_every_tool(tmp_path: Path, line: str, end: str) -> None:
    assert read(write(tmp_path / "a.jsonl", line + end)) == {"d1": {"owl": 3.1, "##s": 2}}


def test_an_id_that_is_a_number_is_its_decimal_text(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": 7, "vector": {}}\n\n{"id": "07", "vector": {"a": 1}}\n')
    assert read(path) == {"7": {}, "07": {"a": 1}}


def test_pseudo_text_counts_its_terms_in_the_order_they_come(tmp_path: Path) -> None:
    path = write(tmp_path / "topics.tsv", "q1\tvole owl owl vole owl\nq2\t\n")
    found = read(path, "query")
    assert found == {"q1": {"vole": 2, "owl": 3}, "q2": {}}
    assert list(found["q1"]) == ["vole", "owl"]


def test_a_folder_is_its_files_by_name_compressed_or_not(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", '{"id": "2", "vector": {"b": 1}}\n')
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"id": "1", "vector": {"a": 1}}\n'))
    write(tmp_path / "README.md", "not a vector")
    write(tmp_path / ".b.jsonl.part", "not a vector")
    assert list(read(tmp_path)) == ["1", "2"]
    assert [path.name for path in vector_files(tmp_path, "document")] == ["a.jsonl.gz", "b.jsonl"]


def test_hashes_know_contents_and_not_names(tmp_path: Path) -> None:
    one = write(tmp_path / "one" / "x.jsonl", '{"id": "1", "vector": {}}\n')
    two = write(tmp_path / "two" / "y.jsonl", '{"id": "1", "vector": {}}\n')
    assert vectors_sha256(one.parent, "document") == vectors_sha256(two, "document")
    write(two, '{"id": "1", "vector": {"a": 1}}\n')
    assert vectors_sha256(one.parent, "document") != vectors_sha256(two, "document")


def test_negative_and_zero_weights_are_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": "d", "vector": {"a": -1.5, "b": 0, "c": 1e-40}}\n')
    assert read(path)["d"] == {"a": -1.5, "b": 0, "c": 1e-40}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "d", "vector": {"a": NaN}}', "the weight of 'a' is nan (weights are finite"),
        ('{"id": "d", "vector": {"a": 1, "b": -Infinity}}', "the weight of 'b' is -inf"),
        ('{"id": "d", "vector": {"a": 1e39}}', "the weight of 'a' is 1e+39, beyond what float32 holds"),
        ('{"id": "d", "vector": {"a": -1e39}}', "the weight of 'a' is -1e+39, beyond"),
        ('{"id": "d", "vector": {"a": true}}', "the weight of 'a' is true, no number"),
        ('{"id": "d", "vector": {"a": "2"}}', "the weight of 'a' is \"2\", no number"),
        ('{"id": "d", "vector": {"a": null}}', "the weight of 'a' is null, no number"),
        ('{"id": "d", "vector": {"a": {"b": 1}}}', "the weight of 'a' is {\"b\":1}, no number"),
        ('{"id": "d", "vector": [0.1, 0.2]}', "its vector is a list, that of a dense model"),
        ('{"id": "d", "vector": null}', "its vector is null, no object"),
        ('{"id": "d", "contents": "owl owl"}', "has no vector; its keys: 'id', 'contents'"),
        ('{"vector": {"a": 1}}', "has no id; its keys: 'vector'"),
        ('{"id": "d", "_id": "e", "vector": {}}', "has two ids: id 'd', _id 'e'"),
        ('{"id": null, "vector": {}}', "its id is null, neither a string nor an integer"),
        ('{"id": true, "vector": {}}', "its id is true, neither"),
        ('{"id": "", "vector": {}}', "id '' is empty"),
        ('{"id": "a\\tb", "vector": {}}', "holds the control character U+0009"),
        ('{"id": "d", "vector": {"a": 1, "a": 2}}', "the key 'a' stands twice in one object"),
        ('{"id": "d", "vector": {"a": 1}', "is not JSON"),
        ('["d"]', "is not a JSON object"),
        ("d\towl owl", "is not JSON"),
    ],
)
def test_what_is_no_vector_is_refused_at_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "a.jsonl", '{"id": "first", "vector": {"a": 1}}\n' + line + "\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:2: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 owl\n", ":1: has 1 columns, not 2"),
        ("q1\towl\t3\n", ":1: has 3 columns, not 2"),
        ('q1\t{"owl": 3}\n', ":1: has JSON behind the tab"),
        ("q1\towl\nq1\tvole\n", ":2: the vector of 'q1' stands at line 1 already"),
        ("\towl\n", ":1: id '' is empty"),
    ],
)
def test_pseudo_text_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "topics.tsv", text)
    with pytest.raises(DataError) as caught:
        read(path, "query")
    assert f"{path}{message}" in str(caught.value)


def test_an_id_that_stands_in_two_files_is_refused_with_both(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write(tmp_path / name, '{"id": "d", "vector": {}}\n')
    with pytest.raises(DataError, match=r"b\.jsonl:1: the vector of 'd' stands at a\.jsonl:1 already"):
        read(tmp_path)


def test_documents_are_no_table(tmp_path: Path) -> None:
    path = write(tmp_path / "docs.tsv", "d1\towl\n")
    with pytest.raises(DataError, match="is a table, in which documents are not read"):
        read(path)


def test_places_without_vectors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        read(tmp_path / "absent")
    (tmp_path / "corpus.npy").write_bytes(b"")
    with pytest.raises(UsageError, match=r"corpus\.npy beside it holds dense vectors"):
        read(tmp_path / "corpus")
    with pytest.raises(UsageError, match=r"no file in this folder ends in \.jsonl, \.json$"):
        read(tmp_path)


def test_a_term_with_a_colon_and_quotes_is_a_term(tmp_path: Path) -> None:
    """Repeated keys are looked for by their colons, which may stand in a term as well."""
    weights = {'":': 1.0, "a:b": 2.0, "\\": 3.0, "ключ": 4.0}
    path = write(tmp_path / "a.jsonl", json.dumps({"id": "d", "vector": weights}) + "\n")
    assert read(path)["d"] == weights
