"""Checkers, loaders and other implementations that want other versions of large libraries than we do.

They have an environment of their own, whose Python ``BEIRKIT_PEERS`` names; ``make test-full`` makes it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest


def asked(code: str, place: Path) -> Any:
    """What a script of the peers' environment prints as JSON, given a path."""
    python = os.environ.get("BEIRKIT_PEERS", "")
    if not python:
        pytest.skip("BEIRKIT_PEERS names no Python with tira, ranx and air-benchmark; make test-full does")
    script = f"import json\nplace = {str(place)!r}\n{code}"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
