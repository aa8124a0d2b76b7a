"""Docstrings taken apart by hand, beside what the splitter makes of them."""

from __future__ import annotations

import pytest

from beirkit.converters.reading.docstrings import Parts, split_docstring


@pytest.mark.parametrize(
    ("doc", "signature", "summary", "rest"),
    [
        ("Open a file.\n\nThe mode is optional.", "", "Open a file.", "The mode is optional."),
        ("Open a file. The mode is optional.", "", "Open a file.", "The mode is optional."),
        ("Open a\nfile.  It is\nread.\n\nMore.", "", "Open a file.", "It is\nread.\n\nMore."),
        ("Only a summary", "", "Only a summary", ""),
        ("Does it work? Perhaps.", "", "Does it work?", "Perhaps."),
        ("Use a separator, e.g. a comma. Else a tab.", "", "Use a separator, e.g. a comma.", "Else a tab."),
        ("Join parts, i.e. glue them.\nFast.", "", "Join parts, i.e. glue them.", "Fast."),
        ("Skip blanks (ie. tabs). More.", "", "Skip blanks (ie. tabs).", "More."),
        ("Copy modes, owners, etc. of a file. Slow.", "", "Copy modes, owners, etc. of a file.", "Slow."),
        ("Copy modes, owners, etc. Slow.", "", "Copy modes, owners, etc.", "Slow."),
        ("Wait ... then go. Done.", "", "Wait ... then go.", "Done."),
        ("Read (see below. Or above) all. Done.", "", "Read (see below. Or above) all.", "Done."),
        ("Call os.path.join on it. Done.", "", "Call os.path.join on it.", "Done."),
        ('Return "x." Then stop.', "", 'Return "x."', "Then stop."),
        ("f(x) -> y\n\nMap a value.\nSlowly.", "f(x) -> y", "Map a value.", "Slowly."),
        ("f(x)\nf(x, y)\nMap a value. Slowly.", "f(x)\nf(x, y)", "Map a value.", "Slowly."),
        ("f(a,\n  b) -> (c, list of\nd)\n\nMap.  Slowly.", "f(a,\nb) -> (c, list of\nd)", "Map.", "Slowly."),
        ("Take options\n- one\n- two", "", "Take options", "- one\n- two"),
        ("Take options\n    x: the value", "", "Take options", "    x: the value"),
        ("Show it\n>>> show(1)\n1", "", "Show it", ">>> show(1)\n1"),
        ("Send it\n:param x: what", "", "Send it", ":param x: what"),
        ("", "", "", ""),
        ("f(x) -> y", "f(x) -> y", "", ""),
    ],
)
def test_parts(doc: str, signature: str, summary: str, rest: str) -> None:
    assert split_docstring(doc) == Parts(signature, summary, rest)
