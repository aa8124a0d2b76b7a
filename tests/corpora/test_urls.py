"""``document-url/1``: the cases that libraries get wrong, and the properties that make it usable as an id."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beirkit.corpora.urls import DEFAULT, UrlPolicy, document_url

SAME = {
    "brackets": ("https://x.example/a_%28b%29", "https://x.example/a_(b)"),
    "hex digits": ("https://x.example/%c3%a9", "https://x.example/%C3%A9"),
    "plain letters": ("https://x.example/é", "https://x.example/%C3%A9"),
    "apostrophe": ("https://x.example/it%27s", "https://x.example/it's"),
    "two ways to write é": ("https://x.example/e\u0301", "https://x.example/\u00e9"),
    "default port": ("https://x.example:443/a", "https://x.example/a"),
    "default port of http": ("http://x.example:80/a", "http://x.example/a"),
    "scheme": ("http://x.example/a", "https://x.example/a"),
    "scheme in capitals": ("HTTPS://x.example/a", "https://x.example/a"),
    "www": ("https://www.x.example/a", "https://x.example/a"),
    "mobile Wikipedia": ("https://en.m.wikipedia.org/wiki/A", "https://en.wikipedia.org/wiki/A"),
    "host in capitals": ("https://X.Example/a", "https://x.example/a"),
    "dot after the host": ("https://x.example./a", "https://x.example/a"),
    "user": ("https://me:secret@x.example/a", "https://x.example/a"),
    "international name": ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
    "text fragment": ("https://x.example/a#:~:text=blue%20gate", "https://x.example/a"),
    "tracking": ("https://x.example/a?utm_source=z&id=3&fbclid=1", "https://x.example/a?id=3"),
    "order of parameters": ("https://x.example/a?b=2&a=1", "https://x.example/a?a=1&b=2"),
    "blank value": ("https://x.example/a?b=&a", "https://x.example/a?a=&b="),
    "plus in a query": ("https://x.example/a?q=b+c", "https://x.example/a?q=b%20c"),
    "dot segments": ("https://x.example/a/./b/../c", "https://x.example/a/c"),
    "encoded dot segments": ("https://x.example/a/%2e%2e/c", "https://x.example/c"),
    "slash at the end": ("https://x.example/a/", "https://x.example/a"),
    "no path": ("https://x.example", "https://x.example/"),
    "doubled slash": ("https://x.example//a", "https://x.example/a"),
    "blank in a title": ("https://en.wikipedia.org/wiki/A%20B", "https://en.wikipedia.org/wiki/A_B"),
    "first letter of a title": ("https://en.wikipedia.org/wiki/blue_Gate", "https://en.wikipedia.org/wiki/Blue_Gate"),
    "index.php": ("https://en.wikipedia.org/w/index.php?title=Blue_Gate", "https://en.wikipedia.org/wiki/Blue_Gate"),
    "slash in a title": ("https://en.wikipedia.org/wiki/AC%2FDC", "https://en.wikipedia.org/wiki/AC/DC"),
    "white space around": (" https://x.example/a\n", "https://x.example/a"),
    "blank in a path": ("https://x.example/a b", "https://x.example/a%20b"),
    "IPv6": ("http://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
}  # fmt: skip

DIFFERENT = {
    "case of a path": ("https://en.wikipedia.org/wiki/Blue_gate", "https://en.wikipedia.org/wiki/Blue_Gate"),
    "host and its pages": ("https://x.example", "https://x.example/a"),
    "prefix of a path": ("https://x.example/a", "https://x.example/ab"),
    "query": ("https://x.example/a?id=3", "https://x.example/a"),
    "index file": ("https://x.example/index.html", "https://x.example/"),
    "index file with query": ("https://x.example/index.php?p=1", "https://x.example/?p=1"),
    "subdomain": ("https://m.x.example/a", "https://x.example/a"),
    "other language": ("https://en.wikipedia.org/wiki/A", "https://es.wikipedia.org/wiki/A"),
    "port": ("https://x.example:8443/a", "https://x.example/a"),
    "port of the other scheme": ("http://x.example:443/a", "http://x.example/a"),
    "encoded slash": ("https://x.example/a%2Fb", "https://x.example/a/b"),
    "encoded question mark": ("https://x.example/a%3Fb=1", "https://x.example/a?b=1"),
    "ampersand in a value": ("https://x.example/a?b=1%26c=2", "https://x.example/a?b=1&c=2"),
    "bytes that are no UTF-8": ("https://x.example/%E9", "https://x.example/%E8"),
    "old revision": ("https://en.wikipedia.org/w/index.php?title=A&oldid=7", "https://en.wikipedia.org/wiki/A"),
    "words of a dictionary": ("https://en.wiktionary.org/wiki/polish", "https://en.wiktionary.org/wiki/Polish"),
    "archive and origin": ("https://web.archive.org/web/2020/http://x.example/a", "http://x.example/a"),
}  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SAME.values(), ids=SAME)
def test_two_spellings_of_one_document(first: str, second: str) -> None:
    assert document_url(first) == document_url(second)
    assert document_url(first).tier == "document"


@pytest.mark.parametrize(("first", "second"), DIFFERENT.values(), ids=DIFFERENT)
def test_two_documents(first: str, second: str) -> None:
    assert document_url(first).canonical != document_url(second).canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("https://web.archive.org/web/2020/http://x.org/a", "web.archive.org/web/2020/http://x.org/a"),
        ("https://en.wikipedia.org/w/index.php?title=a b&oldid=7", "en.wikipedia.org/wiki/A_b?oldid=7"),
        ("http://x.org:8080/A/?b=&a=é", "x.org:8080/A?a=%C3%A9&b="),
        ("https://x.org/100%", "x.org/100%25"),
        ("https://x.org/a/../..", "x.org/"),
    ],
)
def test_the_name_itself(text: str, canonical: str) -> None:
    assert document_url(text).canonical == canonical


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("'https://x.example/a'", "does not start"),
        ("Hillhttps://x.example/a", "does not start"),
        ("chrome-extension://abc/https://x.example/a.pdf", "does not start"),
        ("ftp://x.example/a", "does not start"),
        ("see page 5", "does not start"),
        ("", "does not start"),
        ("https://", "no host"),
        ("https:///a", "no host"),
        ("https://x..example/a", "no domain name"),
        ("https://x.example/a https://y.example/b", "second address"),
        ("https://x.example/a\nb", "line end"),
        ("https://x.example:port/", "Port"),
        ("https://[::1/a", "IPv6"),
        ("https://x.example/\ud800", "surrogate"),
    ],
)
def test_what_is_no_address_is_kept_and_told(text: str, problem: str) -> None:
    found = document_url(text)
    assert found.tier == "invalid"
    assert found.canonical == text.strip()
    assert problem in found.problem


@pytest.mark.parametrize(
    "text",
    ["'https://x.example/a'", '"https://x.example/a', "Hillhttps://x.example/a", "https://x.example/a'"],
)
def test_repair_reads_junk_as_what_it_means(text: str) -> None:
    assert document_url(text, UrlPolicy(repair=True)) == document_url("https://x.example/a")


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://web.archive.org/web/20200101000000/https://x.example/a?b=1", "x.example/a?b=1"),
        ("http://web.archive.org/web/20200101000000id_/http://www.x.example/a/", "x.example/a"),
        ("https://web.archive.org/web/2010/www.x.example/a", "x.example/a"),
        ("https://archive.ph/20201019191835/https://x.example/a", "x.example/a"),
        ("https://archive.ph/Ab3dE", ""),
        ("https://webarchive.nla.gov.au/awa/2011/http://x.example/a.pdf", "x.example/a.pdf"),
        ("https://r.jina.ai/https://x.example/a", "x.example/a"),
        ("https://r.jina.ai/https://web.archive.org/web/2020/https://x.example/a", "x.example/a"),
    ],
)
def test_archives_are_a_tier_of_their_own(text: str, origin: str) -> None:
    found = document_url(text)
    assert (found.tier, found.origin) == ("archived_copy", origin)
    assert found.canonical != origin


def test_a_page_of_an_archive_about_itself_is_a_document() -> None:
    assert document_url("https://web.archive.org/about").tier == "document"


def test_routes_behind_the_hash_are_kept_where_asked_for() -> None:
    routes = UrlPolicy(hash_routes=True)
    assert document_url("https://x.example/#/p/20").canonical == "x.example/"
    assert document_url("https://x.example/#/p/20", routes).canonical == "x.example/#/p/20"
    assert document_url("https://x.example/a#:~:text=b", routes).canonical == "x.example/a"
    assert document_url("https://x.example/a#History", routes).canonical == "x.example/a"


def test_mobile_hosts_are_named_one_by_one() -> None:
    policy = UrlPolicy(mobile_hosts=("m.x.example",))
    assert document_url("https://m.x.example/a", policy) == document_url("https://x.example/a")
    assert document_url("https://m.y.example/a", policy).canonical == "m.y.example/a"


def test_a_policy_is_known_by_its_hash() -> None:
    assert DEFAULT.sha256 == UrlPolicy().sha256
    others = [UrlPolicy(repair=True), UrlPolicy(hash_routes=True), UrlPolicy(mobile_hosts=("m.x.example",))]
    assert len({DEFAULT.sha256, *(policy.sha256 for policy in others)}) == 4
    one, two = UrlPolicy(mobile_hosts=("a.b.c", "d.e.f")), UrlPolicy(mobile_hosts=("d.e.f", "a.b.c"))
    assert one.sha256 == two.sha256


addresses = st.builds(
    lambda host, path, query: f"https://{host}/{path}?{query}",
    st.sampled_from(["x.example", "www.x.example", "en.wikipedia.org", "web.archive.org", "X.example:8080"]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="?#"), max_size=30),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="#"), max_size=20),
)


@given(addresses)
def test_a_name_read_as_an_address_is_itself(text: str) -> None:
    found = document_url(text)
    if found.tier != "invalid":
        assert document_url(f"https://{found.canonical}").canonical == found.canonical


@given(addresses)
def test_a_name_can_stand_in_any_file(text: str) -> None:
    found = document_url(text)
    if found.tier != "invalid":
        assert found.canonical.isascii()
        assert not any(sign.isspace() for sign in found.canonical)


@given(st.text(max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    assert document_url(text).tier in ("document", "archived_copy", "invalid")
