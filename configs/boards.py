"""What boards ask of a submission (``configs/boards``)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from beirkit.configs.load import read_config

_SHIPPED = Path(__file__).parent / "boards"


class AirBench(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The datasets of one version of AIR-Bench.

    Attributes:
        version: of the benchmark.
        queries: by place in a submission (``TASK/DOMAIN/LANGUAGE_DATASET``) and split, how many there are.
    """

    version: str
    queries: dict[str, dict[str, int]]


@cache
def air_bench() -> AirBench:
    """AIR-Bench 24.05."""
    return read_config(_SHIPPED / "air-bench-24.05.yaml", AirBench)
