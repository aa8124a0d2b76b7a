"""Writes the reference pages from the code: ``make docs``. A test holds the committed pages to it.

commands.md comes from the parser of the command line, configuration.md from the structures of configuration
files and of the options of every catalogued converter and retriever, with their docstrings, codes/ from the
table of defects and what is said about each.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from beirkit.cli.main import COMMANDS, build_parser
from beirkit.configs import load, schema
from beirkit.converters import catalog as converters
from beirkit.converters.base import Converter
from beirkit.corpora.codes import CODES
from beirkit.corpora.explain import explanation
from beirkit.corpora.exports import catalog as exports
from beirkit.corpora.exports.base import Export
from beirkit.evaluate.exports import catalog as submissions
from beirkit.evaluate.exports.base import Target
from beirkit.retrievers import catalog as retrievers
from beirkit.retrievers.base import Retriever
from beirkit.retrievers.lexical.analysis.languages import LANGUAGES, NEUTRAL
from beirkit.retrievers.lexical.lucene_analyzer import LuceneAnalyzer, LuceneAnalyzerOptions

DOCS = Path(__file__).parent

GENERATED = "<!-- Written by `make docs` from the code; change the help texts and docstrings there. -->\n"
GENERATED_CODES = (
    "<!-- Written by `make docs` from corpora/codes.py and corpora/codes.toml; change it there. -->\n\n"
)

COMMANDS_HEAD = """# Commands

Exit codes: 0 done, 1 a check found something, 2 wrong use or bad input, 130 interrupted. An error is one
message that says where, what was found and what to do; `--debug` adds the traceback. With `--json`, standard
output holds JSON alone and everything for people goes to standard error.

What `beirkit check` finds has a code, and each code a [page](codes/README.md).

`-d`, `-r`, `-m`, `--set` and `--rule` take several values at once: `-r bm25 minilm` is `-r bm25 -r minilm`.
"""

CONFIGURATION_HEAD = """# Configuration

Facts about datasets, retrievers and suites are YAML files. Those that ship lie in `configs/`; a file of your
own has the same keys and is given by its path. An unknown key or a wrong type is an error that names the file
and the key. Options of a converter go under `options:` of a dataset or behind `--set` of `beirkit convert`;
options of a retriever go under its `options:` or behind its name, as in `bm25:k1=1.5,b=0.75`; options of an
export go behind `--set` of `beirkit export`.
"""

CODES_HEAD = """# What `beirkit check` finds

Every kind of defect has a code that keeps its meaning. An error means that the folder must not be used as it
is, a warning that it can be by who knows of it, info is what is worth knowing. `beirkit check FOLDER` exits
with 1 where there are errors, with `--strict` also where there are warnings. `--explain CODE` prints a page.

Published defects of a shipped dataset stand in its configuration under `known` and are shown as such. Those
of one's own are accepted with `--write-accept FILE` once and `--accept FILE` from then on. The file has one
JSON object a line, with code, file, and what the defect is about (an id, two ids, or a digest of the line),
so it still holds when lines move or files are compressed.

"""

# A section of a docstring in Google's style: its heading, then what is indented below it.
_SECTION = re.compile(r"^(?:Attributes|Options):\n((?:[ \t]+.*\n|\n)+)", re.MULTILINE)
# One entry of a section: the name, the text after the colon, and the deeper lines that go on with it.
_ENTRY = re.compile(r"^ {4}(\w+)(?: \(.*?\))?: (.*\n(?: {5,}.*\n)*)", re.MULTILINE)


class UndocumentedError(Exception):
    """An option or a key that no help text or docstring explains."""


def pages() -> dict[str, str]:
    """File name and content of every generated page."""
    codes = {f"codes/{code}.md": GENERATED_CODES + explanation(code).markdown() for code in CODES}
    return {
        "commands.md": commands_page(),
        "configuration.md": configuration_page(),
        "codes/README.md": codes_page(),
        "languages.md": languages_page(),
        **codes,
    }


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of every command, by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise UndocumentedError("the parser has no commands")


def actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The arguments and options of one command, without ``--help``."""
    return [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]


def commands_page() -> str:
    """commands.md."""
    commands = subcommands(build_parser())
    listed = [{_spelling(action) for action in actions(parser)} for parser in commands.values()]
    common = set.intersection(*listed)
    parts = [GENERATED, COMMANDS_HEAD]
    for name, parser in commands.items():
        own = [action for action in actions(parser) if _spelling(action) not in common]
        parts.append(f"\n## beirkit {name}\n\n{_sentence(COMMANDS[name][1])}\n")
        if own:
            parts.append("\n" + _table(("argument", "what it does"), [_row(name, action) for action in own]))
    shared = [action for action in actions(next(iter(commands.values()))) if _spelling(action) in common]
    if shared:
        parts.append("\n## Options of every command\n\n")
        parts.append(_table(("option", "what it does"), [_row("every command", action) for action in shared]))
    return "".join(parts)


def configuration_page() -> str:
    """configuration.md."""
    parts = [GENERATED, CONFIGURATION_HEAD]
    for title, shape, kind in (
        ("Datasets", schema.DatasetConfig, "datasets"),
        ("Retrievers", schema.RetrieverConfig, "retrievers"),
        ("Suites", schema.SuiteConfig, "suites"),
    ):
        shipped = ", ".join(f"`{name}`" for name in load.names(kind)) or "none"
        parts.append(f"\n## {title}: `configs/{kind}/*.yaml`\n\nShipped: {shipped}.\n\n")
        parts.append(_fields_table(shape, documented(shape), where=shape.__name__))
    parts.append("\n## Options of converters\n")
    parts += [_options(name, converters.get(name)) for name in converters.names()]
    parts.append("\n## Options of retrievers\n")
    parts += [_options(kind, retrievers.get(kind)) for kind in retrievers.kinds()]
    parts.append("\n## Options of exports\n")
    parts += [_options(name, exports.get(name)) for name in exports.names()]
    parts.append("\n## Options of exports of results\n")
    parts += [_options(name, submissions.get(name)) for name in submissions.names()]
    return "".join(parts)


def codes_page() -> str:
    """codes/README.md."""
    rows: list[tuple[str, ...]] = [
        (f"[{code}]({code}.md)", kind.severity + (", `--deep`" if kind.deep else ""), kind.title)
        for code, kind in CODES.items()
    ]
    return GENERATED_CODES + CODES_HEAD + _table(("code", "severity", "what it is"), rows)


def languages_page() -> str:
    """languages.md as it stands, with the table of languages from the catalog."""
    rows: list[tuple[str, ...]] = [
        (language.name, f"`{tag}`", " ".join(f"`{name}`" for name in _steps(tag)))
        for tag, language in sorted(LANGUAGES.items(), key=lambda item: (item[0] == NEUTRAL, item[1].name))
    ]
    page = (DOCS / "languages.md").read_text(encoding="utf-8")
    before, mark, _ = page.partition("<!-- languages: written by `make docs` -->\n")
    _, end, after = page.partition("<!-- /languages -->\n")
    table = _table(("language", "tag", "steps"), rows)
    return f"{before}{mark}\n{table}\n{end}{after}"


def _steps(tag: str) -> list[str]:
    """The names of the steps of a language's own analysis."""
    return [step.name for step in LuceneAnalyzer(LuceneAnalyzerOptions(language=tag)).steps]


def documented(*owners: type) -> dict[str, str]:
    """What the ``Attributes:`` and ``Options:`` of the docstrings of classes and their bases say, by name."""
    said: dict[str, str] = {}
    for ancestor in (base for owner in owners for base in owner.__mro__):
        for section in _SECTION.findall(inspect.cleandoc(ancestor.__doc__ or "") + "\n"):
            for name, words in _ENTRY.findall(section):
                said.setdefault(name, " ".join(words.split()))
    return said


def _options(
    name: str, owner: type[Converter[Any]] | type[Retriever[Any]] | type[Export] | type[Target[Any]]
) -> str:
    summary = _sentence(_markdown(owner.summary))
    head = f"\n### `{name}`\n\n{summary}\n\n"
    if not msgspec.structs.fields(owner.Options):
        return head + "No options.\n"
    where = f"options of {name}"
    return head + _fields_table(owner.Options, documented(owner.Options, owner), where=where)


def _fields_table(shape: type[msgspec.Struct], said: dict[str, str], *, where: str) -> str:
    return _table(
        ("key", "type", "default", "meaning"), list(_field_rows(shape, said, where=where, prefix=""))
    )


def _field_rows(
    shape: type[msgspec.Struct], said: dict[str, str], *, where: str, prefix: str
) -> Iterator[tuple[str, ...]]:
    for field in msgspec.structs.fields(shape):
        name = field.encode_name
        meaning = said.get(field.name, said.get(name))
        if meaning is None:
            raise UndocumentedError(f"{where}: {prefix}{name} has no line in a docstring")
        yield f"`{prefix}{name}`", _type(field.type), _default(field), _markdown(meaning)
        for nested in _structures(field.type):
            yield from _field_rows(nested, documented(nested), where=where, prefix=f"{prefix}{name}.")


def _structures(annotation: Any) -> list[type[msgspec.Struct]]:
    """The structures in a type, at any depth."""
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return [annotation]
    return [found for part in get_args(annotation) for found in _structures(part)]


def _type(annotation: Any) -> str:
    if _structures(annotation):
        texts = any(str in get_args(part) for part in get_args(annotation))
        return "texts, or keys below" if texts else "keys below"
    if isinstance(annotation, types.UnionType) or get_origin(annotation) is Union:
        return " or ".join(_type(part) for part in get_args(annotation) if part is not types.NoneType)
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(f"`{value}`" for value in get_args(annotation))
    return f"`{_plain_type(annotation)}`"


def _plain_type(annotation: Any) -> str:
    """A type in Python's spelling; what is chosen from a list of strings is a string here."""
    if get_origin(annotation) is Literal:
        return type(get_args(annotation)[0]).__name__
    if annotation is Ellipsis:
        return "..."
    inner = ", ".join(_plain_type(part) for part in get_args(annotation))
    name = getattr(annotation, "__name__", str(annotation))
    return f"{name}[{inner}]" if inner else name


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.default is not msgspec.NODEFAULT:
        value = field.default
    elif field.default_factory is not msgspec.NODEFAULT:
        value = field.default_factory()
    else:
        return "required"
    if value in ("", [], {}, ()) or value is None:
        return "none"
    if isinstance(value, msgspec.Struct):
        return "as below"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`".replace("|", "\\|")


def _spelling(action: argparse.Action) -> str:
    value = _metavar(action)
    if not action.option_strings:
        return {"*": f"[{value} ...]", "+": f"{value} ...", "?": f"[{value}]"}.get(str(action.nargs), value)
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {value}"


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    return "|".join(map(str, action.choices)) if action.choices else action.dest.upper()


def _row(command: str, action: argparse.Action) -> tuple[str, ...]:
    if not action.help or action.help == argparse.SUPPRESS:
        raise UndocumentedError(f"beirkit {command}: {_spelling(action)} has no help text")
    text = (action.help % {**vars(action), "prog": "beirkit"}).replace("|", "\\|")
    if action.choices and action.metavar and not all(str(choice) in text for choice in action.choices):
        text += ": " + ", ".join(f"`{choice}`" for choice in action.choices)
    return f"`{_spelling(action)}`".replace("|", "\\|"), text + (" (required)" if _must(action) else "")


def _must(action: argparse.Action) -> bool:
    return bool(action.option_strings) and action.required


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def _markdown(text: str) -> str:
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`").replace("|", "\\|")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].rstrip(".") + "."


def write_page(path: Path, content: str) -> None:
    """Write a page that changed, whole or not at all: others may be reading it."""
    with suppress(FileNotFoundError):
        if path.read_text(encoding="utf-8") == content:
            return
    part = path.with_name(f".{path.name}.part")
    part.write_text(content, encoding="utf-8", newline="\n")
    part.replace(path)


def main(write: Callable[[Path, str], object] = write_page) -> int:
    """Write every page; an argument or a key without an explanation ends it."""
    try:
        for name, content in pages().items():
            (DOCS / name).parent.mkdir(exist_ok=True)
            write(DOCS / name, content)
    except UndocumentedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
