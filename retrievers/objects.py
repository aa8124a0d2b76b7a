"""Classes and functions that a configuration names: ``package.module:Name`` or ``path/to/file.py:Name``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.files import sha256_file
from beirkit.retrievers.base import Facts


def split_target(target: str) -> tuple[str, str]:
    """Module or file, and the name in it.

    Raises:
        ConfigError: it is not of that form.
    """
    module, colon, name = target.rpartition(":")
    if not (colon and module and name.isidentifier()):
        raise ConfigError(
            f"{target!r} cannot be read", hint="write package.module:Name or path/to/file.py:Name"
        )
    return module, name


def load_object(target: str) -> Any:
    """Import the module, or run the file, and take the name from it.

    Raises:
        UsageError: there is no such module, file or name.
    """
    module, name = split_target(target)
    try:
        if module.endswith(".py"):
            loaded = _load_file(Path(module).expanduser())
        else:
            loaded = importlib.import_module(module)
    except ImportError as error:
        raise UsageError(f"{target}: {error}", hint="is it installed?") from error
    if not hasattr(loaded, name):
        raise UsageError(f"{target}: the module has no {name}")
    return getattr(loaded, name)


def describe_object(target: str) -> Facts:
    """What tells one state of it from another: its name, and for a file the hash; nothing is loaded.

    Raises:
        UsageError: there is no such file.
    """
    module, name = split_target(target)
    if not module.endswith(".py"):
        return {"name": target}
    path = Path(module).expanduser()
    if not path.is_file():
        raise UsageError("there is no such file", path=path)
    return {"name": f"{path.name}:{name}", "sha256": sha256_file(path)}


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise UsageError("there is no such file", path=path)
    spec = importlib.util.spec_from_file_location(f"beirkit_user_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
