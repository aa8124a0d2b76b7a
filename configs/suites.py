"""What a suite consists of: datasets, and suites that stand for one member each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from beirkit.configs.load import is_suite_file, load_dataset, load_suite, names, read_config
from beirkit.configs.schema import SuiteConfig
from beirkit.corpora.errors import ConfigError


@dataclass(frozen=True)
class SuiteNode:
    """A suite with its members in order.

    Attributes:
        name: of the suite; empty where datasets were only named side by side.
        members: datasets, as the suite names them, and suites.
    """

    name: str
    members: tuple[str | SuiteNode, ...]

    def leaves(self) -> tuple[str, ...]:
        """The datasets of the suite and of all suites in it, each once, in order."""
        return tuple(dict.fromkeys(self._leaves()))

    def suites(self) -> Iterator[SuiteNode]:
        """Every suite that has a name: those inside first, this one last."""
        for member in self.members:
            if isinstance(member, SuiteNode):
                yield from member.suites()
        if self.name:
            yield self

    def renamed(self, labels: dict[str, str]) -> SuiteNode:
        """The same suite with other names for its datasets."""
        members = (m.renamed(labels) if isinstance(m, SuiteNode) else labels[m] for m in self.members)
        return SuiteNode(self.name, tuple(members))

    def _leaves(self) -> Iterator[str]:
        for member in self.members:
            yield from member.leaves() if isinstance(member, SuiteNode) else (member,)


def suite_tree(suite: SuiteConfig) -> SuiteNode:
    """The members of a suite, its suites opened.

    Of a suite inside another one only the datasets count: protocol, measures and split are the outer one's.

    Raises:
        ConfigError: a suite is a member of itself, the message shows the way; or two suites have one name,
            by which their means could not be told apart.
    """
    tree = _node(suite, (), {})
    known = names("datasets")
    require_one_kind(
        tree, {leaf: load_dataset(leaf).judgment_kind for leaf in tree.leaves() if leaf in known}
    )
    return tree


def require_one_kind(tree: SuiteNode, kinds: Mapping[str, str]) -> None:
    """Refuse a suite whose mean would hold graded relevance and another kind of judgment.

    Args:
        tree: the suite.
        kinds: the ``judgment_kind`` of its datasets, as far as it is known.

    Raises:
        ConfigError: a suite with a name, which has a mean, has datasets of two kinds.
    """
    for node in tree.suites():
        found = {kinds[leaf]: leaf for leaf in reversed(node.leaves()) if leaf in kinds}
        if len(found) > 1:
            told = ", ".join(f"{leaf} ({kind})" for kind, leaf in sorted(found.items()))
            hint = "make a suite of each kind, or name the datasets with -d, which have no mean"
            raise ConfigError(f"suite {node.name!r} mixes kinds of judgments: {told}", hint=hint)


def _node(suite: SuiteConfig, path: tuple[str, ...], known: dict[str, str]) -> SuiteNode:
    """The members of a suite.

    Args:
        suite: what names them.
        path: names of the suites around it.
        known: by the name of every suite met inside, what named it; added to.
    """
    path = (*path, suite.name)
    members: list[str | SuiteNode] = []
    for text in dict.fromkeys(suite.datasets):
        inner = _inner(text)
        if inner is not None and inner.name in path:
            raise ConfigError(
                f"suite {inner.name!r} is a member of itself: {' > '.join((*path, inner.name))}"
            )
        if inner is not None and (other := known.setdefault(inner.name, text)) != text:
            raise ConfigError(
                f"two suites are called {inner.name!r}: {other} and {text}", hint="give one another `name`"
            )
        members.append(text if inner is None else _node(inner, path, known))
    return SuiteNode(suite.name, tuple(members))


def _inner(text: str) -> SuiteConfig | None:
    """The suite that a member names; None where it is a dataset."""
    if text in names("datasets"):
        return None
    if text in names("suites"):
        return load_suite(text)
    path = Path(text)
    return read_config(path, SuiteConfig) if is_suite_file(path) else None
