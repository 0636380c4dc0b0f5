"""Runs commands alternately, each into a pipe that is drained, and evaluates the runs."""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Command:
    """A pipeline: each program reads the output of the previous one. `prepare` runs before every run, untimed.

    With `brief`, the output fits in a pipe, so no process is started to drain it.
    """

    name: str
    programs: tuple
    directory: Path
    environment: dict
    prepare: Callable = lambda: None
    brief: bool = False


@dataclass(frozen=True)
class Run:
    """The cost of one run: wall-clock and CPU seconds, and the memory of its largest process in bytes."""

    seconds: float
    processor: float
    peak: int


@dataclass(frozen=True)
class Spread:
    """The median of several measurements, the quartiles, and the minimum."""

    median: float
    low: float
    high: float
    least: float
    runs: int


@dataclass
class Series:
    """The runs of one command, and how many bytes each wrote."""

    name: str
    written: int
    runs: list = field(default_factory=list)

    def seconds(self):
        return spread([run.seconds for run in self.runs])

    def processor(self):
        return spread([run.processor for run in self.runs])

    def peak(self):
        return spread([run.peak for run in self.runs])


class Failed(Exception):
    """A command ended with an unexpected status."""


def spread(values):
    """Median and quartiles of at least one value."""
    ordered = sorted(values)
    if len(ordered) == 1:
        return Spread(ordered[0], ordered[0], ordered[0], ordered[0], 1)
    low, _, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Spread(statistics.median(ordered), low, high, ordered[0], len(ordered))


def ratios(above, below):
    """The ratio of each run to the other run of the same round, so that a slow minute affects both."""
    return spread([a.seconds / b.seconds for a, b in zip(above.runs, below.runs)])


def differences(above, below):
    """The seconds of each run minus those of the other run of the same round."""
    return spread([a.seconds - b.seconds for a, b in zip(above.runs, below.runs)])


def alternate(commands, rounds):
    """Runs A B C, then B C A, … for `rounds` rounds, after one run of each to warm up; returns series by name."""
    series = {command.name: Series(command.name, sum(map(len, output(command)))) for command in commands}
    for number in range(rounds):
        first = number % len(commands)
        for command in commands[first:] + commands[:first]:
            series[command.name].runs.append(run(command))
    return series


def run(command):
    """One run, with its output piped to `cat`, which discards it."""
    command.prepare()
    null = os.open(os.devnull, os.O_RDWR)
    source, sink = os.pipe()
    drain = () if command.brief else (_spawn(("cat",), source, null, null, command.environment),)
    if drain:
        os.close(source)
    started = time.perf_counter()
    ids = _start(command, null, sink)
    os.close(sink)
    ended = [os.wait4(process, 0) for process in ids]
    seconds = time.perf_counter() - started
    if not drain:
        os.close(source)
    for process in drain:
        os.waitpid(process, 0)
    os.close(null)
    _check(command, ended)
    used = sum(usage.ru_utime + usage.ru_stime for _, _, usage in ended)
    return Run(seconds, used, max(_peak(usage) for _, _, usage in ended))


def output(command):
    """The output of the command, untimed."""
    command.prepare()
    null = os.open(os.devnull, os.O_RDWR)
    source, sink = os.pipe()
    ids = _start(command, null, sink)
    os.close(sink)
    with os.fdopen(source, "rb") as pipe:
        yield from iter(lambda: pipe.read(1 << 20), b"")
    os.close(null)
    _check(command, [os.wait4(process, 0) for process in ids])


def _start(command, null, sink):
    os.chdir(command.directory)
    ids, feed = [], os.dup(null)
    for number, program in enumerate(command.programs, 1):
        if number == len(command.programs):
            ids.append(_spawn(program, feed, sink, null, command.environment))
            os.close(feed)
        else:
            following, out = os.pipe()
            ids.append(_spawn(program, feed, out, null, command.environment))
            os.close(out)
            os.close(feed)
            feed = following
    return ids


def _spawn(program, stdin, stdout, stderr, environment):
    actions = [(os.POSIX_SPAWN_DUP2, stdin, 0), (os.POSIX_SPAWN_DUP2, stdout, 1), (os.POSIX_SPAWN_DUP2, stderr, 2)]
    return os.posix_spawnp(program[0], program, environment, file_actions=actions)


def _check(command, ended):
    for program, (_, status, _) in zip(command.programs, ended):
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            raise Failed(f"{command.name}: {os.path.basename(program[0])} ended with {code}")


def _peak(usage):
    return usage.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
