# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Iterable, NamedTuple, Tuple


class Problem(NamedTuple):
    """One thing that is wrong with an input."""

    place: str
    """Path in the scene ("bodies.0.density"), argument, or line of a file; empty: the whole."""
    found: str
    expected: str
    hint: str
    """The nearest valid name or the fix; may be empty."""


class InputError(ValueError):
    """The input is wrong: all of its problems at once.

    >>> import pliant
    >>> try:
    ...     pliant.load({"bodies": [{"shape": {"box": {}}, "density": -1, "dampin": {}}]})
    ... except pliant.InputError as error:
    ...     print([problem.place for problem in error.problems])
    ['bodies.0.dampin', 'bodies.0.density']
    """

    file: str
    problems: Tuple[Problem, ...]

    def __init__(self, message: str, file: str = "", problems: Iterable[Tuple[str, str, str, str]] = ()) -> None:
        super().__init__(message)
        self.file = file
        self.problems = tuple(Problem(*problem) for problem in problems)


class StepError(RuntimeError):
    """A step or a static solve failed: the body has its last good state."""

    body: str
    """Name of the body; empty: it is about no body."""
    step: int
    """1 = the first."""
    time: float
    """s"""
    cause: str

    def __init__(self, message: str, body: str = "", step: int = 0, time: float = 0.0, cause: str = "") -> None:
        super().__init__(message)
        self.body = body
        self.step = step
        self.time = time
        self.cause = cause


class CheckError(RuntimeError):
    """A bug of pliant: a condition that its code relies on does not hold. The world of that call is broken."""
