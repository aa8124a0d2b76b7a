"""How an embedding service is asked: what stands in a configuration about it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from beirkit.corpora.errors import ConfigError
from beirkit.retrievers.dense.encoder import Role
from beirkit.retrievers.outside.secret import is_env, refuse_secrets

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_POSITIVE = (
    "dimensions",
    "batch_tokens",
    "truncate_characters",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
)


class ServiceOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a service is asked for vectors. Unless something else is said, it is asked as OpenAI's is.

    Attributes:
        url: address that texts are posted to, such as ``https://api.openai.com/v1/embeddings``.
        key: name of the environment variable that holds the key, sent as ``Authorization: Bearer``; the key
            itself must stand in no configuration, and is written nowhere.
        headers: sent as well; ``env:NAME`` in a value is the environment's, and is written nowhere.
        dimensions: that the service is asked for and must give, for models trained for it (Matryoshka).
        body: JSON that is sent with every request, beside the model and the texts.
        fields: JSON that is sent with texts of a role, such as ``{query: {input_type: query}}``.
        input: key of the texts in the request.
        vectors: path of the list of vectors in the answer; empty: the answer itself.
        vector: path of the vector in an entry of that list; empty: the entry itself.
        index: path of an entry's place among the texts; entries without one are in order.
        tokens: path of the number of tokens that were charged.
        batch_tokens: tokens of a request at most, by an estimate of one for four bytes.
        truncate_characters: characters of a text that are sent at most; ``None``: all, whatever the service
            does with them.
        concurrency: requests that are under way at once.
        requests_per_minute: that are sent at most.
        tokens_per_minute: that are sent at most, by the estimate and then by the service's count.
        timeout: seconds until a connection, and until the end of an answer.
        retries: how often a request is sent again.
        backoff: seconds before the first repetition, then twice as many each time, up to a minute.
        price: of a million tokens, in whatever currency.
        max_cost: in that currency: what an estimate says costs more is refused, and work that comes to cost
            more is stopped.
        max_tokens: likewise, for services whose price is not known.
        version: what tells one state of the service from another; answers are kept under it.
    """

    url: str
    key: str = ""
    headers: dict[str, str] = {}
    dimensions: int | None = None
    body: dict[str, Any] = {}
    fields: dict[Role, dict[str, Any]] = {}
    input: str = "input"
    vectors: str = "data"
    vector: str = "embedding"
    index: str = "index"
    tokens: str = "usage.total_tokens"
    batch_tokens: int = 100_000
    truncate_characters: int | None = None
    concurrency: int = 4
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    timeout: float = 60.0
    retries: int = 6
    backoff: float = 0.5
    price: float = 0.0
    max_cost: float = 1.0
    max_tokens: int | None = None
    version: str = ""

    def check(self) -> None:
        """Refuse what cannot be, and secrets that are not in the environment.

        Raises:
            ConfigError: an option has an impossible value.
        """
        if not self.url.startswith(("http://", "https://")):
            raise ConfigError("service.url is no address", hint="write http://… or https://…")
        if self.key and not _VARIABLE.fullmatch(self.key):
            raise ConfigError(
                "is not the name of an environment variable, in capitals",
                path="options.service.key",  # not the retriever's name, which may have been written with it
                hint="set a variable such as EMBEDDING_KEY to the key, and write its name",
            )
        if self.key and any(name.lower() == "authorization" for name in self.headers):
            raise ConfigError("service.key and the header Authorization say the same", hint="take one out")
        refuse_secrets(self.url, self.headers, self.body, self.fields)
        for name in _POSITIVE:
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ConfigError(f"service.{name} is {value}", hint="it is greater than 0")
        for name in ("price", "max_cost", "max_tokens"):
            if (getattr(self, name) or 0) < 0:
                raise ConfigError(f"service.{name} is {getattr(self, name)}", hint="it is not below 0")

    def all_headers(self) -> dict[str, str]:
        """The headers as they are written, the key's among them."""
        return {**self.headers, **({"Authorization": f"Bearer env:{self.key}"} if self.key else {})}

    def open_headers(self) -> dict[str, str]:
        """Those that hold no secret."""
        return {name: value for name, value in self.headers.items() if not is_env(value)}
