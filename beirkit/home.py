"""Where data lives: built datasets and the cache of indexes and embeddings."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """``BEIRKIT_HOME``, else the platform's cache folder for beirkit."""
    chosen = os.environ.get("BEIRKIT_HOME")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("beirkit", appauthor=False)


def built_folder(dataset: str) -> Path:
    """Where the BEIR folder of a named dataset is kept."""
    return home() / "corpora" / "built" / dataset


def own_facts(dataset: str) -> Path:
    """Where the facts about a dataset of one's own are kept when it is built."""
    return home() / "corpora" / "facts" / f"{dataset}.yaml"


def cache_folder() -> Path:
    """Where the store for indexes and embeddings is kept."""
    return home() / "cache"
