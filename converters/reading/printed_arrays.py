"""Arrays that numpy has printed into the cells of a table; nothing is evaluated."""

from __future__ import annotations

import ast
import io
import tokenize

from beirkit.converters.reading.rows import Row


def integer_array(row: Row, column: str) -> list[str]:
    """The decimal texts in the printed form of an array of integers, such as ``[ 5152028 11705328]``.

    Raises:
        DataError: the cell holds anything but non-negative integers in brackets.
    """
    cell = row.text(column)
    numbers = cell.strip()[1:-1].replace(",", " ").split()
    if cell.strip()[:1] + cell.strip()[-1:] != "[]" or not all(number.isdecimal() for number in numbers):
        raise row.error(f"column {column!r} is no array of integers: {cell[:60]!r}")
    return numbers


def string_array(row: Row, column: str) -> list[str]:
    """The strings in the printed form of an array of strings.

    The form is a bracket around Python string literals with nothing but white space between them, which
    Python itself would join into one string; so the literals are told apart by the tokenizer.

    Raises:
        DataError: the cell holds anything but string literals.
    """
    cell = row.text(column)
    strings: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(cell).readline):
            value = ast.literal_eval(token.string) if token.type == tokenize.STRING else None
            if isinstance(value, str):
                strings.append(value)
            elif token.type == tokenize.OP and token.string in "[],":
                continue
            elif token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER):
                raise row.error(f"column {column!r} holds {token.string!r} where a string should be")
    except (tokenize.TokenError, SyntaxError, ValueError) as error:
        raise row.error(f"column {column!r} is no array of strings: {error}") from error
    return strings
