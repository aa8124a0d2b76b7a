"""Quora's questions as the sentence-transformers project split them, with the queries of each split.

The rule is that of its public script ``create_splits.py``, told in our own words: the same pairs and the same
seed give the same queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from beirkit.converters.reading.clusters import Clusters
from beirkit.converters.reading.seen_numbers import SeenNumbers

SEED = 42
LIMITS = {"dev": 5000, "test": 10000}  # queries of each split

# What two questions may differ in and still ask the same.
_PARAPHRASES = (
    ("how do you", "how do i"), ("how do we", "how do i"), ("how can we", "how can i"),
    ("how can you", "how can i"), ("how can i", "how do i"), ("really true", "true"),
    ("what are the importance", "what is the importance"), ("what was", "what is"), ("so many", "many"),
    ("would it take", "will it take"),
)  # fmt: skip
_PUNCTUATION = str.maketrans(dict.fromkeys(",!.?'\":;[]{}<>", " "))
# Those with an apostrophe cannot match any more when they are looked for, and are left out here.
_WORDS = (
    "a about above after again against ain all am an and any are aren as at be because been before being "
    "below between both but by can couldn d did didn do does doesn doing don down during each few for from "
    "further had hadn has hasn have haven having he her here hers herself him himself his i if in into is "
    "isn its itself just ll m ma me mightn more most mustn my myself needn no nor not now o of off on once "
    "only or other our ours ourselves out over own re s same shan she should shouldn so some such t than "
    "that the their theirs them themselves then there these they this those through to too under until up "
    "ve very was wasn we were weren which while will with won wouldn y you your yours yourself yourselves"
)
_STOP_WORDS = frozenset(_WORDS.split())


class Pair(NamedTuple):
    """Two questions that Quora's annotators compared."""

    first: str
    second: str
    first_text: str
    second_text: str
    is_duplicate: bool

    def questions(self) -> Iterator[tuple[str, str]]:
        """Id and text of both."""
        yield self.first, self.first_text
        yield self.second, self.second_text


def questions(pairs: Iterable[Pair]) -> Iterator[tuple[str, str]]:
    """Id and text of each question once, where it first stands."""
    seen = SeenNumbers()
    return ((name, text) for pair in pairs for name, text in pair.questions() if seen.add(name))


class Drawn(NamedTuple):
    """The queries of each split, and the clusters that say what is relevant to them."""

    queries: dict[str, list[str]]
    clusters: Clusters


def draw(pairs: Iterable[Pair]) -> Drawn:
    """Split the questions and draw the queries.

    Duplicates are what annotators called so and what differs in stop words, punctuation and some phrases
    only, and what follows from both. The pairs are shuffled; of ten whose questions have no split yet, one
    goes to dev, two to test and seven to train, each with all duplicates. In the shuffled order of a split's
    ids, the first question of each cluster is a query until there are enough; everything else, with every
    question without duplicates, is a document.

    Args:
        pairs: each pair; about 300 bytes are held of each.
    """
    clusters = Clusters()
    forms: dict[str, str] = {}  # a normal form, and the first question that has it
    seen = SeenNumbers()
    order: list[tuple[str, str]] = []
    for pair in pairs:
        order.append((pair.first, pair.second))
        if pair.is_duplicate:
            clusters.link(pair.first, pair.second)
        for name, text in pair.questions():
            if seen.add(name):
                clusters.link(forms.setdefault(normal_form(text), name), name)
    random = Random(SEED)
    random.shuffle(order)
    members = _members(order, clusters)
    queries = {split: _queries(members[split], clusters, random, limit) for split, limit in LIMITS.items()}
    return Drawn(queries, clusters)


def normal_form(text: str) -> str:
    """A question without what does not matter to its sense."""
    text = text.lower()
    for phrase, same in _PARAPHRASES:
        text = text.replace(phrase, same)
    return "".join(word for word in text.translate(_PUNCTUATION).split() if word not in _STOP_WORDS)


def _members(order: list[tuple[str, str]], clusters: Clusters) -> dict[str, list[str]]:
    """The questions of each split."""
    split_of: dict[str, str] = {}
    fresh = 0  # pairs of which no question had a split
    for first, second in order:
        split = split_of.get(first) or split_of.get(second)
        if first in split_of and second in split_of:
            continue
        if split is None:
            place, fresh = fresh % 10, fresh + 1
            split = "dev" if place == 0 else "test" if place in (1, 2) else "train"
        for name in (*clusters.of(first), *clusters.of(second)):
            split_of.setdefault(name, split)
    members: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
    for name, split in split_of.items():
        members[split].append(name)
    return members


def _queries(names: list[str], clusters: Clusters, random: Random, limit: int) -> list[str]:
    names = sorted(names)
    random.shuffle(names)
    settled: set[str] = set()
    queries: list[str] = []
    for name in names:
        if name not in settled and len(others := clusters.of(name)) > 1:
            settled.update(others)
            if len(queries) < limit:
                queries.append(name)
    return sorted(queries, key=lambda name: (len(name), name))
