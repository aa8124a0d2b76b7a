"""``beirkit version``."""

from __future__ import annotations

import argparse

from beirkit.cli.arguments import add_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Print the versions, and where data is kept."""
    import platform

    from beirkit import __version__
    from beirkit.cli.output import print_json
    from beirkit.home import home
    from beirkit.results import LIBRARIES, library_versions

    libraries = library_versions(LIBRARIES)
    if args.json:
        python = platform.python_version()
        print_json({"beirkit": __version__, "python": python, "libraries": libraries, "home": str(home())})
        return 0
    print(f"beirkit {__version__}")
    print(f"Python {platform.python_version()}")
    for name, number in libraries.items():
        print(f"{name} {number}")
    print(f"data: {home()}")
    return 0
