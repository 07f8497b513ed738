"""What a compaction lost: the state of a conversation before it, compared with all that came after.

Compared by content: a summary need not repeat words, but a thing of which nearly no word is left is gone. The
thresholds below are set so that the summaries of real sessions pass.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from actions.session.transcript import Compaction, Kind, Transcript

TURNS = 10
"""Turns before a compaction that must leave a trace (seed: "last 10 turns")."""

LAST = 5
"""Compactions that are looked at, counted from the end: what an older one lost has long been made up for, or not."""

ITEM_KEPT = 0.6
"""Share of a todo item's words that one line must hold for the item to be carried."""

TURN_KEPT = 0.4
"""Share of a turn's words that must come up again for the turn to have left a trace."""

TURNS_KEPT = 0.5
"""Share of the last turns that must have left a trace."""

GAP = 5
"""Messages in a row that are missing, while those around them are there word for word, from which on it is a gap."""

_FEW = 3
"""Texts of so few words are kept only when all of them are."""

_HEAD, _PREFIX = 400, 4
_WORD = re.compile(r"[a-z0-9_]{2,}|\d|[\u3400-\u9fff]")
_STOP = frozenset(
    "the an to of in on for and or is are was be it this that with as at by from we you your our my me so do did have "
    "has will can could should would please now let lets then also just not all any into out up if".split()
)
_ENDING = re.compile(r"(?:ations?|ings?|ions?|ed|es|ers?|s)$")
_TODO = re.compile(r"^\W{0,6}todos?\b(?: list)?\W{0,3}(.*)$", re.I | re.M)
_BOX = re.compile(r"^\s*(?:[-*]|\d+[.)])\s*\[ \]\s*(\S.*)$", re.M)
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(?!\[[xX]\])(?:\[ \]\s*)?(\S.*)$")


class Item(NamedTuple):
    """Something said, and the record that says it."""

    record: int
    text: str


class Loss(NamedTuple):
    """Something that did not survive: what to tell the user, how to mend it, where it stood."""

    warning: str
    recovery: tuple[str, ...]
    record: int
    quote: str


@dataclass(frozen=True)
class Memory:
    """What can be known at one side of a compaction: open items, the objective, the last turns; all lines."""

    todos: tuple[Item, ...] = ()
    objective: Item | None = None
    turns: tuple[Item, ...] = ()
    lines: tuple[str, ...] = ()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all lines."""
        return significant("\n".join(self.lines))


def memories_of(transcript: Transcript) -> Iterator[tuple[Memory, Memory]]:
    """Return what was known before and after each of the last compactions that the transcript itself shows."""
    for boundary in transcript.compactions[-LAST:]:
        at = boundary.record
        todos = tuple(Item(todo.record, todo.subject) for todo in boundary.todos if todo.open)
        later = [todo.subject for todo in transcript.todos if todo.seen > at]
        yield (
            memory_of(transcript, end=at, todos=todos),
            Memory(lines=tuple(_lines([boundary.summary, *later, *_said(transcript, at)]))),
        )


def losses_of(transcript: Transcript) -> tuple[tuple[Compaction, tuple[Loss, ...]], ...]:
    """Return the last compactions that the transcript itself shows, each with what it lost."""
    sides = zip(transcript.compactions[-LAST:], memories_of(transcript), strict=True)
    return tuple((boundary, compare(before, after)) for boundary, (before, after) in sides)


def memory_of(transcript: Transcript, *, end: int | None = None, todos: tuple[Item, ...] | None = None) -> Memory:
    """Return what is known from the records before `end` (all of them by default)."""
    before = [m for m in transcript.messages if (end is None or m.record < end) and m.kind in _SPOKEN]
    prompts = [Item(m.record, m.text) for m in before if m.kind is Kind.PROMPT]
    if todos is None:
        listed = [Item(todo.record, todo.subject) for todo in transcript.todos if todo.open]
        todos = tuple(listed) if transcript.calls else tuple(i for m in before for i in _written(m.record, m.text))
    goal = next((p for p in prompts if len(significant(p.text[:_HEAD])) >= _FEW), prompts[0] if prompts else None)
    turns = [Item(m.record, m.text) for m in before if m.kind is not Kind.SUMMARY]
    return Memory(todos, goal, tuple(turns[-TURNS:]))


_SPOKEN = frozenset({Kind.PROMPT, Kind.ANSWER, Kind.SUMMARY})


def _said(transcript: Transcript, after: int) -> list[str]:
    return [m.text for m in transcript.messages if m.record > after and m.kind in _SPOKEN]


def compare(before: Memory, after: Memory) -> tuple[Loss, ...]:
    """Return what is lost: todo items, the objective, the last turns."""
    losses = (lost_todos(before, after), lost_objective(before, after), lost_turns(before, after))
    return tuple(loss for loss in losses if loss is not None)


def lost_todos(before: Memory, after: Memory) -> Loss | None:
    """Return the open items that nothing after carries."""
    lost = [item for item in before.todos if not _is_carried(significant(item.text), after)]
    if not lost:
        return None
    names = "; ".join(_short(item.text) for item in lost)
    return Loss(
        f"TODO items lost after the compaction: {names}",
        (
            f"Recreate the TODO list with TodoWrite or TaskCreate: {names}",
            "Check the git commits of the session for items that are already done",
        ),
        lost[0].record,
        lost[0].text.split("\n")[0],
    )


def lost_objective(before: Memory, after: Memory) -> Loss | None:
    """Return the objective when no word of it comes up again, nor most of the last turns, which would tell it."""
    goal = before.objective
    if goal is None:
        return None
    wanted = significant(goal.text[:_HEAD])
    turns, lost = _untraced(before, after)
    if not wanted or wanted & after.words or _heads(wanted) & _heads(after.words) or len(lost) < len(turns) / 2:
        return None
    name = _short(goal.text)
    return Loss(
        f"The objective is unclear after the compaction: {name}",
        (f"Restate the objective before going on: {name}", "Ask the user to confirm the goal if it is not certain"),
        goal.record,
        goal.text.strip().split("\n")[0],
    )


def _heads(words: frozenset[str]) -> frozenset[str]:
    """Return how the longer words begin: "auth" recalls "authentication"."""
    return frozenset(word[:_PREFIX] for word in words if len(word) >= _PREFIX)


def lost_turns(before: Memory, after: Memory) -> Loss | None:
    """Return the last turns when most of them left no trace."""
    turns, lost = _untraced(before, after)
    if not turns or 1 - len(lost) / len(turns) >= TURNS_KEPT:
        return None
    last = lost[-1]
    return Loss(
        f"Recent context lost: {len(lost)} of the last {len(turns)} turns before the compaction left no trace, "
        f"such as: {_short(last.text)}",
        (
            f"Review the last {len(turns)} turns before the compaction (from record {turns[0].record})",
            "Read again the files that those turns were about",
        ),
        last.record,
        last.text.strip().split("\n")[0],
    )


def gap_near_the_end(before: Sequence[str], after: Collection[str]) -> Loss | None:
    """Return a run of messages that is missing among the last turns (a prompt and its answer) though others stand."""
    near = len(before) - 2 * TURNS
    gap: list[int] = []
    for n, text in enumerate(before):
        if text not in after:
            gap.append(n)
            continue
        if len(gap) >= GAP and gap[0] > 0 and n > near:
            return _gap(gap[0], n, before)
        gap = []
    return None


def _gap(start: int, end: int, before: Sequence[str]) -> Loss:
    place = f"messages {start + 1} to {end} of {len(before)}"
    return Loss(
        f"Recent context lost: {place} are missing, those around them are there",
        (f"Review what {place} were about", "Read again the files that those turns were about"),
        start,
        before[start].strip().split("\n")[0],
    )


def _untraced(before: Memory, after: Memory) -> tuple[list[Item], list[Item]]:
    """Return the last turns that say something, and those of them that left no trace."""
    turns = [turn for turn in before.turns if significant(turn.text[:_HEAD])]
    return turns, [turn for turn in turns if not _left_trace(significant(turn.text[:_HEAD]), after.words)]


def _is_carried(wanted: frozenset[str], after: Memory) -> bool:
    """Whether one line holds enough of the words; words scattered over the whole text do not carry an item."""
    if not wanted:
        return True
    needed = 1.0 if len(wanted) < _FEW else ITEM_KEPT
    if _share(wanted, after.words) < needed:
        return False
    return any(_share(wanted, significant(line)) >= needed for line in after.lines)


def _left_trace(wanted: frozenset[str], words: frozenset[str]) -> bool:
    return _share(wanted, words) >= (1.0 if len(wanted) <= _FEW else TURN_KEPT)


def _share(wanted: frozenset[str], words: frozenset[str]) -> float:
    return len(wanted & words) / len(wanted)


def significant(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    return frozenset(map(_stem, set(_WORD.findall(text.lower())))) - _STOP


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > 4 else word


def _written(record: int, text: str) -> Iterator[Item]:
    """Return the items of a plain text: `TODO: x` lines, a list under a TODO heading, unticked boxes."""
    if "todo" not in text.lower() and "[ ]" not in text:
        return
    lines = text.split("\n")
    for number, line in enumerate(lines):
        found = _TODO.match(line)
        if found and found[1].strip():
            yield Item(record, found[1].strip())
        elif found:
            yield from _under(record, lines[number + 1 :])
        elif box := _BOX.match(line):
            yield Item(record, box[1])


def _under(record: int, lines: list[str]) -> Iterator[Item]:
    for line in lines:
        item = _ITEM.match(line)
        if item is None:
            return
        if not _BOX.match(line):
            yield Item(record, item[1])


def _lines(texts: list[str]) -> list[str]:
    return [line for text in texts for line in text.split("\n") if line.strip()]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
