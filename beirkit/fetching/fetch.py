"""From the name of a dataset to its BEIR folder, through a form that somebody publishes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from beirkit.configs.load import names
from beirkit.configs.schema import DatasetConfig
from beirkit.conversion import Fetched, convert_source
from beirkit.corpora.collection import Download
from beirkit.corpora.errors import DataError, UnknownNameError, UsageError, nearest
from beirkit.corpora.manifest import Manifest, read_manifest
from beirkit.corpora.progress import Progress, silent
from beirkit.facts import config_named
from beirkit.fetching.checksums import checksum
from beirkit.fetching.download import download
from beirkit.fetching.errors import OfflineError
from beirkit.fetching.hub import tokens
from beirkit.fetching.plan import Bundle, Plan, choose_form, downloads_folder, make_plan
from beirkit.fetching.web import Client, Patience, is_set
from beirkit.home import built_folder

_log = logging.getLogger(__name__)


class Brought(NamedTuple):
    """What came of a fetch.

    Attributes:
        folder: the BEIR folder.
        manifest: what it holds.
        was_there: whether it had been built of the same bytes before, so that nothing was done.
    """

    folder: Path
    manifest: Manifest
    was_there: bool


def plan_fetch(
    name: str,
    *,
    form: str | None = None,
    revision: str = "",
    accept_changed: str = "",
    mirrors: Sequence[str] = (),
    offline: bool = False,
    patience: Patience | None = None,
) -> Plan:
    """What :func:`fetch` would bring; of a repository, the list of its files is asked for, nothing else."""
    config = _config(name)
    client = _client(name, config, form, offline, patience)
    return make_plan(
        config, client, form=form, revision=revision, accept_changed=accept_changed, mirrors=mirrors
    )


def fetch(
    name: str,
    *,
    form: str | None = None,
    revision: str = "",
    accept_changed: str = "",
    mirrors: Sequence[str] = (),
    out: Path | None = None,
    gzip: bool = False,
    overwrite: bool = False,
    check: bool = True,
    offline: bool = False,
    announce: Callable[[Plan], None] | None = None,
    progress: Progress = silent,
    patience: Patience | None = None,
) -> Brought:
    """Bring a published form of a dataset and make the BEIR folder of it.

    Everything that comes is verified and kept below :func:`~beirkit.fetching.plan.downloads_folder`, so the
    same call finds it there. The folder's manifest says where it came from, and its counts are compared with
    those of the dataset's configuration.

    Args:
        name: a name from ``beirkit list datasets``, or a YAML file about a dataset of one's own.
        form: which published form: ``beir``, ``raw``, or the name of a repository of the Hugging Face hub.
        revision: the commit of the repository to take, 40 hexadecimal digits, instead of the published one.
        accept_changed: MD5 or SHA-256 of content that has replaced the published one in place; the result is
            then another dataset, called by its name and that hash.
        mirrors: further addresses of the file.
        out: BEIR folder to write; None: the dataset's own place.
        gzip: write ``.jsonl.gz`` and ``.tsv.gz``.
        overwrite: replace a folder that beirkit wrote before.
        check: check the folder when it is written.
        offline: open no connection; so too where ``BEIRKIT_OFFLINE`` is set, and for repositories of the hub
            where ``HF_HUB_OFFLINE`` is.
        announce: told what is coming, with its licence, before it comes; None: the licence is logged.
        progress: shows how the work gets on.
        patience: time-outs and tries.

    Raises:
        OfflineError: something is not here, and no connection may be opened.
        ChangedError: what the servers have is not what was published.
        FetchError: no server sends it whole.
        UsageError: nothing is published of it, or the folder is there already and of something else.
    """
    config = _config(name)
    client = _client(name, config, form, offline, patience)
    plan = make_plan(
        config, client, form=form, revision=revision, accept_changed=accept_changed, mirrors=mirrors
    )
    folder = out or built_folder(plan.name)
    there = None if overwrite else _built_of(plan, folder)
    if there is not None:
        return Brought(folder, there, True)
    (announce or _log_licence)(plan)
    plan = bring(plan, client, progress=progress)
    fetched = Fetched(plan.name, plan.converter, plan.options, plan.revision, plan.downloads())
    folder, manifest = convert_source(
        name,
        plan.raw,
        folder,
        gzip=gzip,
        overwrite=overwrite,
        check=check,
        fetched=fetched,
        progress=progress,
    )
    return Brought(folder, manifest, False)


def bring(plan: Plan, client: Client, *, progress: Progress = silent) -> Plan:
    """Bring what a plan names; the plan with the versions of what came.

    Raises:
        OfflineError: something is not here, and the client is offline; told is what would be fetched.
    """
    missing = [(bundle, file) for bundle in plan.bundles for file in bundle.missing()]
    if client.offline and missing:
        bundle, file = missing[0]
        more = f" and {len(missing) - 1} files more" if len(missing) > 1 else ""
        size = f" ({sum(f.size or 0 for _, f in missing):,} bytes)" if all(f.size for _, f in missing) else ""
        hint = "to fetch it, leave out --offline, BEIRKIT_OFFLINE and HF_HUB_OFFLINE"
        if file.checksum is not None:
            hint += f"; or put a copy at {bundle.folder / file.name}"
        raise OfflineError(f"{file.addresses[0]}{more}{size}: not here, and offline not fetched", hint=hint)
    changed = None if plan.converter == "huggingface" else downloads_folder()  # a commit cannot change
    for bundle in plan.bundles:
        for file in bundle.files:
            download(file, bundle.folder, client, changed=changed, progress=progress)
    return _versioned(plan)


def _versioned(plan: Plan) -> Plan:
    """The plan, with the SHA-256 of files of which no checksum is published."""
    bundles = tuple(bundle if bundle.revision else _hashed(bundle) for bundle in plan.bundles)
    revision = plan.revision
    if not revision and plan.converter == "beir":
        revision = bundles[0].revision
    return replace(plan, bundles=bundles, revision=revision)


def _hashed(bundle: Bundle) -> Bundle:
    (file,) = bundle.files
    return replace(bundle, revision=str(checksum(bundle.folder / file.name, "sha256")))


def _log_licence(plan: Plan) -> None:
    _log.info("%s: its licence: %s", plan.name, plan.config.licence)


def _config(name: str) -> DatasetConfig:
    config = config_named(name)
    if config is None:
        raise UnknownNameError(f"no dataset is called {name!r}", hint=nearest(name, list(names("datasets"))))
    return config


def _client(
    name: str, config: DatasetConfig, form: str | None, offline: bool, patience: Patience | None
) -> Client:
    """Opens what the environment allows to be opened."""
    _, published = choose_form(config, form, name)
    of_hub = published[0].kind == "huggingface"
    offline = offline or is_set("BEIRKIT_OFFLINE") or (of_hub and is_set("HF_HUB_OFFLINE"))
    return Client(patience, offline=offline, tokens=tokens())


def _built_of(plan: Plan, folder: Path) -> Manifest | None:
    """The manifest of the folder, where it was made of the same downloads; None where nothing is there.

    Raises:
        UsageError: something else is there.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    try:
        manifest = read_manifest(folder)
    except DataError:
        raise UsageError(
            "is there already and was not written by beirkit", path=folder, hint="choose another with --out"
        ) from None
    old = manifest.provenance
    if old.source == plan.name and _same(old.fetched, plan.downloads()):
        return manifest
    was = ", ".join(f"{one.address} ({one.revision})" for one in old.fetched)
    raise UsageError(
        f"is there already, made from {was or old.converter or 'other files'}",
        path=folder,
        hint="choose another folder with --out, or replace it with --overwrite",
    )


def _same(old: list[Download], new: list[Download]) -> bool:
    """Whether two lists are of the same versions; one that is not known yet is that which came first."""
    return [one.address for one in old] == [one.address for one in new] and all(
        two.revision in ("", one.revision) for one, two in zip(old, new, strict=True)
    )
