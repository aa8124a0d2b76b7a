"""Which encoder the option ``model`` stands for."""

from __future__ import annotations

import re
from pathlib import Path

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.base import Workplace
from beirkit.retrievers.dense.encoder import Encoder
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions, SentenceTransformerEncoder
from beirkit.retrievers.dense.services.options import ServiceOptions

SERVICE = "service:"

_FUNCTION = re.compile(r"(?:.+\.py|[A-Za-z_][\w.]*):[A-Za-z_]\w*")
_SCHEMES = ("env:", "package:", "hub:")


def make_encoder(
    options: EncoderOptions, workplace: Workplace, service: ServiceOptions | None = None
) -> Encoder:
    """The encoder of a configuration; nothing is read or loaded yet.

    ``mteb:NAME`` is a model of mteb, ``service:NAME`` one behind an embedding service, ``module:name`` and
    ``file.py:name`` are functions of a user's own, and everything else is a place where the files of a model
    are.

    Args:
        options: which model, and how.
        workplace: for the encoder.
        service: how the service is asked.

    Raises:
        ConfigError: an option has an impossible value.
    """
    model = options.model
    if isinstance(model, str) and model.startswith(SERVICE):
        from beirkit.retrievers.dense.services.encoder import ServiceEncoder

        if service is None:
            raise ConfigError(f"model {model} needs the option service", hint="write service: {url: …}")
        return ServiceEncoder(options, service, workplace)
    if service is not None:
        raise ConfigError("service is set and model is none of a service", hint="write model: service:NAME")
    if isinstance(model, str) and model.startswith("mteb:"):
        from beirkit.retrievers.dense.mteb_model import MtebEncoder

        return MtebEncoder(options, workplace)
    if isinstance(model, str) and is_function(model):
        from beirkit.retrievers.dense.function import FunctionEncoder

        return FunctionEncoder(options, workplace)
    return SentenceTransformerEncoder(options, workplace)


def is_function(model: str) -> bool:
    """Whether it names a function rather than a place."""
    return bool(_FUNCTION.fullmatch(model)) and not model.startswith(_SCHEMES) and not Path(model).is_dir()
