"""What ``document-url/1`` is made of: its rules in sentences, and the lists that they speak of."""

from __future__ import annotations

import re

# A changed rule or list is another policy with another name; the hash of all this goes with every result.
RULES = (
    "white space around the address is trimmed; only http and https with a host are addresses",
    "scheme, user information, default port and the dot after the host are dropped; host in lower case, IDNA",
    "a leading www. is dropped; mobile hosts of Wikimedia are those without .m.",
    "path: dot segments resolved, UTF-8 decoded and encoded one way, NFC, case kept, empty segments dropped "
    "but for an address inside the path, no slash at the end",
    "Wikimedia: blanks of titles are underscores, the first letter is upper case, index.php?title=X is "
    "/wiki/X",
    "the fragment is dropped",
    "query: known tracking parameters dropped, the others sorted, blank values kept",
    "archives and proxies are archived copies, not the document itself",
)

TRACKING_PREFIXES = ("utm_",)
TRACKING = (
    "_ga", "_gl", "dclid", "fbclid", "gbraid", "gclid", "igsh", "igshid", "mc_cid", "mc_eid", "msclkid",
    "ref_src", "ref_url", "srsltid", "ttclid", "twclid", "wbraid", "yclid",
)  # fmt: skip

WIKIMEDIA = (
    "wikipedia", "wiktionary", "wikiquote", "wikibooks", "wikisource", "wikinews", "wikiversity",
    "wikivoyage", "wikimedia",
)  # fmt: skip
TITLES_AS_WRITTEN = ("wiktionary",)  # where a word and the same word with a capital are two pages

# Matched at the start of an address without scheme and www.
ARCHIVES = {
    "web.archive.org": re.compile(
        r"web\.archive\.org/(?:web/)?\d{1,14}(?:[a-z]{2}_)?\*?/(?P<url>.+)", re.IGNORECASE
    ),
    "archive.today": re.compile(
        r"archive\.(?:ph|is|today|li|md|vn|fo)/(?:(?:\d{4,14}|newest|oldest)/(?P<url>.+)|\w{4,6}$)",
        re.IGNORECASE,
    ),
    "webarchive.nla.gov.au": re.compile(
        r"webarchive\.nla\.gov\.au/(?:awa|gov)/\d{1,14}/(?P<url>.+)", re.IGNORECASE
    ),
    "google cache": re.compile(
        r"webcache\.googleusercontent\.com/search\?q=cache:(?:[\w-]{12}:)?(?P<url>[^&+]+)", re.IGNORECASE
    ),
    "r.jina.ai": re.compile(r"r\.jina\.ai/(?P<url>.+)", re.IGNORECASE),
}
