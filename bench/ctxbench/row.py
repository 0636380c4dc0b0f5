"""One line of the table of promises."""

from dataclasses import dataclass

from ctxbench.measure import Spread


@dataclass(frozen=True)
class Target:
    """The target, and a better value to aim for."""

    at_most: bool
    reach: float | None
    stretch: float | None = None

    def met(self, value, bound):
        return value <= bound if self.at_most else value >= bound


@dataclass(frozen=True)
class Row:
    """One line of the table: a value with its spread, or the reason why it is missing."""

    key: str
    what: str
    corpus: str
    unit: str
    target: Target | None
    value: Spread | None = None
    reason: str = ""

    def missed(self):
        bound = self.target.reach if self.target else None
        return self.value is not None and bound is not None and not self.target.met(self.value.median, bound)


def at_most(reach, stretch=None):
    return Target(True, reach, stretch)


def at_least(reach, stretch=None):
    return Target(False, reach, stretch)
