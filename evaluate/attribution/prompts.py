"""Prompts that ask for numbered claims with quotes."""

from __future__ import annotations

import re
from hashlib import sha256

from beirkit.corpora.errors import ConfigError

HEBREW = """\
לפניך מסמך ושאלה. השב רק לפי מה שכתוב במסמך, בלי ידע נוסף.
כתוב כל טענה בשורה אחת, ומספר את הטענות ברצף מ-1. בסוף כל שורה העתק לתוך סוגריים מרובעים, מילה במילה, את \
הקטע במסמך שהטענה נשענת עליו. כך:
1. הטענה [הקטע כלשונו]
2. הטענה [הקטע כלשונו]
אל תוסיף דבר לפני הרשימה או אחריה. אם אין במסמך תשובה, כתוב רק: אין תשובה במסמך.

המסמך:
{source_text}

השאלה:
{question}
"""
"""The prompt that is used where no template is given. Its wording is ours, its form of answer the card's."""

_FIELD = re.compile(r"\{(source_text|question)\}")


class PromptTemplate:
    """Text with the places ``{source_text}`` and ``{question}``; any other brace stands for itself.

    Args:
        text: the template.

    Raises:
        ConfigError: one of the two places is missing.
    """

    def __init__(self, text: str = HEBREW) -> None:
        for field in ("source_text", "question"):
            if f"{{{field}}}" not in text:
                raise ConfigError(
                    f"the template has no {{{field}}}", hint="write it where the text should go"
                )
        self.text = text
        self.sha256 = sha256(text.encode()).hexdigest()

    def render(self, source_text: str, question: str) -> str:
        """The prompt; braces in source and question survive."""
        values = {"source_text": source_text, "question": question}
        return _FIELD.sub(lambda field: values[field[1]], self.text)
