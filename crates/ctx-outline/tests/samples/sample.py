"""A module."""

from __future__ import annotations

import os

LIMIT: int = 10
NAMES = [
    "def not_a_function():",
]


@dataclass(frozen=True)
class Order(Base):
    """An order.

    def in_the_docs():
    """

    number: int = 0

    def __init__(
        self, number: int,  # a comment with (
    ) -> None:
        self.number = number
        self.text = '''
def in_a_string():
    pass
'''

    @property
    def total(self) -> int:
        """The sum
        of all."""
        def nested():
            return 1
        # a comment
        return nested() + \
            1

    # What comes next.
    async def ship(self): return await self.send(self.number)

    class Meta:
        ordering = ["number"]


if TYPE_CHECKING:
    def typed(x: int) -> int: ...
else:
    def typed(x):
        value = x
        return value + value


# The last one.
def last(*args, **kwargs):
    yield from args
    return {
        "key": kwargs,
    }


def documented(x: int) -> int:
    """
    Gives it back.

    The rest of the documentation is part of the body.
    """
    return x

print(last())


if __name__ == "__main__":
    for number in range(3):
        print(documented(number))
