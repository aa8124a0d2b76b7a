"""Work that goes on in a thread beside other work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def beside(work: Callable[[], T]) -> Callable[[], T]:
    """Begin some work in a thread; what is given back waits for its end and returns or raises what it did.

    Worth it for work that lets other threads go on, as hashing a file does; no exit of Python waits for it.
    """
    returned: list[T] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            returned.append(work())
        except BaseException as error:  # whatever it is, it is raised where the result is wanted
            raised.append(error)

    thread = threading.Thread(target=run, name="beside", daemon=True)
    thread.start()

    def wait() -> T:
        thread.join()
        if raised:
            raise raised[0]
        return returned[0]

    return wait
