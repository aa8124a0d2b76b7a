"""Writes the table of MTEB's tasks, boards and models anew from the installed mteb.

Run it with ``python -P docs/build_mteb_facts.py`` when mteb has a new release; nothing is downloaded.
"""

from __future__ import annotations

from pathlib import Path

from beirkit.corpora.files import atomic_open
from beirkit.evaluate.exports.mteb_facts import TABLE, facts_text
from beirkit.evaluate.exports.mteb_installed import facts_of_installed

if __name__ == "__main__":
    facts = facts_of_installed()
    path = Path(__file__).parent.parent / "configs" / TABLE
    with atomic_open(path) as file:
        file.write(facts_text(facts))
    print(f"{path}: mteb {facts.mteb}, {len(facts.tasks):,} tasks, {len(facts.boards)} boards")
