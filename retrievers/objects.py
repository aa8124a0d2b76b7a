"""Classes and functions that a configuration names: ``package.module:Name`` or ``path/to/file.py:Name``."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beirkit.corpora.errors import BeirkitError, ConfigError, UsageError
from beirkit.retrievers.base import Facts
from beirkit.retrievers.user_code import describe_file, describe_module, module_places, sources

_loaded: dict[str, Facts] = {}  # the state in which each target was loaded by this process


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

    As for a script that Python runs, a file's folder is where its imports are looked for first. What was
    edited since this process loaded it is loaded again.

    Raises:
        UsageError: there is no such module, file or name, or the code fails while it is loaded.
    """
    module, name = split_target(target)
    state = describe_object(target)
    _forget_old(module, changed=_loaded.get(target, state) != state)
    _loaded[target] = state
    with foreign_code(f"{target} failed while it was loaded"):
        try:
            loaded = _load_file(_path(module)) if module.endswith(".py") else importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{module}.".startswith(f"{error.name}."):
                raise  # a module that the user's code itself imports
            raise _not_found(target, error) from error
    if not hasattr(loaded, name):
        raise UsageError(f"{target}: the module has no {name}")
    return getattr(loaded, name)


def load_function(target: str, method: str, takes: str) -> Callable[..., Any]:
    """A function that a configuration names, or the method of an object that a class it names makes.

    Args:
        target: see :func:`load_object`.
        method: what is called of an object, where it has that; else the object itself.
        takes: what the function is given, as the hint of an error says it.

    Raises:
        UsageError: it cannot be loaded or made.
        ConfigError: it cannot be called.
    """
    found = load_object(target)
    if inspect.isclass(found):
        with foreign_code(f"{target} cannot be made"):
            found = found()
        found = getattr(found, method, found)
    if not callable(found):
        raise ConfigError(f"{target} cannot be called", hint=f"name a function of {takes}")
    function: Callable[..., Any] = found
    return function


def describe_object(target: str) -> Facts:
    """What tells one state of it from another: its name, and version or hash of its code; nothing is run.

    The rule is that of :mod:`beirkit.retrievers.user_code`.

    Raises:
        UsageError: there is no such file or module.
    """
    module, name = split_target(target)
    if not module.endswith(".py"):
        try:
            return {"name": target, **describe_module(module)}
        except ModuleNotFoundError as error:
            raise _not_found(target, error) from error
    path = _path(module)
    return {"name": f"{path.name}:{name}", **describe_file(path)}


@contextmanager
def foreign_code(what: str) -> Iterator[None]:
    """Turn whatever a user's code raises inside into one error of ours, with the original as its cause.

    Args:
        what: what failed, as the message begins.

    Raises:
        UsageError: anything but an error of ours, an interruption, or a lack of memory was raised.
    """
    try:
        yield
    except (BeirkitError, MemoryError):
        raise
    # The border to code that is not ours: there is no telling what it raises, and a broad clause is right.
    except (Exception, SystemExit) as error:
        text = str(error).strip()
        first = f"{type(error).__name__}: {text.splitlines()[0]}" if text else type(error).__name__
        raise UsageError(f"{what}: {first}", hint="--debug shows where") from error


def _not_found(target: str, error: ModuleNotFoundError) -> UsageError:
    module, name = split_target(target)
    file = f"{module.replace('.', '/')}.py:{name}"
    return UsageError(f"{target}: {error}", hint=f"is it installed? A file is written {file}")


def _path(module: str) -> Path:
    return Path(module).expanduser()


def _load_file(path: Path) -> Any:
    folder = str(path.parent.resolve())
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(f"beirkit_user_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _forget_old(module: str, *, changed: bool) -> None:
    """Take modules out of Python's memory that are older than their files, or namesakes from elsewhere."""
    importlib.invalidate_caches()
    if module.endswith(".py"):
        places = [_path(module)]
    elif changed:
        places = module_places(module)
    else:
        return
    for name, path in sources(places).items():
        dotted = name.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
        known = getattr(sys.modules.get(dotted), "__file__", None)
        if dotted in sys.stdlib_module_names or known is None:
            continue
        if changed or Path(known).resolve() != path.resolve():
            del sys.modules[dotted]
