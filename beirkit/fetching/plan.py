"""What a fetch would bring, decided before a byte of it comes: which form, from where, how much, to where.

A folder below ``downloads`` is named by the version of what it holds: by its published checksum, by the
commit of a repository; so two versions meet in no folder. A file without a published checksum is kept under a
hash of its address, and what first came from there stays what is meant.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from beirkit.configs.schema import DatasetConfig, Published
from beirkit.converters import catalog
from beirkit.corpora.collection import Download
from beirkit.corpora.errors import ConfigError, UnknownNameError, UsageError, nearest
from beirkit.fetching import hub
from beirkit.fetching.checksums import Checksum
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client, file_name
from beirkit.home import cache_folder


@dataclass(frozen=True)
class Bundle:
    """Files that are kept in one folder, and what they are together.

    Attributes:
        folder: where they are kept.
        files: each of them.
        address: where a person finds them.
        revision: their version: a checksum with its kind, a commit; empty: none is known.
    """

    folder: Path
    files: tuple[RemoteFile, ...]
    address: str
    revision: str

    def missing(self) -> list[RemoteFile]:
        """Files that are not there; those that are there may still turn out to be others than published."""
        return [file for file in self.files if not (self.folder / file.name).exists()]

    def has(self, file: RemoteFile) -> bool:
        """Whether a file is there, in the published size."""
        path = self.folder / file.name
        return path.is_file() and file.size in (None, path.stat().st_size)


@dataclass(frozen=True)
class Plan:
    """Everything about one fetch.

    Attributes:
        config: the facts about the dataset.
        form: which of its published forms it is.
        name: what the result is filed under: the dataset's name, and for another version than the published
            one also ``@`` and the beginning of its hash.
        bundles: what is brought.
        raw: what the converter reads.
        converter: its catalog name.
        options: its options.
        revision: of the result; empty: that of the dataset's configuration.
        notes: what to know before.
    """

    config: DatasetConfig
    form: str
    name: str
    bundles: tuple[Bundle, ...]
    raw: Path
    converter: str
    options: dict[str, Any]
    revision: str
    notes: tuple[str, ...]

    @property
    def size(self) -> int | None:
        """Bytes of all files, where every size is known."""
        sizes = [file.size for bundle in self.bundles for file in bundle.files]
        return sum(size for size in sizes if size is not None) if None not in sizes else None

    def downloads(self) -> list[Download]:
        """What stands in the manifest of the result."""
        return [Download(address=bundle.address, revision=bundle.revision) for bundle in self.bundles]


def downloads_folder() -> Path:
    """Where everything that was fetched is kept."""
    return cache_folder() / "downloads"


def forms(config: DatasetConfig) -> dict[str, tuple[Published, ...]]:
    """The published forms of a dataset by name, the preferred one first.

    An archive of a BEIR folder is called ``beir``, a repository by its own name, and all files of the
    source's own release together are ``raw``.
    """
    found: dict[str, tuple[Published, ...]] = {}
    for one in config.published:
        name = one.repository if one.kind == "huggingface" else one.kind
        if one.kind == "raw":
            found[name] = (*found.get(name, ()), one)
        else:
            further = (f"{name}-{number}" for number in count(2))
            found[name if name not in found else next(n for n in further if n not in found)] = (one,)
    return found


def make_plan(
    config: DatasetConfig,
    client: Client,
    *,
    form: str | None = None,
    revision: str = "",
    accept_changed: str = "",
    mirrors: Sequence[str] = (),
) -> Plan:
    """Decide what to bring; of a repository, its list of files is asked for.

    Args:
        config: the facts about the dataset.
        client: opens addresses.
        form: a name of :func:`forms`, or ``huggingface`` for the first repository; None: the preferred one.
        revision: another commit of the repository than the published one.
        accept_changed: MD5 or SHA-256 of content that has replaced the published one.
        mirrors: further addresses of the file, or of the folder it is in where they end with a slash.

    Raises:
        UsageError: nothing is published, there is no such form, or an option is of another kind of form.
        OfflineError: a list of files is not kept here, and the client is offline.
        FetchError: the hub does not answer as it should.
    """
    chosen, published = choose_form(config, form)
    if published[0].kind == "huggingface":
        if accept_changed or mirrors:
            hint = "--revision COMMIT takes another version, HF_ENDPOINT names another hub"
            raise UsageError("--accept-changed and --mirror are of archives and files", hint=hint)
        return _of_repository(config, chosen, published[0], client, revision)
    if revision:
        raise UsageError(f"--revision is of repositories, and the form {chosen!r} is none")
    return _of_files(config, chosen, published, accept_changed.lower(), mirrors)


def choose_form(
    config: DatasetConfig, asked: str | None, called: str = ""
) -> tuple[str, tuple[Published, ...]]:
    """The form that was asked for, by its name or kind, else the preferred one.

    Args:
        config: the facts about the dataset.
        asked: the form, if one was asked for.
        called: what the user calls the dataset, such as its YAML file; empty: by its name.

    Raises:
        UsageError: nothing is published, or there is no such form.
    """
    found = forms(config)
    if not found:
        where = f"{config.obtain} Then: " if config.obtain else ""
        raw = " RAW" if catalog.get(config.format).needs_raw else ""
        raise UsageError(
            f"no form of {config.name!r} is published where beirkit can fetch it",
            hint=f"{where}beirkit convert {shlex.quote(called or config.name)}{raw}",
        )
    if asked is None:
        return next(iter(found.items()))
    for name, published in found.items():
        if asked in (name, published[0].kind):
            return name, published
    raise UnknownNameError(
        f"{config.name} is published in no form {asked!r}", hint=nearest(asked, list(found))
    )


def _of_files(
    config: DatasetConfig,
    form: str,
    published: tuple[Published, ...],
    accept_changed: str,
    mirrors: Sequence[str],
) -> Plan:
    files = [_file(one, mirrors, alone=len(published) == 1, called=config.name) for one in published]
    if twice := [name for name, number in Counter(file.name for file in files).items() if number > 1]:
        raise ConfigError(f"`published` has several files called {twice[0]!r}", path=config.name)
    name = config.name
    if accept_changed:
        files = _accepting(files, accept_changed)
        name = f"{name}@{accept_changed[:8]}"
    keys = [
        file.checksum.digest if file.checksum else f"address-{_hash(file.addresses[0])}" for file in files
    ]
    folder = downloads_folder() / (keys[0] if len(files) == 1 else _hash([f.name for f in files], keys))
    bundles = tuple(Bundle(folder, (file,), file.addresses[0], str(file.checksum or "")) for file in files)
    raw_form = published[0].kind == "raw"
    options: dict[str, Any] = dict(config.options) if raw_form else {}
    for one in published:
        options |= one.options
    return Plan(
        config=config,
        form=form,
        name=name,
        bundles=bundles,
        raw=folder / files[0].name if len(files) == 1 else folder,
        converter=config.format if raw_form else "beir",
        options=options,
        revision="" if raw_form and not accept_changed else str(files[0].checksum or ""),
        notes=tuple(one.note for one in published if one.note),
    )


def _file(one: Published, mirrors: Sequence[str], *, alone: bool, called: str) -> RemoteFile:
    name = file_name(one.url)
    if not re.fullmatch(r"[^./\\][^/\\]*", name):
        raise ConfigError(f"`published` has the address {one.url!r}, which names no file", path=called)
    if mirrors and not alone and not all(mirror.endswith("/") for mirror in mirrors):
        raise UsageError(
            "these are several files", hint="let --mirror name their folder, with a slash at its end"
        )
    further = [f"{mirror}{name}" if mirror.endswith("/") else mirror for mirror in mirrors]
    known: Checksum | None = None
    for kind, digest in (("md5", one.md5.lower()), ("sha256", one.sha256.lower())):
        known = Checksum("md5" if kind == "md5" else "sha256", digest) if digest else known
    return RemoteFile(name, (one.url, *one.mirrors, *further), one.bytes, known)


def _accepting(files: list[RemoteFile], digest: str) -> list[RemoteFile]:
    """The files, with one of them as it is now."""
    if not re.fullmatch(r"[0-9a-f]{32}|[0-9a-f]{64}", digest):
        raise UsageError(
            f"{digest!r} is neither an MD5 nor a SHA-256",
            hint="the message about the change shows which it is",
        )
    kept = [file for file in files if (downloads_folder() / digest / file.name).exists()]
    changed = files if len(files) == 1 else kept
    if len(changed) != 1:
        raise UsageError(f"no file with the hash {digest} came from there", hint="fetch without it first")
    now = Checksum("md5" if len(digest) == 32 else "sha256", digest)
    return [replace(file, checksum=now, size=None) if file is changed[0] else file for file in files]


def _of_repository(
    config: DatasetConfig, form: str, published: Published, client: Client, revision: str
) -> Plan:
    commit = revision or published.revision
    bundles = [_repository(client, published.repository, commit)]
    options = dict(published.options)
    if published.qrels:
        bundles.append(_repository(client, published.qrels, published.qrels_revision))
        options["qrels"] = bundles[1].folder.name  # beside the other
    other = bool(published.revision) and bundles[0].revision != published.revision
    return Plan(
        config=config,
        form=form,
        name=f"{config.name}@{bundles[0].revision[:8]}" if other else config.name,
        bundles=tuple(bundles),
        raw=bundles[0].folder,
        converter="huggingface",
        options=options,
        revision=bundles[0].revision,
        notes=(published.note,) if published.note else (),
    )


def _repository(client: Client, repository: str, revision: str) -> Bundle:
    if not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", repository):
        raise UsageError(f"{repository!r} is no repository", hint="write it as OWNER/NAME")
    if revision:
        hub.require_commit(revision, repository)
    else:
        kept = downloads_folder() / f".{repository.replace('/', '--')}.json"
        revision = hub.newest(client, repository, kept)
    folder = downloads_folder() / revision
    files = hub.remote_files(hub.listing(client, repository, revision, folder), repository, revision)
    return Bundle(folder, files, f"https://huggingface.co/datasets/{repository}", revision)


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
