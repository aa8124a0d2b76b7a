"""TREC topics in their four forms."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.converters.reading.trec_topics import Form, Topic, read_topics
from beirkit.corpora.errors import DataError


def topics(tmp_path: Path, text: str, form: Form | None = None) -> dict[str, dict[str, str]]:
    return {topic.number: topic.fields for topic in listed(tmp_path, text, form)}


def listed(tmp_path: Path, text: str, form: Form | None = None) -> list[Topic]:
    path = tmp_path / "topics.txt"
    path.write_text(text, encoding="utf-8")
    return list(read_topics(path, form))


def test_sgml_without_closing_tags_on_one_line(tmp_path: Path) -> None:
    text = "<top><num> Number: 301 <title> T <desc> Description: \nFind x\ny.\n<narr>Narrative:\nN\n</top>"
    assert topics(tmp_path, text) == {"301": {"title": "T", "description": "Find x y.", "narrative": "N"}}


def test_sgml_with_closing_tags_and_mistyped_ones(tmp_path: Path) -> None:
    text = "<top>\n<num> 321 </num>\n<docid>ab</docid>\n<url>https://x.org/<url>\n</top>\n"
    assert topics(tmp_path, text) == {"321": {"docid": "ab", "url": "https://x.org/"}}


def test_a_label_is_taken_off_its_own_field_only(tmp_path: Path) -> None:
    text = (
        "<top>\n<num> Number:  001\n<dom> Domain: Trade\n<title> Topic:  Number: five\n<desc>\n"
        "Description of Topic: mills\n<narr> Narrative\nNarrative: first\n<con> Concept(s):\n1. A\n</top>"
    )
    assert topics(tmp_path, text) == {
        "001": {
            "domain": "Trade",
            "title": "Number: five",
            "description": "Description of Topic: mills",
            "narrative": "Narrative: first",
            "con": "1. A",
        }
    }


def test_markup_inside_a_line_is_text_and_a_new_tag_at_its_start_a_field(tmp_path: Path) -> None:
    text = "<top>\n<num> 1\n<narr>\nat < 5 m, <b>not</b> a field\n<style> wide\n</top>"
    assert topics(tmp_path, text) == {"1": {"narrative": "at < 5 m, <b>not</b> a field", "style": "wide"}}


def test_line_ends_become_one_blank_and_nothing_else_changes(tmp_path: Path) -> None:
    description = " Two  blanks,\ta tab \r\nand an end. \r\n\r\n"
    text = f"<top>\r\n<num> Number: 1\r\n<desc> Description: \r\n{description}</top>"
    (topic,) = listed(tmp_path, text)
    assert topic.fields["description"] == "Two  blanks,\ta tab  and an end."


def test_xml_with_attributes_entities_and_inner_elements(tmp_path: Path) -> None:
    text = (
        '<?xml version="1.0"?>\n<topics batch="1">\n <topic number="7" type="single">\n'
        "  <query>a &amp; b</query>\n  <question>what  is\n<i>this</i>?</question>\n </topic>\n</topics>"
    )
    (topic,) = listed(tmp_path, text)
    assert topic.fields == {"type": "single", "query": "a & b", "question": "what  is this?"}
    assert (topic.number, topic.line) == ("7", 3)


def test_xml_may_name_the_topic_in_a_child(tmp_path: Path) -> None:
    text = "<topics><topic><id>x-1</id><title>T</title></topic></topics>"
    assert topics(tmp_path, text) == {"x-1": {"title": "T"}}


def test_fields_that_come_twice_are_joined(tmp_path: Path) -> None:
    text = (
        "<topics><topic number='1'><subtopic type='inf'>a</subtopic><subtopic>b</subtopic></topic></topics>"
    )
    assert topics(tmp_path, text) == {"1": {"subtopic": "a b"}}
    assert topics(tmp_path, "<top>\n<num> 1\n<sub> a\n<sub> b\n</top>") == {"1": {"sub": "a b"}}


def test_two_columns_are_parted_at_the_first_tab_only(tmp_path: Path) -> None:
    assert topics(tmp_path, "350\tto\twork\n\n351\tx") == {
        "350": {"title": "to\twork"},
        "351": {"title": "x"},
    }


def test_a_colon_parts_id_and_text(tmp_path: Path) -> None:
    assert topics(tmp_path, "1:obama: family tree\n") == {"1": {"title": "obama: family tree"}}


def test_the_form_can_be_said(tmp_path: Path) -> None:
    assert topics(tmp_path, "1:a\t2\n", "colon") == {"1": {"title": "a\t2"}}


def test_several_fields_are_joined_and_short_names_known(tmp_path: Path) -> None:
    (topic,) = listed(tmp_path, "<top>\n<num> 1\n<title> T\n<desc> D\n</top>")
    assert topic.text("title+desc") == "T D"
    assert topic.text("narr+title") == "T"


WORDS = st.text(st.characters(exclude_characters="<>\r", exclude_categories=["Cs", "Cc"]), min_size=1)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_what_is_written_as_sgml_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    text = "".join(
        f"<top>\n<num> Number: {number}\n<title> Topic: {title}\n\n"
        f"<desc> Description:\n{description}\n</top>\n"
        for number, (title, description) in enumerate(rows)
    )
    found = [topic.fields for topic in listed(tmp_path_factory.mktemp("topics"), text)]
    assert found == [{"title": t.strip(), "description": d.strip()} for t, d in rows]


@given(st.text(st.sampled_from('<>/topnumicde= :\t\n"&;1'), max_size=80))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    found: list[Topic] = []
    with suppress(DataError):
        found = listed(tmp_path_factory.mktemp("topics"), text)
    assert all(topic.number for topic in found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n<top>\n<title> T\n</top>", r"topics\.txt:2: the topic has no number"),
        ("<top>\n<num> 1\n</top>\n<top>\n<num> 1\n</top>", r"topics\.txt:4: topic 1 was at line 1 already"),
        ("<topics>\n<topic number='1'>\n<title>a & b</title>", r"topics\.txt:3: is not XML: .*&amp;"),
        ('<!DOCTYPE t [\n<!ENTITY a "b">]>\n<topic number="1"/>', r"topics\.txt:2: declares the entity 'a'"),
        ("1\ta\nno tab", r"topics\.txt:2: has no tab between id and text"),
        ("just words", r"topics\.txt:1: has no colon between id and text"),
        ("<topics><topicset/></topics>\n", r"topics\.txt: holds no topic"),
        ("", r"topics\.txt: holds no topic"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    form: Form | None = "xml" if text.startswith("<topics><topicset") else None
    with pytest.raises(DataError, match=message):
        listed(tmp_path, text, form)


def test_a_missing_field_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    (topic,) = listed(tmp_path, "<top>\n<num> 9\n<title> T\n<narr>\n</top>")
    with pytest.raises(DataError, match=r"topics\.txt:1: topic 9 has no titel \(did you mean 'title'\?\)"):
        topic.text("titel")
    with pytest.raises(DataError, match="topic 9 has no narrative"):
        topic.text("narrative")
