"""Whether a conversion gave what its dataset is known to hold."""

from __future__ import annotations

from beirkit.configs.schema import Expected
from beirkit.corpora.manifest import Manifest


def differences(manifest: Manifest, expected: Expected) -> list[str]:
    """Where the counts of a conversion differ from the expected ones, one sentence each.

    Only what is expected is compared: a split that the configuration does not name may be there.

    Args:
        manifest: of the folder that was written.
        expected: of the dataset's configuration.
    """
    counts = manifest.counts
    found: list[str] = []
    for what in ("documents", "queries"):
        number, wanted = getattr(counts, what), getattr(expected, what)
        if wanted is not None and number != wanted:
            found.append(f"{number} {what} instead of {wanted}")
    for split, grades in sorted(expected.judgments.items()):
        if split not in counts.splits:
            have = ", ".join(sorted(counts.splits)) or "none"
            found.append(f"no split {split!r} (it has: {have})")
            continue
        have_grades = {int(grade): number for grade, number in counts.splits[split].grades.items()}
        found += [
            f"split {split!r}: {have_grades.get(grade, 0)} judgments of grade {grade} "
            f"instead of {grades.get(grade, 0)}"
            for grade in sorted({*grades, *have_grades})
            if have_grades.get(grade, 0) != grades.get(grade, 0)
        ]
    return found
