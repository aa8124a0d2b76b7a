"""What is known of the model behind a result, as MTEB's ``model_meta.json`` has it."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Any

from beirkit.configs.load import load_retriever, names
from beirkit.corpora.errors import DataError, MissingExtraError, UsageError
from beirkit.evaluate.exports.base import Entry
from beirkit.evaluate.exports.mteb_meta import LICENCES, SIMILARITIES
from beirkit.evaluate.exports.strict_json import NotStrictError, strict_json

_TYPES = {"late": "late-interaction", "rerank": "cross-encoder", "fusion": "hybrid", "sparse": "sparse"}
"""What MTEB calls a kind of retriever; others are ``dense`` where they have an encoder, else ``sparse``."""


def meta_of(entry: Entry, name: str, revision: str) -> dict[str, Any]:
    """What is known of a model; null where nothing is, since nothing may be invented.

    Args:
        entry: one of its results.
        name: ``ORGANISATION/MODEL``.
        revision: of the model.
    """
    identity = entry.manifest.get("retriever", {})
    encoder = identity.get("encoder", {}) if isinstance(identity, dict) else {}
    report = entry.manifest.get("report", {})
    dense = isinstance(encoder, dict) and bool(encoder)
    library = encoder.get("encoder") if dense else None
    prompts = encoder.get("prompts") if dense else {}
    parameters, licence = _configured(entry)
    kind, similarity = (
        (identity.get("kind"), identity.get("similarity")) if isinstance(identity, dict) else (None, None)
    )
    similarity = "MaxSim" if similarity == "maxsim" else similarity
    return {
        "name": name,
        "revision": revision,
        "release_date": None,
        "languages": None,
        "n_parameters": parameters,
        "memory_usage_mb": None,
        "max_tokens": _number(encoder.get("max_length")) if dense else None,
        "embed_dim": report.get("dimensions") if isinstance(report, dict) else None,
        "license": licence,
        "open_weights": None,
        "public_training_code": None,
        "public_training_data": None,
        "framework": ["Sentence Transformers", "PyTorch"] if library == "sentence-transformers" else [],
        "reference": f"https://huggingface.co/{name}" if name == entry.model else None,
        "similarity_fn_name": similarity if similarity in SIMILARITIES else None,
        "use_instructions": any(prompts.values()) if isinstance(prompts, dict) and dense else None,
        "training_datasets": None,
        "modalities": ["text"],
        "model_type": [_TYPES.get(str(kind), "dense" if dense else "sparse")],
        "loader": None,
    }


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _configured(entry: Entry) -> tuple[int | None, str | None]:
    """Parameters and licence of a shipped retriever, where the result is of the very model it names."""
    if entry.system not in names("retrievers"):
        return None, None
    config = load_retriever(entry.system)
    sources = config.options.get("model", [])
    places = [sources] if isinstance(sources, str) else list(sources) if isinstance(sources, list) else []
    if not any(str(place).startswith(f"hub:{entry.model}@") for place in places):
        return None, None
    licence = (config.licence or "").lower()
    return config.parameters, licence if licence in LICENCES else None


def given_meta(source: str, name: str, revision: str) -> dict[str, Any]:
    """A ``model_meta.json`` of the user's, or what the installed mteb says of the model.

    Args:
        source: a file, or ``mteb``.
        name: that the model has in the submission.
        revision: likewise.

    Raises:
        DataError: the file is no JSON object, or of another model.
        MissingExtraError: mteb is asked and not installed.
    """
    if source == "mteb":
        found = _meta_of_installed(name)
    else:
        try:
            found = strict_json(Path(source).read_bytes())
        except (OSError, NotStrictError) as error:
            raise DataError(f"cannot be read: {error}", path=source) from error
        if not isinstance(found, dict):
            raise DataError("is no JSON object", path=source, hint="give a model_meta.json")
    for key, value in (("name", name), ("revision", revision)):
        if found.get(key) != value:
            raise DataError(
                f"{key}: is of {found.get(key)!r}, and the results are of {value!r}",
                path="mteb" if source == "mteb" else source,
                hint=f"name that {key} too, if the model is the same",
            )
    return found


def _meta_of_installed(name: str) -> dict[str, Any]:
    try:
        import mteb  # pyright: ignore[reportMissingImports]  # no part of `all`
    except ImportError as error:
        raise MissingExtraError("meta=mteb", "mteb") from error
    try:
        found: dict[str, Any] = mteb.get_model_meta(name).to_dict()
    except (KeyError, ValueError) as error:
        raise UsageError(f"mteb does not implement {name}") from error
    if isinstance(found.get("max_tokens"), float) and not isfinite(found["max_tokens"]):
        found["max_tokens"] = None  # JSON has no infinity
    similarity = found.get("similarity_fn_name")
    found["similarity_fn_name"] = getattr(similarity, "value", similarity)
    return found
