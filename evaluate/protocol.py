"""The rules under which a run is scored, as a value that every result carries."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec

from beirkit.corpora.errors import ConfigError, UnknownNameError, nearest
from beirkit.corpora.run import Precision
from beirkit.evaluate.families import Family
from beirkit.evaluate.measures import Measure

SelfMatch = Literal["dataset", "remove", "keep"]
Missing = Literal["zero", "skip", "skip-trec"]

# The measures whose mean beir 2.2.0 takes over the queries that pytrec_eval returned; it divides its own
# measures (MRR, R_cap, Hole, Accuracy) by the number of judged queries.
BEIR_SKIPS = frozenset({"nDCG", "AP", "R", "P"})
"""Families whose mean beir takes over the queries that were returned, and over no other."""


def _measures(names: str) -> tuple[Measure, ...]:
    return tuple(Measure.parse(name) for name in names.split())


class Protocol(msgspec.Struct, frozen=True, kw_only=True):
    """How a run is scored. Replace one switch with ``msgspec.structs.replace(protocol, missing="skip")``.

    Attributes:
        name: the preset it started from.
        self_match: what becomes of a result whose id is the query's: removed where the dataset says that
            queries stand in its corpus, removed always, or kept.
        missing: what a judged query without a list in the run counts: 0, nothing, or (``skip-trec``)
            nothing in nDCG, AP, R and P but 0 in the other measures, as beir has it.
        precision: scores are compared after rounding them to this type.
        rr_precision: the same for RR with a cut-off, where it differs.
        ties: equal scores are ordered by document id, descending by UTF-8 bytes.
        gain: of nDCG; the exponential one has its own measure, nDCG_exp.
        averaging: every query that counts has the same weight.
        digits: decimals printed; values are never rounded before that.
        measures: what is reported where nothing is asked for.
        k_values: cut-offs that the tool it stands for reports.
    """

    name: str
    self_match: SelfMatch = "dataset"
    missing: Missing = "zero"
    precision: Precision = "float32"
    rr_precision: Precision | None = None
    ties: Literal["document id descending"] = "document id descending"
    gain: Literal["linear"] = "linear"
    averaging: Literal["queries"] = "queries"
    digits: int = 4
    measures: tuple[Measure, ...] = _measures("nDCG@10 R@100 RR@10 AP@100 Judged@10")
    k_values: tuple[int, ...] = (10, 100)

    def skips(self, family: Family) -> bool:
        """Whether a judged query without a list is left out of the mean of this family's measures."""
        return self.missing == "skip" or (self.missing == "skip-trec" and family.name in BEIR_SKIPS)

    def describe_missing(self) -> str:
        """What a judged query without a list counts, in words."""
        return {
            "zero": "a missing query counts 0",
            "skip": "missing queries are left out",
            "skip-trec": "missing queries are left out of nDCG, AP, R, P and count 0 in the rest",
        }[self.missing]

    def describe(self) -> str:
        """Every rule in one line."""
        self_match = {
            "dataset": "self-matches removed where the dataset says so",
            "remove": "self-matches removed",
            "keep": "self-matches kept",
        }[self.self_match]
        single = self.rr_precision
        rr = "" if single in (None, self.precision) else f" ({single} for RR@k)"
        return (
            f"{self.name}: {self_match}; {self.describe_missing()}; {self.precision} scores{rr}, "
            f"ties by {self.ties}; {self.gain} gain, plain recall; mean over {self.averaging}; "
            f"{self.digits} digits"
        )


_PRESETS = (
    Protocol(name="beirkit"),
    Protocol(
        name="beir",
        self_match="remove",
        missing="skip-trec",
        digits=5,
        measures=_measures("nDCG@10 AP@100 R@100 P@10 RR@10"),
        k_values=(1, 3, 5, 10, 100, 1000),
    ),
    Protocol(
        name="trec_eval",
        self_match="keep",
        measures=_measures("AP Rprec Bpref RR P@5 P@10 nDCG@10 R@100"),
        k_values=(5, 10, 15, 20, 30, 100, 200, 500, 1000),
    ),
    Protocol(
        name="trec_eval-10",
        self_match="keep",
        precision="float64",
        measures=_measures("AP Rprec Bpref RR P@5 P@10 nDCG@10 R@100"),
        k_values=(5, 10, 15, 20, 30, 100, 200, 500, 1000),
    ),
    Protocol(
        name="mteb",
        missing="skip",
        rr_precision="float64",
        digits=5,
        measures=_measures("nDCG@10 AP@100 R@100 P@10 RR@10 Success@10"),
        k_values=(1, 3, 5, 10, 20, 100, 1000),
    ),
)
SWITCHES: dict[str, Any] = {
    "self_match": SelfMatch,
    "missing": Missing,
    "precision": Precision,
    "rr_precision": Precision,
    "digits": Annotated[int, msgspec.Meta(ge=0, le=15)],
}
"""What may be changed in a preset, and to what."""

_BY_NAME = {preset.name: preset for preset in _PRESETS}


def protocol_names() -> tuple[str, ...]:
    """The presets, the default one first."""
    return tuple(_BY_NAME)


def get_protocol(name: str | Protocol) -> Protocol:
    """The preset with this name, with switches changed where they follow: ``beirkit:missing=skip,digits=3``.

    What was changed stands in the protocol's name, so that every table shows it. A protocol is given back as
    it is.

    Raises:
        UnknownNameError: there is no such preset or switch; the message holds the nearest.
        ConfigError: a switch has no such value; the message lists those it has.
    """
    if isinstance(name, Protocol):
        return name
    base, colon, settings = name.strip().partition(":")
    preset = _BY_NAME.get(base.strip())
    if preset is None:
        raise UnknownNameError(f"unknown protocol {name!r}", hint=nearest(base.strip(), list(_BY_NAME)))
    return _switched(preset, settings, name) if colon else preset


def _switched(preset: Protocol, settings: str, text: str) -> Protocol:
    changed: dict[str, object] = {}
    for setting in settings.split(","):
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals:
            hint = "write NAME:switch=value,... with the switches " + ", ".join(SWITCHES)
            raise ConfigError(f"the switches of {text!r} cannot be read at {setting!r}", hint=hint)
        if key not in SWITCHES:
            raise UnknownNameError(f"protocol {text!r}: no switch {key!r}", hint=nearest(key, list(SWITCHES)))
        if key in changed:
            raise ConfigError(f"{text!r} sets {key!r} twice")
        try:
            changed[key] = msgspec.convert(value, SWITCHES[key], strict=False)
        except msgspec.ValidationError as error:
            hint = f"it may be {_values_of(SWITCHES[key])}"
            raise ConfigError(f"protocol {text!r}: {key} cannot be {value!r}", hint=hint) from error
    other = {key: value for key, value in changed.items() if value != getattr(preset, key)}
    told = ",".join(f"{key}={other[key]}" for key in SWITCHES if key in other)
    return msgspec.structs.replace(preset, name=f"{preset.name}:{told}" if told else preset.name, **other)


def _values_of(wanted: Any) -> str:
    words = [value for value in get_args(wanted) if isinstance(value, str)]
    return ", ".join(words) or "a whole number from 0 to 15"
