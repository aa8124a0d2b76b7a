"""Whatever a server does, in any order: what goes by a file's name was published so, or is not there."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beirkit.fetching.checksums import Checksum
from beirkit.fetching.download import download
from beirkit.fetching.errors import FetchError
from beirkit.fetching.place import RemoteFile
from beirkit.fetching.web import Client
from tests.beirkit.fetching import server as misbehave
from tests.beirkit.fetching.conftest import PATIENCE, make_archive
from tests.beirkit.fetching.server import Answer, Content, Handler, Server

PATH = "/birds.zip"
V1, V2 = make_archive("text"), make_archive("word")
SIZE = len(V1.data)


def becoming(server: Server, content: Content, answer: Answer) -> Answer:
    """Answer, and have other content from then on."""

    def changing(handler: Handler, old: Content) -> None:
        answer(handler, old)
        server.files[PATH] = content

    return changing


TROUBLE: dict[str, Answer] = {
    "sound": misbehave.sound,
    "drop": misbehave.drop_after(9_000),
    "drop at once": misbehave.drop_after(0),
    "reset": misbehave.reset,
    "no ranges": misbehave.ignoring_ranges,
    "no length": misbehave.without_length(),
    "no length, cut": misbehave.without_length(9_000),
    "chunks": misbehave.chunked(7),
    "chunks, cut": misbehave.chunked(7, whole=False),
    "too long": misbehave.announcing(SIZE + 1000),
    "too short": misbehave.announcing(9_000, sent=9_000),
    "503": misbehave.status(503),
    "404": misbehave.status(404),
    "page": misbehave.page_as_file,
    "empty": misbehave.status(200, b""),
}
STEPS = st.lists(
    st.tuples(st.sampled_from(sorted(TROUBLE)), st.sampled_from(["stay", "v1", "v2", "v2 untold"])),
    max_size=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, calls=st.integers(1, 3))
@pytest.mark.parametrize("pinned", [True, False])
def test_what_goes_by_the_name_is_whole_and_of_one_version(
    server: Server, pinned: bool, steps: list[tuple[str, str]], calls: int
) -> None:
    contents = {
        "v1": Content(V1.data, '"v1"'),
        "v2": Content(V2.data, '"v2"'),
        "v2 untold": Content(V2.data, ""),
    }
    server.files[PATH] = contents["v1"]
    server.next[PATH] = [
        TROUBLE[name] if then == "stay" else becoming(server, contents[then], TROUBLE[name])
        for name, then in steps
    ]
    known = Checksum("md5", V1.md5) if pinned else None
    file = RemoteFile("birds.zip", (server.url(PATH),), None, known)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "version"
        for _ in range(calls):
            try:
                path = download(file, folder, Client(PATIENCE), changed=Path(place) / "changed")
            except FetchError:
                assert not (folder / "birds.zip").exists()
            else:
                assert path.read_bytes() in ([V1.data] if pinned else [V1.data, V2.data])
        for kept in (Path(place) / "changed").rglob("birds.zip"):
            assert kept.read_bytes() == V2.data
            assert kept.parent.name == V2.md5
