"""A small language to choose judgments: ``grade >= 2 and not doc matches 'web-*'``. Parsed, never evaluated.

Grammar, from loosest to tightest::

    or:        and ("or" and)*
    and:       not ("and" not)*
    not:       "not" not | "(" or ")" | comparison
    comparison: value ("=" | "==" | "!=" | "<" | "<=" | ">" | ">=") value
              | value ["not"] "in" "(" value ("," value)* ")"
              | value ["not"] "matches" 'glob'
    value:     "grade" | "query" | "doc" | 'text' | whole number
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from typing import NamedTuple

from beirkit.corpora.errors import UsageError, nearest
from beirkit.corpora.records import Judgment

Condition = Callable[[Judgment], bool]

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<number>[+-]?[0-9]+)(?![\w.])
      | (?P<word>[A-Za-z_][A-Za-z0-9_-]*)
      | (?P<sign>==|!=|<=|>=|=|<|>|\(|\)|,)
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)
_NO_SIGN = re.compile(r"\s*(=>|=<|<>|&&?|\|\|?|!(?!=))", re.ASCII)  # of other languages
_MEANT = {"=>": ">=", "=<": "<=", "<>": "!=", "!": "not", "&": "and", "|": "or"}
_KEYWORDS = ("and", "or", "not", "in", "matches")
_READ: dict[str, Callable[[Judgment], str | int]] = {
    "grade": lambda judgment: judgment.relevance,
    "query": lambda judgment: judgment.query_id,
    "doc": lambda judgment: judgment.doc_id,
}
_COMPARE: dict[str, Callable[[str | int, str | int], bool]] = {
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,  # type: ignore[operator]  # both are of one type, which the parser has seen to
    "<=": lambda a, b: a <= b,  # type: ignore[operator]  # as above
    ">": lambda a, b: a > b,  # type: ignore[operator]  # as above
    ">=": lambda a, b: a >= b,  # type: ignore[operator]  # as above
}
_BLANK = " \t\n\r\f\v"  # what \s is to the pattern above
_DEEPEST = 50
_MOST_DIGITS = 1000  # of a number; Python itself reads some thousand
_LONGEST = 1000  # characters of a condition that a message shows whole


class _Token(NamedTuple):
    """One word of an expression, with the column it starts at, from 1."""

    kind: str
    text: str
    column: int


class _Value(NamedTuple):
    """Something to compare: how it is read from a judgment, and its type."""

    kind: type
    read: Callable[[Judgment], str | int]
    token: _Token


def parse_where(text: str) -> Condition:
    """The condition that an expression states.

    Ids are texts: a number beside ``query`` or ``doc`` is taken as its digits, so ``query in (31, 32)``
    works. ``<`` and its kin compare grades, not ids.

    Args:
        text: the expression; see the grammar above.

    Raises:
        UsageError: the expression is wrong; the message holds the column.
    """
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._place = 0
        self._depth = 0

    def parse(self) -> Condition:
        condition = self._or()
        if self._next.kind != "end":
            raise self._wrong(f"{self._next.text!r} cannot follow here", "join conditions by and, or")
        return condition

    def _split(self) -> list[_Token]:
        tokens: list[_Token] = []
        place = 0
        while not tokens or tokens[-1].kind != "end":
            if other := _NO_SIGN.match(self._text, place):
                hint = f"did you mean {_MEANT[other[1].replace('&&', '&').replace('||', '|')]!r}?"
                raise self._wrong(f"{other[1]!r} is not understood", hint, other.start(1) + 1)
            match = _TOKEN.match(self._text, place)
            if match is None:
                start = len(self._text) - len(self._text[place:].lstrip(_BLANK))
                rest = self._text[start:]
                hint = "quote texts: " + repr(
                    word[0] if (word := re.match(r"[\w.-]+", rest)) else "like this"
                )
                if rest[0] in "'\"":
                    hint = "close the quote"
                if re.match(r"[+-]?[0-9]+\.", rest):
                    hint = "grades are whole numbers; quote ids"
                raise self._wrong(f"{(rest.split() or [rest])[0]!r} is not understood", hint, start + 1)
            kind = match.lastgroup or "end"
            tokens.append(_Token(kind, match[kind], match.start(kind) + 1))
            place = match.end()
        return tokens

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _take(self, *texts: str) -> _Token | None:
        """The next token where it is one of these words or signs, which is then passed."""
        token = self._next
        if token.kind in ("word", "sign") and token.text in texts:
            self._place += 1
            return token
        return None

    def _or(self) -> Condition:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else lambda judgment: any(part(judgment) for part in parts)

    def _and(self) -> Condition:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else lambda judgment: all(part(judgment) for part in parts)

    def _not(self) -> Condition:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong(f"more than {_DEEPEST} levels", "say it more simply")
        try:
            if self._take("not"):
                inner = self._not()
                return lambda judgment: not inner(judgment)
            if self._take("("):
                inner = self._or()
                self._require(")")
                return inner
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Condition:
        left = self._value()
        sign = self._next
        if self._take(*_COMPARE):
            right = self._value()
            left, right = self._alike(left, right)
            if left.kind is str and sign.text in ("<", "<=", ">", ">="):
                raise self._wrong(
                    f"{sign.text!r} compares grades, not ids", "use =, in or matches", sign.column
                )
            compare, first, second = _COMPARE[sign.text], left.read, right.read
            return lambda judgment: compare(first(judgment), second(judgment))
        negated = self._take("not") is not None
        if self._take("in"):
            condition = self._in(left)
        elif self._take("matches"):
            condition = self._matches(left)
        else:
            raise self._wrong(
                f"after {left.token.text!r} stands {self._shown()}",
                "expected =, !=, <, <=, >, >=, in or matches",
            )
        return (lambda judgment: not condition(judgment)) if negated else condition

    def _in(self, left: _Value) -> Condition:
        self._require("(")
        values = [self._alike(left, self._value())]
        while self._take(","):
            values.append(self._alike(left, self._value()))
        self._require(")")
        pairs = [(first.read, second.read) for first, second in values]
        return lambda judgment: any(first(judgment) == second(judgment) for first, second in pairs)

    def _matches(self, left: _Value) -> Condition:
        token = self._next
        if token.kind != "text":
            raise self._wrong(
                f"after matches stands {self._shown()}", "give a pattern: query matches 'PLAIN-*'"
            )
        if left.kind is not str:
            raise self._wrong("matches is for ids, not for grades", "use query or doc", left.token.column)
        pattern, read = re.compile(_glob(token, self._wrong)), left.read
        self._place += 1
        return lambda judgment: pattern.match(str(read(judgment))) is not None

    def _value(self) -> _Value:
        token = self._next
        if token.kind == "word" and token.text in _READ:
            value = _Value(int if token.text == "grade" else str, _READ[token.text], token)
        elif token.kind == "text":
            text = _unquoted(token.text)
            value = _Value(str, lambda _: text, token)
        elif token.kind == "number":
            if len(token.text) > _MOST_DIGITS:
                raise self._wrong("a number of that many digits is no grade", "quote ids")
            number = int(token.text)
            value = _Value(int, lambda _: number, token)
        elif token.kind == "word" and token.text not in _KEYWORDS:
            hint = f"quote texts: {token.text!r}"
            if token.text.isalpha():  # more likely a slip than an id
                hint = f"{nearest(token.text, list(_READ))}; {hint}"
            raise self._wrong(f"{token.text!r} is no name", hint)
        else:
            raise self._wrong(f"expected grade, query, doc, a number or a quoted text, not {self._shown()}")
        self._place += 1
        return value

    def _alike(self, left: _Value, right: _Value) -> tuple[_Value, _Value]:
        """Both as one type: a number beside an id is its digits, anything else mixed is a mistake."""
        if left.kind is right.kind:
            return left, right
        number = left if left.token.kind == "number" else right if right.token.kind == "number" else None
        if number is None:
            raise self._wrong(
                f"{left.token.text} and {right.token.text} do not compare: one is a grade, the other a text",
                column=left.token.column,
            )
        digits = number.token.text
        as_text = _Value(str, lambda _: digits, number.token)
        return (as_text, right) if number is left else (left, as_text)

    def _require(self, sign: str) -> None:
        if not self._take(sign):
            raise self._wrong(f"expected {sign!r}, not {self._shown()}")

    def _shown(self) -> str:
        return "the end" if self._next.kind == "end" else repr(self._next.text)

    def _wrong(self, found: str, hint: str = "", column: int | None = None) -> UsageError:
        place = self._next.column if column is None else column
        shown = self._text
        if len(shown) > _LONGEST:
            start = max(0, place - 40)
            shown = "…" * (start > 0) + shown[start : place + 40] + "…" * (place + 40 < len(shown))
        return UsageError(f"condition {shown!r}, column {place}: {found}", hint=hint)


def _glob(token: _Token, wrong: Callable[[str, str], UsageError]) -> str:
    """The regular expression of a quoted glob; one that fnmatch would let match nothing is refused."""
    glob = _unquoted(token.text)
    place = glob.find("[")
    while place >= 0:  # as fnmatch reads it: a ] right after [ or [! is a character of the class
        if glob[place + 1 : place + 2] == "^":  # as shells have it too
            glob = f"{glob[: place + 1]}!{glob[place + 2 :]}"
        end = glob.find("]", place + (3 if glob[place + 1 : place + 3] == "!]" else 2))
        if end < 0:
            raise wrong(f"the [ in {token.text} is never closed", "a [ as it stands is [[]")
        place = glob.find("[", end)
    pattern = translate(glob)
    if "(?!)" in pattern:
        raise wrong(f"a range in {token.text} holds no character", "write it upwards: [a-z]")
    return pattern


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
