"""The source of chance of every draw: it depends on the seed and on names, never on what was drawn before."""

from __future__ import annotations

import hashlib

import numpy as np

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
