"""``model_meta.json`` of MTEB's results repository: what it must hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite

from beirkit.evaluate.exports.found import Found, quoted

REQUIRED = (
    "name", "revision", "release_date", "languages", "n_parameters", "memory_usage_mb", "max_tokens",
    "embed_dim", "license", "open_weights", "public_training_code", "public_training_data", "framework",
    "similarity_fn_name", "use_instructions", "training_datasets", "loader",
)  # fmt: skip
OPTIONAL = (
    "loader_kwargs", "n_active_parameters_override", "n_embedding_parameters", "reference", "adapted_from",
    "superseded_by", "modalities", "model_type", "citation", "contacts", "experiment_kwargs",
    "output_dtypes", "extra_requirements_groups", "is_cross_encoder",
)  # fmt: skip
LICENCES = (
    "not specified", "mit", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0",
    "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0", "cc-by-nd-4.0",
    "openrail", "openrail++", "odc-by", "afl-3.0", "apache-2.0", "cc-by-nd-2.1-jp", "cc0-1.0",
    "bsd-3-clause", "gpl-3.0", "lgpl", "lgpl-3.0", "cdla-sharing-1.0", "mpl-2.0", "msr-la-nc", "multiple",
    "gemma", "eupl-1.2", "openmdw-1.1",
)  # fmt: skip
FRAMEWORKS = (
    "Sentence Transformers", "PyTorch", "GritLM", "LLM2Vec", "TensorFlow", "JAX", "API", "Tevatron", "NumPy",
    "PyLate", "ColBERT", "ColPali", "GGUF", "safetensors", "ONNX", "OpenVINO", "Transformers",
)  # fmt: skip
MODEL_TYPES = ("dense", "cross-encoder", "late-interaction", "sparse", "router", "hybrid")
# The six names stand in mteb's list of functions; its reader of the file takes three of them.
SIMILARITIES = ("cosine", "dot", "MaxSim")
MODALITIES = ("text", "image", "audio", "video")

_LANGUAGE = re.compile(r"[a-z]{3}-[A-Z][a-z]{3}|[a-z0-9+#-]+-Code")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def _text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value > 0


def _all(test: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(test(item) for item in value)


def _one_of(*values: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and value in values


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


# key: (test of what is not null, what is expected, whether null is allowed)
_RULES: dict[str, tuple[Callable[[object], bool], str, bool]] = {
    "name": (lambda value: isinstance(value, str) and value.count("/") == 1, "ORGANISATION/MODEL", False),
    "revision": (_text, "the revision of the model", False),
    "release_date": (_matches(_DATE), "a date such as 2026-01-31", True),
    "languages": (_all(_matches(_LANGUAGE)), "codes such as eng-Latn", True),
    "n_parameters": (_whole, "a whole number", True),
    "n_active_parameters_override": (_whole, "a whole number", True),
    "n_embedding_parameters": (_whole, "a whole number", True),
    "memory_usage_mb": (_amount, "a number above 0", True),
    "max_tokens": (_amount, "a finite number above 0", True),
    "embed_dim": (
        lambda value: _whole(value) or (_all(_whole)(value) and bool(value)),
        "a whole number, or several",
        True,
    ),
    "license": (
        lambda value: _one_of(*LICENCES)(value) or (isinstance(value, str) and "://" in value),
        "one of mteb's names of licences in lower case, or a URL",
        True,
    ),
    "open_weights": (lambda value: isinstance(value, bool), "true or false", True),
    "public_training_code": (_text, "a URL", True),
    "public_training_data": (lambda v: isinstance(v, bool) or _text(v), "a URL, true or false", True),
    "framework": (_all(_one_of(*FRAMEWORKS)), f"names among {', '.join(FRAMEWORKS)}", False),
    "similarity_fn_name": (_one_of(*SIMILARITIES), f"one of {', '.join(SIMILARITIES)}", True),
    "use_instructions": (lambda value: isinstance(value, bool), "true or false", True),
    "training_datasets": (_all(_text), "a list of names of tasks", True),
    "loader": (_text, "the name of the loader", True),
    "loader_kwargs": (lambda value: isinstance(value, dict), "an object", False),
    "reference": (lambda value: isinstance(value, str) and "://" in value, "a URL", True),
    "adapted_from": (_text, "the name of a model", True),
    "superseded_by": (_text, "the name of a model", True),
    "modalities": (_all(_one_of(*MODALITIES)), f"names among {', '.join(MODALITIES)}", False),
    "model_type": (_all(_one_of(*MODEL_TYPES)), f"names among {', '.join(MODEL_TYPES)}", False),
    "citation": (_text, "a BibTeX entry", True),
    "contacts": (_all(_text), "a list of names", True),
    "experiment_kwargs": (lambda value: isinstance(value, dict), "an object", True),
    "extra_requirements_groups": (_all(_text), "a list of names", True),
}


def check_meta(meta: object, found: Found) -> None:
    """Tell what is wrong with the content of a ``model_meta.json``."""
    if not isinstance(meta, Mapping):
        found.add("files of other shape", "", quoted(meta), "an object")
        return
    for key in REQUIRED:
        if key not in meta:
            found.add("missing keys", key, "nothing", "the key", "null where it is not known")
    for key, value in meta.items():
        if key not in REQUIRED + OPTIONAL:
            found.add("unknown keys", key, quoted(value), "no such key", "mteb forbids it; take it out")
        elif key in _RULES and not (isinstance(value, float) and not isfinite(value)):  # told by its reader
            test, expected, nullable = _RULES[key]
            if not (nullable if value is None else test(value)):
                found.add("values of the wrong kind", key, quoted(value), expected + " or null" * nullable)
