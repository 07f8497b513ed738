"""Find the checks whose time grows faster than the text."""

from actions.case import Case
from actions.patterns import get_patterns
from actions.patterns.pattern import get_check
from actions.skill import parse_skill
from tests.growth import measure_seconds

CHECKS = {
    id: check
    for id, pattern in get_patterns().items()
    if (check := get_check(pattern)) and not pattern.PATTERN.from_sessions
}
MAX_RATIO = 3.2
IGNORED_SECONDS, MAX_SECONDS = 0.04, 10.0
"""CPU seconds: shorter times are not compared; longer times (ten times the usual maximum) are errors."""
TRIES = 8
"""Maximum number of measurements; a slow one is repeated, because other processes share the CPU caches."""


def parse_case(files: dict[str, str]) -> Case:
    """Return a case whose Markdown and code are already parsed, because other tests measure the parsers."""
    skill = parse_skill("example", {path: text.encode() for path, text in files.items()})
    for file in skill.files:
        _ = file.doc.blocks, file.doc.sections, [code.root for code in file.codes]
    return Case(skill)


def find_slow_checks(checks, make_input) -> dict[str, tuple[float, float]]:
    """Return the checks that are too slow, or whose time grows faster than the text, in every measurement.

    make_input: returns the input of size 1 or 2."""
    remaining_checks, last_times = dict(checks), {}
    for _ in range(TRIES):
        case = make_input(2)
        times = {id: _measure(check, case) for id, check in remaining_checks.items()}
        small = make_input(1) if any(seconds > IGNORED_SECONDS for seconds in times.values()) else None
        last_times = {
            id: (_measure(remaining_checks[id], small), large) for id, large in times.items() if large > IGNORED_SECONDS
        }
        remaining_checks = {
            id: remaining_checks[id]
            for id, (small_seconds, seconds) in last_times.items()
            if _is_slow(small_seconds, seconds)
        }
        if not remaining_checks:
            break
    return {id: (round(last_times[id][0], 3), round(last_times[id][1], 3)) for id in remaining_checks}


def _is_slow(small: float, large: float) -> bool:
    return large > MAX_SECONDS or large > MAX_RATIO * small


def _measure(check, case) -> float:
    return measure_seconds(lambda: list(check(case)))
