"""The language of a dataset and the language that a retriever's analyzer is for: chosen, and compared."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from beirkit.configs.schema import RetrieverConfig
from beirkit.configs.spec import INNER, MEMBERS, nested_config, nested_specs, with_nested
from beirkit.corpora.errors import ConfigError, UsageError
from beirkit.corpora.scripts import count_scripts
from beirkit.datasets import Dataset
from beirkit.exam import Exam
from beirkit.retrievers.base import Retriever
from beirkit.retrievers.lexical.analysis.languages import LANGUAGES, NEUTRAL, primary

_log = logging.getLogger(__name__)

AUTO = "auto"
"""What stands in a retriever's options for the language of the dataset it is run on."""

_LOOKED_AT = 200  # documents whose scripts are counted
_ENOUGH = 50  # letters that tell something


def asks_for_language(config: RetrieverConfig) -> bool:
    """Whether a retriever's language is the dataset's."""
    return _itself_asks(config) or any(
        asks_for_language(nested_config(spec)) for spec in nested_specs(config.options)
    )


def _itself_asks(config: RetrieverConfig) -> bool:
    return config.options.get("language", _analyzer(config).get("language")) == AUTO


def for_language(config: RetrieverConfig, language: str) -> RetrieverConfig:
    """The same retriever with ``auto`` resolved; one that names its language stays as it is."""
    options = dict(config.options)
    if _itself_asks(config):  # what stands outside the analyzer is said of it, and goes before what is inside
        if "language" in options:
            options["language"] = language
        else:
            options["analyzer"] = {**_analyzer(config), "language": language}
    changed = msgspec.structs.replace(config, options=options)
    return with_nested(changed, lambda inner: for_language(inner, language))


def for_dataset(config: RetrieverConfig, dataset: Dataset) -> RetrieverConfig:
    """The same retriever with ``auto`` resolved to the language that a dataset's facts state.

    Raises:
        UsageError: nothing states it; scripts are not guessed from, since most serve many languages.
    """
    if not asks_for_language(config):
        return config
    language = dataset.config.language if dataset.config else ""
    if not language:
        raise UsageError(
            f"{config.name} takes the language of the dataset, and none is stated for {dataset.name}",
            hint=f"{_where(config)}, or language={NEUTRAL} for any; "
            "or state it in a YAML file about the dataset",
        )
    return for_language(config, language)


def _where(config: RetrieverConfig) -> str:
    """Where the language of a retriever is said that takes the dataset's."""
    if _itself_asks(config):
        return f"say which: -r {config.name.partition(':')[0]}:language=de"
    inner = next(
        one.name for one in map(nested_config, nested_specs(config.options)) if asks_for_language(one)
    )
    return f"say which in the file that describes it: language of {inner}"


def bm25_for(language: str) -> str:
    """The BM25 to try first on texts of a language, as it is written after ``-r``."""
    try:
        own = primary(language) if language else "en"
    except ConfigError:
        own = NEUTRAL
    if own in ("en", "he"):
        return {"en": "bm25", "he": "bm25-hebrew"}[own]
    return "bm25:language=auto" if own in LANGUAGES else "bm25-multilingual"


def warn_of_language(exam: Exam, name: str, retriever: Retriever[Any]) -> None:
    """Say so where the analyzer of a lexical retriever is for another language than the texts are in.

    The language that the dataset states decides; where it states none, or the same, the letters of the first
    documents do. Of a retriever with others inside it, theirs are looked at.

    Args:
        exam: what is searched.
        name: of the retriever.
        retriever: it.
    """
    identity = retriever.identity()
    here = "analyzer" in identity
    mend = f"choose its analyzer with {name.partition(':')[0]}:language=TAG, or take bm25-multilingual"
    for language in dict.fromkeys(_languages(identity)):
        _warn_of(exam, name, language, mend if here else "put bm25-multilingual inside it")


def _languages(identity: Any) -> Iterator[str]:
    """The languages of the analyzers of a retriever and of those inside it."""
    analyzer = identity.get("analyzer")
    if isinstance(analyzer, dict) and "language" in analyzer:
        yield str(analyzer["language"])
    for inner in (identity.get(INNER), *(identity.get(MEMBERS) or [])):
        if isinstance(inner, dict):
            yield from _languages(inner)


def _warn_of(exam: Exam, name: str, language: str, mend: str) -> None:
    try:
        own = primary(language)
    except ConfigError:
        return
    if own == NEUTRAL:
        return
    stated = primary(exam.dataset.config.language) if exam.dataset.config else NEUTRAL
    if stated not in (own, NEUTRAL):
        _log.warning("%s: the analyzer of %s is for %s, and the dataset's language is %s; %s",
                     exam.label, name, own, stated, mend)  # fmt: skip
        return
    expected = LANGUAGES[own].scripts if own in LANGUAGES else ()
    texts = (f"{document.title} {document.text}" for document in exam.collection.documents())
    counted = count_scripts(islice(texts, _LOOKED_AT))
    letters = counted.total()
    found, times = counted.most_common(1)[0] if counted else ("", 0)
    if not expected or letters < _ENOUGH or 2 * sum(counted[script] for script in expected) >= letters:
        return
    _log.warning(
        "%s: the analyzer of %s is for %s (%s), and %.0f %% of the letters of the first documents are %s; %s",
        exam.label, name, own, ", ".join(expected), 100 * times / letters, found, mend,
    )  # fmt: skip


def _analyzer(config: RetrieverConfig) -> dict[str, Any]:
    found = config.options.get("analyzer")
    return found if isinstance(found, dict) else {}
