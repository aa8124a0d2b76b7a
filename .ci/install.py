"""Sets up ``.venv`` with what a ``make`` target needs, and does nothing where that is already there.

``python3 .ci/install.py PARTS`` installs the checkout as ``-e .[PARTS]``. What was installed is recorded in
``.venv/ready.json`` at the very end, so an installation that was killed half-way is started anew.
It runs before anything is installed, so it needs the standard library only, and it parses under old
Pythons so that it can say what is wrong with them.
"""

import hashlib
import json
import os
import re
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
PYTHON = VENV / "bin" / "python"
READY = VENV / "ready.json"
UNFINISHED = VENV / "unfinished"
CONSTRAINTS = Path("constraints") / "cpu.txt"

PROBE_SECONDS = 3  # for the connection
PROBE_LIMIT_SECONDS = 6  # for everything, name look-up included
HEARTBEAT_SECONDS = 30


def main() -> int:
    """Install the parts named on the command line, or answer ``--probe URL``."""
    if sys.argv[1:2] == ["--probe"]:
        return 0 if answers(sys.argv[2]) else 1
    parts = sys.argv[1]
    refuse_unsuitable_python()
    if is_ready(parts):
        return 0
    READY.unlink(missing_ok=True)
    make_venv()
    UNFINISHED.touch()
    code = install(parts)
    UNFINISHED.unlink()  # pip came to an end; only a killed one leaves the mark
    if code == 0:
        READY.write_text(json.dumps(state(parts), indent=2) + "\n", encoding="utf-8")
    else:
        say("The installation failed; the reason stands above.")
    return code


def refuse_unsuitable_python() -> None:
    """Exit with what to do where this Python is not one that pyproject.toml asks for."""
    asked = re.search(r'requires-python = ">=3\.(\d+),<3\.(\d+)"', read("pyproject.toml"))
    if asked is None:
        sys.exit("pyproject.toml does not say which Python it requires")
    lowest, above = int(asked.group(1)), int(asked.group(2))
    major, minor = sys.version_info[:2]
    if not (3, lowest) <= (major, minor) < (3, above):
        sys.exit(
            f"beirkit needs Python 3.{lowest} to 3.{above - 1}, and {sys.executable} is {major}.{minor}.\n"
            f"Name another one: make PYTHON=python3.{lowest} ..."
        )


def state(parts: str) -> "dict[str, str]":
    """What decides whether an environment is still the right one."""
    facts = hashlib.sha256((read("pyproject.toml") + read(str(CONSTRAINTS))).encode()).hexdigest()
    return {"parts": parts, "checkout": str(CHECKOUT), "facts": facts}


def is_ready(parts: str) -> bool:
    """Whether the environment holds these parts, of this pyproject.toml, at this place."""
    if not PYTHON.exists() or not READY.exists() or UNFINISHED.exists():
        return False
    have = json.loads(READY.read_text(encoding="utf-8"))
    wanted = state(parts)
    enough = set(parts.split(",")) <= set(have["parts"].split(","))
    return enough and all(have[key] == wanted[key] for key in ("checkout", "facts"))


def make_venv() -> None:
    """Create the environment; one that an earlier, killed installation left is emptied first."""
    if PYTHON.exists() and not UNFINISHED.exists():
        return
    say("Creating .venv with " + sys.executable)
    VENV.mkdir(exist_ok=True)
    UNFINISHED.touch()
    if subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=False).returncode:
        sys.exit("Creating .venv failed; the reason stands above (Debian keeps venv in a package of its own)")


def install(parts: str) -> int:
    """Run pip, with a sign of life where there is no terminal to draw its progress on."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "-c", str(CONSTRAINTS)]
    if not sys.stdout.isatty():
        command.append("-qq")
    command += torch_index()
    say(f"Installing beirkit[{parts}] and what it needs into .venv (about 2 GB, some minutes)")
    began = time.monotonic()
    with subprocess.Popen([*command, "-e", ".[" + parts + "]"], cwd=str(CHECKOUT)) as pip:
        while True:
            try:
                code = pip.wait(timeout=HEARTBEAT_SECONDS)
                break
            except subprocess.TimeoutExpired:
                say(f"  still installing, {time.monotonic() - began:.0f} s")
    if code == 0:
        say(f"Installed in {time.monotonic() - began:.0f} s")
        warm_up()
    return code


def warm_up() -> None:
    """Compile what searches use. They work without it, so a failure here is none of the installation."""
    say("Compiling what searches use")
    subprocess.run([str(PYTHON), "-P", "-m", "beirkit", "warmup", "--quiet"], cwd=str(CHECKOUT), check=False)


def torch_index() -> "list[str]":
    """The pip options that prefer the CPU builds of torch, where their index can be reached."""
    index = os.environ.get("TORCH_INDEX", "")
    if not index:
        return []
    probe = [sys.executable, __file__, "--probe", index.rstrip("/") + "/torch/"]
    try:
        reached = subprocess.run(probe, timeout=PROBE_LIMIT_SECONDS, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        reached = False
    if reached:
        return ["--extra-index-url", index]
    say("The index of torch's CPU builds does not answer: torch comes from where pip finds it.")
    return []


def answers(url: str) -> bool:
    """Whether a web server answers at this address, whatever it says."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=PROBE_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except urllib.error.URLError as error:
        return isinstance(error.reason, ssl.SSLError)  # pip has its own certificates: let it try
    except OSError:
        return False


def read(name: str) -> str:
    """A text file of the checkout."""
    return (CHECKOUT / name).read_text(encoding="utf-8")


def say(text: str) -> None:
    """Tell the person at the terminal, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
