"""The source of chance of every draw: it depends on the seed and on names, never on what was drawn before."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from beirkit.corpora.errors import UsageError
from beirkit.corpora.sample import require_seed

# Numbers held at a time while resampling: 32 MB.
BATCH = 4_000_000


def rng_for(seed: int, *names: str) -> np.random.Generator:
    """A generator for one use, named by what it is for; the order of uses does not matter.

    Raises:
        UsageError: the seed is negative.
    """
    require_seed(seed)
    digest = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def require_samples(samples: int, level: float) -> None:
    """Refuse so few draws that no p-value of theirs, 1 / (draws + 1) at least, could be below the level.

    Raises:
        UsageError: the level does not lie between 0 and 1, or there are too few draws for it.
    """
    if not 0 < level < 1:
        raise UsageError(f"the level lies between 0 and 1, not at {level}", hint="0.05 is usual")
    least = max(2, math.ceil(1 / level))
    if samples < least:
        raise UsageError(
            f"{samples} samples are too few for the level {level:g}, which takes {least:,}",
            hint="10000 are usual",
        )
