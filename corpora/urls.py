"""Which addresses are one document: the policy ``document-url/1``, which is beirkit's own."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlsplit

import msgspec

from beirkit.corpora.url_forms import (
    ARCHIVES,
    RULES,
    TITLES_AS_WRITTEN,
    TRACKING,
    TRACKING_PREFIXES,
    WIKIMEDIA,
)

NAME: Literal["document-url/1"] = "document-url/1"

Tier = Literal["document", "archived_copy", "invalid"]

_PORTS = {"http": 80, "https": 443}
_START = re.compile(r"https?://", re.IGNORECASE)
_QUOTES = "'\"`‘’“”"
_PATH = "!$&'()*+,;=:@~"  # what stands for itself in a segment, beside letters, digits and - . _
_QUERY = "!$'()*,;:@/?~"
_MOBILE = re.compile(rf"([a-z0-9-]+)\.m\.({'|'.join(WIKIMEDIA)})\.org")
_WIKI = re.compile(rf"[a-z0-9-]+\.({'|'.join(WIKIMEDIA)})\.org")


class UrlPolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When two addresses are the same document.

    Attributes:
        name: of the policy; another set of rules gets another name.
        repair: take off wrapping quotes and what stands before ``http``, instead of calling it invalid.
        hash_routes: keep fragments that are paths of an application (``#/p/20``, ``#!page``).
        mobile_hosts: hosts such as ``m.imdb.com`` whose first label is dropped, since both show one page.
    """

    name: Literal["document-url/1"] = NAME
    repair: bool = False
    hash_routes: bool = False
    mobile_hosts: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """SHA-256 of the definition: rules, lists and switches; equal where results are comparable."""
        definition = {
            **msgspec.structs.asdict(self),
            "mobile_hosts": sorted(self.mobile_hosts),
            "rules": RULES,
            "tracking": [*TRACKING_PREFIXES, *TRACKING],
            "wikimedia": WIKIMEDIA,
            "titles_as_written": TITLES_AS_WRITTEN,
            "archives": {name: pattern.pattern for name, pattern in ARCHIVES.items()},
        }
        return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()


DEFAULT = UrlPolicy()


class DocumentUrl(NamedTuple):
    """What an address is under a policy.

    Attributes:
        canonical: the document's own name: host, path and query without a scheme; of an invalid address the
            text itself. Equal where two valid addresses are one document.
        tier: ``document``; ``archived_copy``: an archive or proxy shows another address, which is not the
            same document by default; ``invalid``: no address, which matches nothing.
        origin: of an archived copy, the canonical name of what it shows; empty where that is not told.
        problem: why an address is invalid.
    """

    canonical: str
    tier: Tier
    origin: str = ""
    problem: str = ""


@lru_cache(maxsize=4096)
def document_url(text: str, policy: UrlPolicy = DEFAULT) -> DocumentUrl:
    """What document an address names.

    Args:
        text: the address, as a data set or a search tool wrote it.
        policy: the rules.
    """
    url = _repaired(text) if policy.repair else text.strip()
    try:
        parts = _parts(url, policy)
    except _InvalidError as error:
        return DocumentUrl(text.strip(), "invalid", problem=str(error))
    canonical = "".join(parts)
    inner = _archived(url)
    if inner is None:
        return DocumentUrl(canonical, "document")
    shown = document_url(inner, policy) if inner else None
    origin = "" if shown is None or shown.tier == "invalid" else shown.origin or shown.canonical
    return DocumentUrl(canonical, "archived_copy", origin)


class _InvalidError(Exception):
    """The text is no address of a page."""


class _Parts(NamedTuple):
    host: str
    path: str
    query: str
    fragment: str


def _parts(url: str, policy: UrlPolicy) -> _Parts:
    if not _START.match(url):
        raise _InvalidError("does not start with http:// or https://")
    if any(ord(sign) < 32 for sign in url) or re.search(r"\shttps?://", url):
        raise _InvalidError("has a line end or a second address in it")
    try:
        split = urlsplit(url)
        host, port = _host(split.hostname or "", policy), split.port
        path, query = _path(split.path), _query(split.query)
    except UnicodeEncodeError as error:
        raise _InvalidError("holds half of a surrogate pair") from error
    except ValueError as error:
        raise _InvalidError(str(error)) from error
    if _WIKI.fullmatch(host):
        path, query = _wikimedia(host, path, query)
    if port is not None and port != _PORTS[split.scheme]:
        host = f"{host}:{port}"
    shown = "&".join(f"{_quoted(key, _QUERY)}={_quoted(value, _QUERY)}" for key, value in query)
    route = policy.hash_routes and split.fragment.startswith(("/", "!"))
    fragment = _quoted_once(split.fragment, _PATH + "/") if route else ""
    return _Parts(host, path, f"?{shown}" if shown else "", f"#{fragment}" if fragment else "")


def _host(host: str, policy: UrlPolicy) -> str:
    host = host.rstrip(".")
    if not host:
        raise _InvalidError("has no host")
    if ":" in host:  # IPv6
        return f"[{host}]"
    if not host.isascii():
        try:
            host = host.encode("idna").decode().lower()
        except UnicodeError as error:
            raise _InvalidError("its host is no domain name") from error
    if any(not label for label in host.split(".")) or re.search(r"[\s%]", host):
        raise _InvalidError("its host is no domain name")
    if host.startswith("www.") and "." in host[4:]:
        host = host[4:]
    if mobile := _MOBILE.fullmatch(host):
        return f"{mobile[1]}.{mobile[2]}.org"
    return host.partition(".")[2] if host in policy.mobile_hosts else host


def _path(path: str) -> str:
    """Dot segments resolved, one spelling of each character, no slash at the end but the root's."""
    kept: list[str] = []
    for raw in path.split("/")[1:]:
        segment = _quoted_once(raw, _PATH)
        if segment == "..":
            del kept[-1:]
        elif segment and segment != ".":
            kept.append(segment)
        elif not segment and kept and kept[-1].lower() in ("http:", "https:"):
            kept.append("")  # the two slashes of an address inside the path
    return "/" + "/".join(kept).rstrip("/")


def _query(query: str) -> list[tuple[str, str]]:
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    return sorted((key, value) for key, value in pairs if not _is_tracking(key.lower()))


def _is_tracking(key: str) -> bool:
    return key in TRACKING or key.startswith(TRACKING_PREFIXES)


def _wikimedia(host: str, path: str, query: list[tuple[str, str]]) -> tuple[str, list[tuple[str, str]]]:
    """The path of a page by its title, with blanks as underscores and its first letter upper-cased."""
    title = ""
    if path.startswith("/wiki/"):
        title = unquote_to_bytes(path.removeprefix("/wiki/")).decode("utf-8", "surrogateescape")
    elif path in ("/w/index.php", "/wiki/index.php"):
        title = next((value for key, value in query if key == "title"), "")
        query = [(key, value) for key, value in query if key != "title"] if title else query
    title = re.sub(r"[ _]+", "_", title).strip("_")
    if not title:
        return path, query
    first = title[0].upper()
    if len(first) == 1 and host.split(".")[-2] not in TITLES_AS_WRITTEN:
        title = first + title[1:]
    return f"/wiki/{_quoted(title, _PATH + '/')}", query


def _quoted_once(text: str, safe: str) -> str:
    """Percent-decoded and encoded again; bytes that are no UTF-8 stay what they are."""
    return _quoted(unquote_to_bytes(text).decode("utf-8", "surrogateescape"), safe)


def _quoted(text: str, safe: str) -> str:
    whole = unicodedata.normalize("NFC", text)
    return quote(whole.encode("utf-8", "surrogateescape"), safe=safe)


def _archived(url: str) -> str | None:
    """What an archive or proxy shows; empty where its address does not tell; None: it is neither."""
    address = re.sub(r"^https?://(www\.)?", "", url, flags=re.IGNORECASE)
    for pattern in ARCHIVES.values():
        if found := pattern.match(address):
            inner = found["url"] or ""
            return inner if not inner or _START.match(inner) else f"http://{inner}"
    return None


def _repaired(text: str) -> str:
    url = text.strip().strip(_QUOTES).strip()
    start = _START.search(url)
    return url[start.start() :] if start else url
