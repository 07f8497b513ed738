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
RATIO = 3.2
FLOOR, CEILING = 0.04, 10.0
"""CPU seconds: times below FLOOR are not compared; times above CEILING (ten times the usual maximum) are errors."""
TRIES = 8
"""Maximum number of measurements; a slow one is repeated, because other processes share the CPU caches."""


def parse_case(files: dict[str, str]) -> Case:
    """Return a case whose Markdown and code are already parsed, because other tests measure the parsers."""
    skill = parse_skill("example", {path: text.encode() for path, text in files.items()})
    for file in skill.files:
        _ = file.doc.blocks, file.doc.sections, [code.root for code in file.codes]
    return Case(skill)


def too_slow(checks, make) -> dict[str, tuple[float, float]]:
    """Return the checks that are too slow, or whose time grows faster than the text, in every measurement."""
    left, last = dict(checks), {}
    for _ in range(TRIES):
        case = make(2)
        times = {id: _measure(check, case) for id, check in left.items()}
        small = make(1) if any(seconds > FLOOR for seconds in times.values()) else None
        last = {id: (_measure(left[id], small), large) for id, large in times.items() if large > FLOOR}
        left = {id: left[id] for id, taken in last.items() if _is_slow(*taken)}
        if not left:
            break
    return {id: (round(last[id][0], 3), round(last[id][1], 3)) for id in left}


def _is_slow(small: float, large: float) -> bool:
    return large > CEILING or large > RATIO * small


def _measure(check, case) -> float:
    return measure_seconds(lambda: list(check(case)))
