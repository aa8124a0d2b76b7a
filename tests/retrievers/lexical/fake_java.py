"""Stands in for Java and Anserini's jar: its flags, files and messages, and a score by shared words.

``install(folder)`` makes a jar and a ``JAVA_HOME``. ``FAKE_JAVA`` in the environment makes it fail: see
``_FAULTS``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

STOPWORDS = {"what", "do", "the", "of", "and", "to", "by", "at", "in", "an", "a", "it", "before"}
_POM = "META-INF/maven/io.anserini/anserini/pom.properties"
_FAULTS = ("old", "memory", "lost", "clauses", "nothing", "wait")


def install(folder: Path, version: str = "1.7.1") -> dict[str, str]:
    """The variables that lead to them."""
    jar = folder / f"anserini-{version}-fatjar.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_POM), f"artifactId=anserini\nversion={version}\n")
    java = folder / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P "{__file__}" "$@"\n', encoding="utf-8")
    java.chmod(0o755)
    return {"ANSERINI_JAR": str(jar), "JAVA_HOME": str(java.parent.parent)}


def _terms(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w+", text.lower()) if word not in STOPWORDS}


def _flags(words: list[str]) -> dict[str, str]:
    flags: dict[str, str] = {}
    name = ""
    for word in words:
        if re.match(r"-[a-z]", word):
            name = word
            flags[name] = ""
        else:
            flags[name] = f"{flags[name]} {word}".strip()
    return flags


def _index(flags: dict[str, str], fault: str) -> None:
    rows = [
        json.loads(line)
        for path in sorted(Path(flags["-input"]).glob("*.jsonl"))
        for line in path.read_text(encoding="ascii").splitlines()
    ]
    kept = {row["id"]: row["contents"] for row in rows if row["contents"].strip()}
    index = Path(flags["-index"])
    index.mkdir()
    (index / "segments_1").write_text(json.dumps(kept), encoding="utf-8")
    (index / "write.lock").touch()
    if fault == "wait":  # it was killed: what it wrote so far stays behind
        os.kill(os.getppid(), 9)
    if fault == "memory":
        sys.exit(
            "java.lang.OutOfMemoryError: Java heap space\n\tat org.apache.lucene.Index.add(Index.java:1)"
        )
    indexed = len(kept) - (fault == "lost")
    for name, count in (("indexed", indexed), ("empty", len(rows) - len(kept)), ("errors", 0)):
        say(f"2026-12-01 02:28:00,161 INFO  [main] index.AbstractIndexer (A.java:1) - {name}: {count:16,}")


def _search(flags: dict[str, str], fault: str) -> None:
    if fault == "nothing":
        say("INFO - Hits: 10")
        return  # Anserini ends with 0 where it cannot read its queries
    if fault == "clauses":
        sys.stderr.write(
            "org.apache.lucene.search.IndexSearcher$TooManyClauses: maxClauseCount is set to 1024\n"
        )
        sys.stderr.write("\tat org.apache.lucene.search.BooleanQuery$Builder.add(BooleanQuery.java:1)\n")
    documents = json.loads((Path(flags["-index"]) / "segments_1").read_text(encoding="utf-8"))
    lines = []
    for line in Path(flags["-topics"]).read_text(encoding="utf-8").splitlines():
        number, text = line.split("\t")
        asked = _terms(text)
        found = [(len(asked & _terms(contents)), doc) for doc, contents in documents.items()]
        ranked = sorted((-score, doc) for score, doc in found if score)[: int(flags["-hits"])]
        same = 0
        for place, (score, doc) in enumerate(ranked):
            same = same + 1 if place and ranked[place - 1][0] == score else 0
            lines.append(f"{number} Q0 {doc} {place + 1} {-score - same * 1e-6:.6f} Anserini\n")
    Path(flags["-output"]).write_text("".join(lines), encoding="ascii")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    words, fault = sys.argv[1:], os.environ.get("FAKE_JAVA", "")
    assert fault in ("", *_FAULTS), fault
    if os.environ.get("FAKE_JAVA_LOG"):
        with Path(os.environ["FAKE_JAVA_LOG"]).open("a", encoding="utf-8") as log:
            log.write(" ".join(words) + "\n")
    if words == ["-version"]:
        sys.stderr.write('openjdk version "25.0.2" 2026-01-20\n')
        return
    if fault == "old":
        sys.exit(
            "Error: LinkageError occurred while loading main class\n"
            "\tjava.lang.UnsupportedClassVersionError: compiled by a more recent version of Java"
        )
    at = next(place for place, word in enumerate(words) if word.startswith("io.anserini."))
    flags = _flags(words[at + 1 :])
    {"IndexCollection": _index, "SearchCollection": _search}[words[at].rpartition(".")[2]](flags, fault)


def without_java(folder: Path) -> str:
    """A path for programs that has a shell and no Java."""
    folder.mkdir()
    shell = shutil.which("sh")
    assert shell is not None
    (folder / "sh").symlink_to(shell)
    return str(folder)


if __name__ == "__main__":
    main()
