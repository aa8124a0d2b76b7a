"""The header of a model card: results are put into it, and every other byte stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from beirkit.corpora.errors import DataError

KEY = "model-index"

# As the hub reads it: no blanks behind the first dashes.
_HEADER = re.compile(r"\A(\ufeff?\s*---\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.MULTILINE | re.DOTALL)
_IDENTITY = ("type", "config", "split")  # of a dataset: one result each


@dataclass(frozen=True)
class Header:
    """A card in three parts that make it up.

    Attributes:
        before: up to the header's first line.
        text: the YAML.
        after: from the line that ends it.
    """

    before: str
    text: str
    after: str


def split_card(card: str) -> Header | None:
    """The header of a card; None where it has none."""
    match = _HEADER.match(card)
    return None if match is None else Header(match[1], match[2], card[match.start(3) :])


def read_header(text: str) -> dict[str, Any]:
    """The content of a header.

    Raises:
        DataError: it is no YAML mapping, or has a key twice.
    """
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DataError(f"the header is no YAML: {' '.join(str(error).split())}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise DataError("the header is no mapping of YAML")
    for key in repeated_keys(node):
        raise DataError(f"the header has the key {key!r} twice")
    return data


def repeated_keys(node: yaml.Node | None) -> Iterator[str]:
    """Keys that stand twice in one mapping, at any depth; YAML would take the last."""
    if isinstance(node, yaml.MappingNode):
        names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        yield from (name for place, name in enumerate(names) if name in names[:place])
        for _, value in node.value:
            yield from repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from repeated_keys(item)


def with_results(card: str, name: str, results: Sequence[Mapping[str, Any]]) -> str:
    """The card with these results in its ``model-index``; nothing else in it changes by a byte.

    A result that is there already of the same task, dataset, configuration and split is replaced. Results of
    others stay as they are written.

    Args:
        card: the text of ``README.md``; may be empty.
        name: the model's name in the index, where there is none yet.
        results: in the form of the index.

    Raises:
        DataError: the header cannot be read, or its index is written in a way that cannot be added to.
    """
    newline = "\r\n" if card.partition("\n")[0].endswith("\r") else "\n"
    header = split_card(card)
    if header is None:
        if card.lstrip("\ufeff").lstrip().startswith(("---\n", "---\r\n")):
            raise DataError("the header has no end", hint="close it with a line of ---")
        made = f"---\n{_block(name, results)}---\n".replace("\n", newline)
        return made + card
    data = read_header(header.text)
    if data.get(KEY) is None and KEY not in data:
        text = header.text if header.text.endswith("\n") or not header.text else header.text + newline
        new = text + _block(name, results).replace("\n", newline)
    else:
        new = _merged(header.text, results, newline)
    _require_rest(data, read_header(new), results)
    return header.before + new + header.after


def _block(name: str, results: Sequence[Mapping[str, Any]]) -> str:
    return _dump({KEY: [{"name": name, "results": [dict(one) for one in results]}]})


def _dump(data: Any) -> str:
    text: str = yaml.safe_dump(
        data, sort_keys=False, allow_unicode=True, default_flow_style=False, width=1 << 20
    )
    return text


def identity(result: Any) -> tuple[str, ...]:
    """What one result of an index is of; a second one of the same is a repetition."""
    if not isinstance(result, Mapping):
        return (repr(result),)
    task, dataset = result.get("task"), result.get("dataset")
    kind = task.get("type") if isinstance(task, Mapping) else task
    about = dataset if isinstance(dataset, Mapping) else {}
    return (repr(kind), *(repr(about.get(key)) for key in _IDENTITY))


def _merged(text: str, results: Sequence[Mapping[str, Any]], newline: str) -> str:
    """The header with the results put into the list that is there."""
    items = _items(text)
    lines = text.splitlines(keepends=True)
    starts = [_dash(lines, item) for item in items]
    column = starts[0][1]
    old = {identity(yaml.safe_load(_piece(lines, starts, place))[0]): place for place in range(len(items))}
    new: dict[int, str] = {}
    more = []
    for result in results:
        made = "".join(" " * column + line + newline for line in _dump([dict(result)]).splitlines())
        place = old.get(identity(result))
        if place is None:
            more.append(made)
        else:
            new[place] = made
    parts = ["".join(lines[: starts[0][0]])]
    for place in range(len(items)):
        piece = _lines_of(lines, starts, place)
        used = _used(piece)
        last = place == len(items) - 1
        kept = new.get(place, "".join(piece[:used]))
        if last and more and not kept.endswith("\n"):
            kept += newline
        parts.append(kept + ("".join(more) if last else "") + "".join(piece[used:]))
    done = starts[-1][0] + len(_lines_of(lines, starts, len(items) - 1))
    return "".join([*parts, *lines[done:]])


def _items(text: str) -> list[yaml.Node]:
    """The results of the only model of an index, as nodes with their places.

    Raises:
        DataError: there are several models, no results, or they are written in one line.
    """
    header = yaml.compose(text, yaml.SafeLoader)
    try:
        (models,) = (value for key, value in header.value if key.value == KEY)  # type: ignore[union-attr]  # caught
        (model,) = models.value
        (found,) = (value for key, value in model.value if key.value == "results")
    except (ValueError, AttributeError, TypeError) as error:
        raise DataError(
            f"the {KEY} of the card is no list of one model with results",
            hint="leave one, or take the key out: it is written anew",
        ) from error
    if not isinstance(found, yaml.SequenceNode) or not found.value:
        raise DataError(f"the {KEY} of the card has no results", hint="take the key out: it is written anew")
    if any(node.flow_style for node in (models, model, found)):
        raise DataError(
            f"the {KEY} of the card is written in one line", hint="write its lists with a line for each item"
        )
    items: list[yaml.Node] = found.value
    return items


def _dash(lines: Sequence[str], item: yaml.Node) -> tuple[int, int]:
    """Line and column of the dash before an item."""
    line, column = item.start_mark.line, item.start_mark.column
    place = lines[line].rfind("-", 0, column)
    if place < 0 or lines[line][:place].strip():
        raise DataError(
            f"the {KEY} of the card has an item that does not begin behind its dash",
            hint="begin each item on the line of its dash",
        )
    return line, place


def _lines_of(lines: Sequence[str], starts: Sequence[tuple[int, int]], place: int) -> Sequence[str]:
    """The lines of an item, with what follows up to the next; the last one ends where lines are shallower."""
    begin, column = starts[place]
    if place + 1 < len(starts):
        return lines[begin : starts[place + 1][0]]
    end = begin + 1
    while end < len(lines):
        line = lines[end]
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and not line.lstrip().startswith("#") and indent <= column:
            break
        end += 1
    return lines[begin:end]


def _piece(lines: Sequence[str], starts: Sequence[tuple[int, int]], place: int) -> str:
    return "".join(_lines_of(lines, starts, place))


def _used(piece: Sequence[str]) -> int:
    """How many lines of an item are its own: blank lines and remarks at its end are not."""
    used = len(piece)
    while used > 1 and (not piece[used - 1].strip() or piece[used - 1].lstrip().startswith("#")):
        used -= 1
    return used


def _require_rest(
    before: Mapping[str, Any], after: Mapping[str, Any], results: Sequence[Mapping[str, Any]]
) -> None:
    """Refuse to write a header in which anything but the results came out otherwise.

    Raises:
        DataError: it would; nothing is written.
    """
    ours = {identity(result) for result in results}
    rest = [{key: value for key, value in data.items() if key != KEY} for data in (before, after)]
    had = [one for model in before.get(KEY) or [] for one in model["results"] if identity(one) not in ours]
    have = [one for model in after[KEY] for one in model["results"]]
    kept = [one for one in have if identity(one) not in ours]
    added = {identity(one) for one in have if one in [dict(result) for result in results]}
    if rest[0] != rest[1] or had != kept or added != ours:
        raise DataError(
            f"the {KEY} of the card cannot be added to without changing what is there",
            hint="take the key out: it is written anew",
        )
