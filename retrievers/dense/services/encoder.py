"""A model behind an embedding service as an encoder."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, get_args
from urllib.parse import urlsplit

import numpy as np

from beirkit.corpora.errors import ConfigError, DataError, UsageError
from beirkit.corpora.progress import Advance
from beirkit.retrievers.base import Facts, Workplace
from beirkit.retrievers.dense.encoder import RefusedTextError, Role, Similarity, Vectors
from beirkit.retrievers.dense.function import BATCH, refuse_options
from beirkit.retrievers.dense.prompts import NoConfiguration, Prompts, choose_prompts
from beirkit.retrievers.dense.sentence_transformer import EncoderOptions
from beirkit.retrievers.dense.services.account import BYTES_PER_TOKEN, Account
from beirkit.retrievers.dense.services.asking import Asker
from beirkit.retrievers.dense.services.options import ServiceOptions
from beirkit.retrievers.dense.services.responses import Responses, byte_count, digest
from beirkit.retrievers.outside.client import Client
from beirkit.retrievers.outside.pace import MINUTE, Pace
from beirkit.retrievers.outside.secret import resolved_headers, secrets_of
from beirkit.retrievers.store import Store

logger = logging.getLogger(__name__)

_LOCAL = re.compile(r"localhost|127(\.\d+){3}|::1")


class ServiceEncoder:
    """Asks a service for vectors; each of its answers is kept, and no text is asked for twice.

    Texts that are blank with their prompt are not sent, since services refuse them: their vectors are zero.

    Args:
        options: ``model`` is ``service:NAME``, with the service's own name of it.
        service: how it is asked.
        workplace: the store, progress, whether the network may be used.

    Raises:
        ConfigError: an option has an impossible value, or means nothing for a service.
    """

    stage = 1

    def __init__(self, options: EncoderOptions, service: ServiceOptions, workplace: Workplace) -> None:
        assert isinstance(options.model, str)
        self._name = options.model.partition(":")[2]
        if not self._name:
            raise ConfigError("service: names no model", hint="write service:NAME, as the service calls it")
        service.check()
        owned = ("weights_sha256", "max_length", "backend", "dtype", "static")
        refuse_options(options, "a service", owned)
        self._options, self._service, self._workplace = options, service, workplace
        self._batch_size = workplace.batch(options.batch_size, BATCH)
        per_minute = service.requests_per_minute
        rate = None if per_minute is None else per_minute / MINUTE
        self._client = Client(
            service.timeout,
            service.retries,
            service.backoff,
            Pace(rate, service.tokens_per_minute),
            connections=service.concurrency,
        )
        self._account = Account(service)
        self._asker = Asker(self._name, service, self._account, self._client)
        self._kept: dict[Role, Responses] = {}
        self._shown: Advance | None = None
        self._advised = False

    def identity(self) -> Facts:
        """Model, address, what is sent beside texts and where vectors stand; no key, and nothing is asked."""
        return {
            "kind": "dense",
            "encoder": "service",
            "stage": self.stage,
            **self._asked(),
            "fields": {role: self._service.fields.get(role, {}) for role in get_args(Role)},
            "prompts": {role: self._prompts.by_role[role].text for role in get_args(Role)},
            "truncate_characters": self._service.truncate_characters,
        }

    @property
    def similarity(self) -> Similarity:
        """As the options say; cosine unless they do."""
        return self._options.similarity or "cosine"

    def advise(self) -> None:
        """Warn of prompts that look like a mistake, and of a key that anybody can read on its way; once."""
        warnings = [] if self._advised else list(self._prompts.warnings)
        url = self._service.url
        local = _LOCAL.fullmatch(urlsplit(url).hostname or "")
        if not self._advised and url.startswith("http:") and self._secret_headers and not local:
            warnings.append(f"{url} is not encrypted: the key can be read on its way")
        for warning in warnings:
            logger.warning(warning)
        self._advised = True

    def report(self) -> Facts:
        """Who set the prompts."""
        return self._prompts.describe()

    def bill(self, sources: Facts) -> Facts:
        """Requests, tokens and cost of what vectors come from; see :meth:`sources`."""
        return self._account.bill(sources)

    def costs(self) -> Facts:
        """What was sent and paid this time."""
        return {
            "requests": self._client.sent,
            "repeated": self._client.repeated,
            "tokens": self._account.tokens,
            "cost": round(self._account.cost(self._account.tokens), 9),
        }

    @contextmanager
    def announce(self, parts: Iterable[Sequence[str]], role: Role) -> Iterator[None]:
        """Tell what texts will take before any is sent, and show tokens while they are encoded inside this.

        Args:
            parts: all texts that will be encoded.
            role: of all of them.

        Raises:
            UsageError: it is more than is allowed, the key is not set, or nothing may be asked.
        """
        kept = self._responses(role)
        lacking: dict[bytes, None] = {}
        size = count = 0
        for texts in parts:
            for text in self._lacking([self._sent(text, role) for text in texts], kept):
                if (key := digest(text)) not in lacking:
                    lacking[key] = None
                    size += byte_count(text)
                    count += 1
        if not count:
            logger.info("%s: nothing is asked, every %s has its vector in the store", self._name, role)
            yield
            return
        tokens = round(size * (kept.tokens_per_byte or 1 / BYTES_PER_TOKEN))
        estimate = f"{self._lack(count, role)}, about {self._account.told(tokens)}"
        self._require(estimate)
        logger.warning("%s; %s is asked for them", estimate, self._service.url)
        self._account.allow(tokens)
        price = f", {self._service.price:g} a million" if self._service.price else ""
        with self._workplace.progress(f"{self._name}: {role}{price}", tokens, "tokens") as advance:
            self._shown = advance
            try:
                yield
            finally:
                self._shown = None
        logger.info("%s: %s in %d requests so far", self._name, self._spent(), self._account.requests)

    def encode(self, texts: Sequence[str], role: Role, advance: Advance | None = None) -> Vectors:
        """The vectors of the texts, from the store or the service.

        Raises:
            UsageError: the service gives none, the key is not set, or nothing may be asked.
            RefusedTextError: the service does not take one of the texts.
            DataError: all texts are blank and the dimensions are not known.
        """
        kept = self._responses(role)
        sent = [self._sent(text, role) for text in texts]
        uses = Counter(sent)
        found = kept.find(uses)
        lacking = [text for text in uses if text not in found and text.strip()]
        step: Advance = advance or (lambda done=1, /: None)
        step(sum(count for text, count in uses.items() if text in found or not text.strip()))

        def done(some: Sequence[str], tokens: int) -> None:
            step(sum(uses[text] for text in some))
            if self._shown is not None:
                self._shown(tokens)

        if lacking:
            headers = self._require(self._lack(len(lacking), role))
            try:
                found |= self._asker.ask(lacking, role, headers, kept, self._batch_size, done)
            except RefusedTextError as error:
                raise RefusedTextError(error.found, sent.index(lacking[error.row])) from error
        dim = kept.dim or self._service.dimensions or self._other_dim(role)
        if dim is None:
            raise DataError(f"every {role} is blank, so there is nothing to ask {self._name} for")
        blank: Vectors = np.zeros(dim, dtype=np.float32)
        return np.stack([found.get(text, blank) for text in sent])

    def sources(self, texts: Sequence[str], role: Role) -> Facts:
        """The answers that the vectors of texts come from, by their keys; kept beside the vectors."""
        return self._responses(role).sources(self._sent(text, role) for text in texts)

    def count_truncated(self, texts: Sequence[str], role: Role) -> int | None:
        """How many of the texts are cut before they are sent; what the service cuts is not known."""
        limit = self._service.truncate_characters
        return None if limit is None else sum(len(text) > limit for text in texts)

    def _sent(self, text: str, role: Role) -> str:
        return self._prompts.by_role[role].text + text[: self._service.truncate_characters]

    def _lack(self, count: int, role: Role) -> str:
        plural = "" if count == 1 else "s"
        return f"{count:,} {role} text{plural} lack{'s' if count == 1 else ''} a vector of {self._name}"

    def _lacking(self, texts: Iterable[str], kept: Responses) -> list[str]:
        return [text for text in texts if text.strip() and text not in kept]

    def _require(self, what: str) -> dict[str, str]:
        """The headers, where the service may be asked.

        Raises:
            UsageError: it may not, or a variable is not set.
        """
        if self._workplace.offline:
            raise UsageError(f"{what}, and offline nothing is asked", hint="run it without --offline once")
        try:
            headers = resolved_headers(self._service.all_headers())
        except UsageError as error:
            raise UsageError(f"{what}, and {error}") from None
        self._client.secrets = secrets_of(self._service.all_headers())
        return headers

    def _responses(self, role: Role) -> Responses:
        """The answers for texts of a role; roles for which the same is sent share them."""
        if role not in self._kept:
            same = [other for other in self._kept if self._fields(other) == self._fields(role)]
            section = self._store.section("responses", {**self._asked(), "fields": self._fields(role)})
            self._kept[role] = self._kept[same[0]] if same else Responses(section)
        return self._kept[role]

    def _other_dim(self, role: Role) -> int | None:
        return next((self._responses(other).dim for other in get_args(Role) if other != role), None)

    def _fields(self, role: Role) -> dict[str, Any]:
        return self._service.fields.get(role, {})

    def _asked(self) -> Facts:
        """All that an answer depends on besides the texts and the fields of their role."""
        service = self._service
        return {
            "model": self._name,
            "url": service.url,
            "headers": service.open_headers(),
            "dimensions": service.dimensions,
            "body": service.body,
            "read": {name: getattr(service, name) for name in ("input", "vectors", "vector", "index")},
            "version": service.version,
        }

    def _spent(self) -> str:
        return self._account.told(self._account.tokens)

    @property
    def _secret_headers(self) -> bool:
        return self._service.all_headers() != self._service.open_headers()

    @cached_property
    def _store(self) -> Store:
        return Store(self._workplace.cache)

    @cached_property
    def _prompts(self) -> Prompts:
        """The prompts of both roles; a name such as ``nomic-embed-text:v1.5`` is known by its parts too."""
        names = [self._name, self._name.replace(":", "-"), self._name.partition(":")[0]]
        return choose_prompts(self._options.prompts, self._options.instruction, NoConfiguration(), names)
