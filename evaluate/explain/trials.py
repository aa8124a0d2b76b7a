"""A run scored with every switch, and with two of them at once; what comes of it as causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from beirkit.corpora.progress import Progress
from beirkit.evaluate.explain.arithmetic import alike, steps
from beirkit.evaluate.explain.explanation import Cause, Target, closing
from beirkit.evaluate.explain.ranking import nearest
from beirkit.evaluate.explain.scorer import Outcome, Scorer
from beirkit.evaluate.explain.settings import Setting
from beirkit.evaluate.explain.switches import Switch, switches, together
from beirkit.evaluate.protocol import get_protocol, protocol_names

_MOST_PAIRS = 1_500  # three splits, two versions and four grades make a thousand


class Trials:
    """Scorings of one run, and the causes among them.

    Args:
        scorer: of the run.
        base: how our number is made.
        ours: our number.
        target: the other one.
        kinds: what each further version or split of the judgments is, by name.
        progress: shows how many were tried.
    """

    def __init__(
        self,
        scorer: Scorer,
        base: Setting,
        ours: Outcome,
        target: Target,
        kinds: Mapping[str, str],
        progress: Progress,
    ) -> None:
        self._progress = progress
        self.scorer, self.base, self.kinds = scorer, base, kinds
        self._ours, self._target = ours, target
        self.values: list[float] = [ours.value or 0.0]
        self.left_out = 0
        self.able: dict[Switch, float] = {}
        self._alike = alike(ours, target) or 0.0

    @property
    def tried(self) -> int:
        """How many scorings were compared."""
        return len(self.values)

    def singles(self) -> list[Cause]:
        """Every switch by itself."""
        found = []
        with self._progress("trying every setting", None, "settings") as advance:
            for switch in switches(self.base, self.scorer, self.kinds):
                before = self.tried
                cause = self._cause(switch.applied(self.base), (switch,))
                if self.tried > before and not switch.alone:
                    self.able[switch] = self.values[-1]
                if cause is not None:
                    found.append(cause)
                advance()
        return found

    def combined(self, singles: Sequence[Cause], rules: str = "") -> list[Cause]:
        """Two switches together, and every protocol's rules together: what explains, or else the nearest.

        Args:
            singles: what one thing alone makes; a combination that leaves more than it is not told.
            rules: a protocol to be tried besides those that there are.
        """
        pairs = self.pairs()
        self.left_out = max(0, len(pairs) - _MOST_PAIRS)
        made = []
        with self._progress("trying two settings together", len(pairs) - self.left_out, "pairs") as advance:
            for one, two in pairs[:_MOST_PAIRS]:
                both = self._cause(two.applied(one.applied(self.base)), (one, two))
                if self.values[-1] not in (self.able[one], self.able[two]):
                    made.append(both)
                advance()
        for name in dict.fromkeys((*protocol_names(), *([rules] if rules else ()))):
            setting = Setting.of(self.base.measure, get_protocol(name), depth=self.base.depth)
            switch = Switch(axis="protocol", says=f"all rules of the protocol {name}")
            if setting != self.base:
                made.append(self._cause(setting, (switch,)))
        found = [one for one in made if one is not None]
        explaining = [one for one in found if one.explains]
        return explaining or nearest(found, singles)

    def pairs(self) -> list[tuple[Switch, Switch]]:
        """Every two switches that go together, of which one changes the number by itself.

        Two that change nothing by themselves change nothing together; one of them may, beside another: recall
        capped at 100 is plain recall where no query has more relevant documents, and at 10 it is not.
        """
        return [
            (one, two)
            for one, two in combinations(self.able, 2)
            if (self.changes(one) or self.changes(two)) and together(one, two)
        ]

    def changes(self, switch: Switch) -> bool:
        """Whether a switch by itself changes the number."""
        return self.able[switch] != self.values[0]

    def _cause(self, setting: Setting, chosen: Sequence[Switch]) -> Cause | None:
        """What a setting makes of the gap; None: it changes nothing, or has no value."""
        then = self.scorer.score(setting)
        if then.value is None:
            return None
        self.values.append(then.value)
        assert self._ours.value is not None
        if then.value == self._ours.value and then.values == self._ours.values:
            return None
        same = alike(then, self._target)
        measured = f" ({setting.measure})" if setting.measure != self.base.measure else ""
        cause = Cause(
            axes=tuple(switch.axis for switch in chosen),
            says="; ".join(switch.says for switch in chosen) + measured,
            kind="scoring",
            value=then.value,
            alike=same,
            arithmetic=steps(self._ours, then, self._target),
            stated=all(
                switch.axis in self._target.rules and self._target.rules[switch.axis] in switch.says
                for switch in chosen
            ),
            **closing(self._ours.value, then.value, self._target, alike=same, before=self._alike),
        )
        return cause if cause.explains or self._tells(cause) else None

    def _tells(self, cause: Cause) -> bool:
        """Whether a cause that leaves something of the gap is worth telling: no rounding closes a part."""
        if cause.axes == ("rounding",):
            return False
        return cause.alike is None or cause.alike > self._alike
