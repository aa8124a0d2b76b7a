"""``python -m beirkit``."""

import sys

from beirkit.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
