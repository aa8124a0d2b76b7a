"""The index of a leaderboard's site: means over suites, every dataset, costs, and what is not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from beirkit.evaluate.leaderboard import Place
from beirkit.evaluate.report.blocks import Block, Cell, Column, Heading, Page, Section, Sentences, Table
from beirkit.evaluate.report.charts import Point, tradeoff
from beirkit.evaluate.report.costs import cost_charts, merged_costs
from beirkit.evaluate.report.sections import counted
from beirkit.evaluate.report.tables import cost_table
from beirkit.evaluate.site.model import Board, Site, System, View
from beirkit.evaluate.site.tables import (
    filters_for,
    incomplete_table,
    link_to,
    matrix,
    over_boards,
    ranking_table,
)
from beirkit.evaluate.stated import UNTESTED

_WIDEST = 30  # datasets of a suite that stand beside each other


def index_page(site: Site) -> Page:
    """The page of all systems."""
    maker = _Index(site)
    sections = [*maker.views(), *maker.boards(), maker.how(), *maker.refused()]
    systems = counted(len(site.systems), "system")
    datasets = counted(len({board.dataset for board in site.boards}), "dataset")
    return Page(
        site.title,
        f"{systems}, {datasets}, ranked by {site.measure}",
        tuple(sections),
        filters=filters_for(site.systems),
    )


def board_addresses(site: Site) -> dict[str, str]:
    """The section of the index that each board is in, without ``#``."""
    return _Index(site).address


class _Index:
    def __init__(self, site: Site) -> None:
        self.site = site
        self.systems: dict[str, System] = {one.name: one for one in site.systems}
        self.by_key: dict[str, Board] = {one.key: one for one in site.boards}
        self.groups: dict[str, list[Board]] = {}
        for board in site.boards:
            name = f"{board.dataset}@{board.split}" if board.split else board.dataset
            self.groups.setdefault(name, []).append(board)
        self.address = {
            board.key: f"dataset-{number}"
            for number, boards in enumerate(self.groups.values(), 1)
            for board in boards
        }

    def views(self) -> list[Section]:
        """One section for each suite, with what is tested and what is only stated."""
        names = dict.fromkeys(view.name for view in self.site.views)
        sections = []
        for number, name in enumerate(names, 1):
            blocks: list[Block] = []
            views = [view for view in self.site.views if view.name == name]
            for view in views:
                key = f"view-{number}-{'tested' if view.tested else 'stated'}"
                if len(views) > 1:
                    blocks.append(Heading("Tested here" if view.tested else "Stated by others"))
                blocks += self._view(view, key)
            sections.append(Section(f"view-{number}", name, tuple(blocks), "Means"))
        return sections

    def _view(self, view: View, key: str) -> list[Block]:
        site = self.site
        training = {
            system: over_boards(
                [self._status(board, system) for board in view.boards if self._has(board, system)]
            )
            for system in (*(place.system for place in view.places), *view.incomplete)
        }
        members = counted(view.members, "member")
        blocks: list[Block] = []
        if not view.places:
            blocks.append(Sentences((f"No system has all {members} of {view.name}: no mean.",), True))
            if view.missing:
                blocks.append(Sentences((f"Without a result here: {', '.join(view.missing)}.",)))
        else:
            caption = f"Mean of {view.name}: {site.measure}, {members}"
            blocks.append(self._ranking(key, caption, view.places, training, view.tested))
        if not view.tested:
            blocks.append(_stated())
        if view.places and len(view.boards) <= _WIDEST:
            columns = [(board, self.by_key[board].dataset) for board in view.boards]
            means = {
                (board, place.system): place.mean
                for board in view.boards
                for place in self.by_key[board].places
            }
            status = {(b, s): self._status(b, s) for b in view.boards for s in self.systems}
            order = [place.system for place in view.places]
            caption = f"{site.measure} by dataset; i: trained on its family, ?: training not known"
            blocks.append(
                matrix(
                    f"{key}-each", caption, order, columns, means, self.systems, status, training, site.digits
                )
            )
        if view.incomplete:
            caption = "Systems without a mean, since they lack a dataset; they have no rank here"
            made = incomplete_table(f"{key}-incomplete", caption, view.incomplete, self.systems, training)
            blocks.append(made)
        return [*blocks, *(self._costs(key, view) if view.tested else self._size(key, view))]

    def boards(self) -> list[Section]:
        """One section for each dataset."""
        group = "Datasets" if len(self.groups) > 1 else ""
        sections = []
        for name, boards in self.groups.items():
            address = self.address[boards[0].key]
            blocks: list[Block] = []
            for number, board in enumerate(boards, 1):
                training = {one: (status, status) for one, status in board.training.items()}
                queries = f" over {counted(board.queries, 'query', 'queries')}" if board.queries else ""
                caption = f"{board.key}: {self.site.measure}{queries}"
                key = f"{address}-{number}"
                blocks.append(self._ranking(key, caption, board.places, training, board.tested))
                blocks += [Sentences(board.notes)] if board.notes else []
                blocks += [] if board.tested else [_stated()]
                blocks.append(Sentences(_content(board)))
            sections.append(Section(address, name, tuple(blocks), group))
        return sections

    def _ranking(
        self,
        key: str,
        caption: str,
        places: Sequence[Place],
        training: Mapping[str, tuple[str, str]],
        tested: bool,
    ) -> Table:
        site = self.site
        return ranking_table(
            key,
            caption,
            places,
            self.systems,
            training,
            tested=tested,
            level=site.level,
            digits=site.digits,
        )

    def _costs(self, key: str, view: View) -> list[Block]:
        """Quality over time and size, of systems that were measured on every dataset of the suite."""
        quality = {place.system: place.mean for place in view.places}
        boards = set(view.boards)
        costs = {
            name: merged_costs([one.cost for one in self.systems[name].results if one.board in boards])
            for name in quality
        }
        blocks, numbers, fronts = cost_charts(f"{key}-cost", self.site.measure, quality, costs)
        if not blocks:
            return []
        rows = [
            (
                (
                    Cell(name, href=link_to(self.systems[name])),
                    Cell(str(numbers[name]), -numbers[name]),
                    Cell(", ".join(fronts[name]) or "–"),
                ),
                costs[name],
            )
            for name in quality
        ]
        table = cost_table(f"{key}-costs", "What the systems cost; a dash: not recorded", rows)
        return [Heading("Quality and cost"), *blocks, table]

    def _size(self, key: str, view: View) -> list[Block]:
        """Quality over the number of parameters, all that is known of the cost of figures that are stated."""
        sized = [
            (number, place.system, parameters, place.mean)
            for number, place in enumerate(view.places, 1)
            if (parameters := self.systems[place.system].about.parameters)
        ]
        if len(sized) < 2:
            return []
        title = f"{self.site.measure} over parameters; diamonds are the Pareto front; numbers: places above"
        points = [Point(number, name, float(size), mean) for number, name, size, mean in sized]
        chart = tradeoff(f"{key}-size", title, "parameters", self.site.measure, points)
        return [Heading("Quality and size"), chart]

    def how(self) -> Section:
        """How figures were made and how to read them."""
        site = self.site
        confidence = f"{1 - site.level:.0%}"
        told = (
            f"Figures that were tested are {site.measure} under the protocol {site.protocol}: {site.rules}.",
            "Systems are on one board where texts, judgments, split, rules, depth and queries are the same.",
            "A rank is shared (=) by systems that no test separates from the first of them, over all pairs "
            f"of a board at once (Holm, level {site.level:g}).",
            f"Intervals of means and ranks are {confidence} intervals of {site.samples:,} bootstrap draws, "
            f"seed {site.seed}; over a suite, datasets are drawn and then queries.",
            "A suite in which a system lacks a dataset gives it no mean and no rank.",
            "Whether a system was trained on the family of a dataset, its size and its licence are as its "
            "configuration, its model's file or its submitter states. Nothing is guessed.",
            "A date is that of the model or the submission, else that of the last result of a system.",
            f"Made by beirkit {site.beirkit}. All figures are in data.json and data.csv beside this page.",
        )
        return Section("how", "How to read this", (Sentences(told),), "About")

    def refused(self) -> list[Section]:
        """What was found and is not shown."""
        if not self.site.refused:
            return []
        rows = tuple((Cell(one.path), Cell(one.reason)) for one in self.site.refused)
        caption = f"{counted(len(rows), 'entry', 'entries')} of the submissions without a place in the tables"
        table = Table("refused", caption, (Column("where"), Column("why")), rows, filtered=len(rows) > 5)
        return [Section("not-shown", "Not shown", (table,), "About")]

    def _has(self, board: str, system: str) -> bool:
        return system in self.by_key[board].training

    def _status(self, board: str, system: str) -> str:
        return self.by_key[board].training.get(system, "")


def _stated() -> Sentences:
    return Sentences((f"These are {UNTESTED}. Only equal figures share a rank.",))


def _content(board: Board) -> tuple[str, ...]:
    told = ", ".join(f"{what} {value[:12]}" for what, value in sorted(board.content.items()))
    return (f"Identified by {told}.",) if told else ("Nothing tells the version of its texts and judgments.",)
