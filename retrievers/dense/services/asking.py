"""Texts sent to a service in batches, from several threads; each answer is kept before the next is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from beirkit.corpora.errors import UsageError
from beirkit.retrievers.dense.encoder import RefusedTextError, Role, Vectors
from beirkit.retrievers.dense.services.account import BYTES_PER_TOKEN, Account
from beirkit.retrievers.dense.services.answers import BadVectorError, read_name, read_tokens, read_vectors
from beirkit.retrievers.dense.services.options import ServiceOptions
from beirkit.retrievers.dense.services.responses import Responses, byte_count
from beirkit.retrievers.outside.client import Client, GivenUpError, RequestError
from beirkit.retrievers.outside.secret import redacted

_TOO_MUCH = {400, 413, 422}  # what services say to a text that is too long, and to too many of them
_FORBIDDEN = {401, 403}
_PER_ANSWER, _PER_VECTOR = 1 << 20, 1 << 18  # bytes: 8,192 numbers of 30 characters are less

Done = Callable[[Sequence[str], int], object]


class Asker:
    """Asks for vectors of texts that have none.

    A request that is refused as too much is sent again in halves, until it passes or one text is left.

    Args:
        model: what the service calls the model.
        options: how it is asked.
        account: counts and stops.
    """

    def __init__(self, model: str, options: ServiceOptions, account: Account, client: Client) -> None:
        self._model, self._options = model, options
        self._account, self._client = account, client

    def ask(
        self,
        texts: Sequence[str],
        role: Role,
        headers: dict[str, str],
        kept: Responses,
        size: int,
        done: Done,
    ) -> dict[str, Vectors]:
        """The vectors of texts.

        Args:
            texts: each once, with prompts.
            role: of all of them.
            headers: with their secrets.
            kept: where the answers go.
            size: texts of a request at most.
            done: called with the texts and the tokens of each answer, in this thread.

        Raises:
            RefusedTextError: the service does not take one of them, or gave no vector for it.
            UsageError: it gave no answer that can be used, or the work is dearer than allowed.
        """
        found: dict[str, Vectors] = {}
        self._client.stopped.clear()
        ratio = kept.tokens_per_byte or 1 / BYTES_PER_TOKEN
        with ThreadPoolExecutor(self._options.concurrency, "beirkit-service") as pool:
            futures = [
                pool.submit(self._or_stop, batch, role, headers, kept, ratio)
                for batch in self._batches(texts, size, ratio)
            ]
            try:
                for future in as_completed(futures):
                    if isinstance(future.exception(), GivenUpError):
                        continue  # what failed first is among the others
                    for some, vectors, tokens in future.result():
                        found.update(zip(some, vectors, strict=True))
                        done(some, tokens)
            except BaseException as error:
                self._client.stopped.set()
                for future in futures:
                    future.cancel()
                if isinstance(error, RequestError):
                    raise self._told(error) from None
                if isinstance(error, _TextError):
                    raise RefusedTextError(error.why, texts.index(error.text)) from None
                raise
        return found

    def _batches(self, texts: Sequence[str], size: int, ratio: float) -> Iterator[list[str]]:
        """Consecutive texts, as many as one request may have."""
        batch: list[str] = []
        tokens = 0.0
        for text in texts:
            more = byte_count(text) * ratio
            if batch and (len(batch) == size or tokens + more > self._options.batch_tokens):
                yield batch
                batch, tokens = [], 0.0
            batch.append(text)
            tokens += more
        if batch:
            yield batch

    def _or_stop(self, *args: Any) -> list[tuple[list[str], Vectors, int]]:
        """The answers to one batch; where there is none, nothing more is sent."""
        try:
            return self._batch(*args)
        except BaseException:
            self._client.stopped.set()
            raise

    def _batch(
        self, texts: list[str], role: Role, headers: dict[str, str], kept: Responses, ratio: float
    ) -> list[tuple[list[str], Vectors, int]]:
        """The answers to one batch: one, or more where it had to be halved."""
        try:
            return [self._one(texts, role, headers, kept, ratio)]
        except BadVectorError as error:
            raise _TextError(texts[error.row], str(error)) from error
        except RequestError as error:
            if error.status not in _TOO_MUCH:
                raise
            if len(texts) == 1:
                size = f"{len(texts[0]):,} characters with its prompt"
                raise _TextError(texts[0], f"the service does not take it ({size}): {error}") from error
        half = len(texts) // 2
        first = self._batch(texts[:half], role, headers, kept, ratio)
        return first + self._batch(texts[half:], role, headers, kept, ratio)

    def _one(
        self, texts: list[str], role: Role, headers: dict[str, str], kept: Responses, ratio: float
    ) -> tuple[list[str], Vectors, int]:
        options, client = self._options, self._client
        self._account.allow()
        expected = round(sum(map(byte_count, texts)) * ratio)
        most = _PER_ANSWER + _PER_VECTOR * len(texts)
        answer, sent = client.json(
            "POST", options.url, headers, self._body(texts, role), tokens=expected, most=most
        )
        counted = read_tokens(answer, options.tokens)
        tokens = expected if counted is None else counted
        client.pace.correct(expected, tokens)
        self._account.add(tokens)  # paid for, whatever it holds
        vectors = read_vectors(answer, len(texts), options)
        kept.keep(
            texts,
            vectors,
            {
                "tokens": tokens,
                "counted": counted is not None,
                "sent": sent,
                "model": redacted(read_name(answer), client.secrets),
            },
        )
        return texts, vectors, tokens

    def _body(self, texts: list[str], role: Role) -> dict[str, Any]:
        options = self._options
        asked = {} if options.dimensions is None else {"dimensions": options.dimensions}
        own = options.fields.get(role, {})
        return {"model": self._model, options.input: texts, **asked, **options.body, **own}

    def _told(self, error: RequestError) -> UsageError:
        options, account = self._options, self._account
        why = redacted(str(error), self._client.secrets)
        if error.status in _FORBIDDEN:
            hint = f"is the variable {options.key} the right key?" if options.key else "it may want a key"
        else:
            hint = f"what was answered is kept ({account.told(account.tokens)}); the same command goes on"
        return UsageError(f"{options.url}: {why}", hint=hint)


class _TextError(Exception):
    """A text got no vector."""

    def __init__(self, text: str, why: str) -> None:
        super().__init__(why)
        self.text, self.why = text, why
