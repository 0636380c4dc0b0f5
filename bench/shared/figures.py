"""Means, and how sure they are."""

import random


def mean(values):
    values = list(values)
    return sum(values) / max(1, len(values))


def interval(values):
    """The bounds within which the mean lies with 95%, by bootstrap over the values."""
    values, dice = list(values), random.Random(1)
    means = sorted(mean(dice.choices(values, k=len(values))) for _ in range(1000))
    return means[25], means[974]
