"""Find what a compaction lost, by comparing the conversation before it with all texts after it.

A summary need not repeat every word. An item counts as lost if hardly any of its words occur again. The thresholds were
chosen so that the summaries of real sessions pass.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from actions.regex import regex
from actions.session.transcript import Compaction, Kind, Transcript

MAX_TURNS = 10
"""Number of turns before a compaction to compare."""
MAX_COMPACTIONS = 5
"""Number of compactions to check in a session. Earlier ones are ignored."""
MIN_ITEM_SHARE = 0.6
"""Minimum share of an open todo item's words that a single later line must contain."""
MIN_TURN_SHARE = 0.4
"""Minimum share of a turn's words that must occur again for the turn to count as kept."""
MIN_KEPT_TURNS = 0.5
"""Minimum share of the most recent turns that must be kept."""
MIN_GAP = 5
"""Minimum number of consecutive missing messages that count as a loss if the others are kept word for word."""
_SHORT_TEXT, _MIN_WORDS = 3, 2
"""Texts of at most `_SHORT_TEXT` words must be kept completely. Turns of fewer than `_MIN_WORDS` are not compared."""
_MAX_COMPARED, _PREFIX_LENGTH, _MAX_NAME = 400, 4, 100
_WORD = regex(r"[a-z0-9_]{2,}|\d|[\u3400-\u9fff]")
_LETTERS = frozenset(bytes((n,)) for n in b"abcdefghijklmnopqrstuvwxyz_")
_SPLIT_TABLE = bytes(
    n if n > 127 else ord(chr(n).lower()) if chr(n).isalnum() or chr(n) == "_" else 32 for n in range(256)
)
_STOP_WORDS = frozenset(
    "the an to of in on for and or is are was be it this that with as at by from we you your our my me so do did have "
    "has will can could should would please now let lets then also just not all any into out up if".split()
)
_SUFFIX = regex(r"(?:ations?|ings?|ions?|ed|es|ers?|s)$")
_TODO = regex(r"(?i)^\W{0,6}todos?\b(?: list)?\W{0,3}(.*)$")
_CHECKBOX = regex(r"^\s*(?:[-*]|\d+[.)])\s*\[ \]\s*(\S.*)$")
_LIST_ITEM = regex(r"^\s*(?:[-*•]|\d+[.)])\s+(?!\[)(\S.*)$")
_SPOKEN_KINDS = frozenset({Kind.PROMPT, Kind.ANSWER, Kind.SUMMARY})


class Item(msgspec.Struct, frozen=True, dict=True):
    """A text and the number of its record."""

    record: int
    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the significant words in the first 400 characters of the text."""
        return extract_words(self.text[:_MAX_COMPARED])

    @property
    def name(self) -> str:
        """The text on one line, shortened."""
        line = " ".join(self.text.split())
        return line if len(line) <= _MAX_NAME else f"{line[: _MAX_NAME - 1]}…"


class Loss(NamedTuple):
    """Something that a compaction lost: a warning, the steps to recover, and the record and quote of the lost text."""

    warning: str
    recovery: tuple[str, ...]
    record: int
    quote: str


class Memory(msgspec.Struct, frozen=True, dict=True):
    """A context before or after a compaction: the open todo items, the objective, the last turns, and all texts."""

    todos: tuple[Item, ...] = ()
    objective: Item | None = None
    turns: tuple[Item, ...] = ()
    texts: tuple[str, ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        """The lines of all texts, in lower case."""
        return "\n".join(self.texts).lower().split("\n")

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the significant words of all texts."""
        return extract_words("\n".join(self.texts))


def build_memories(transcript: Transcript) -> Iterator[tuple[Memory, Memory]]:
    """Yield (memory before, memory after) for each of the last compactions of a transcript."""
    for boundary in transcript.compactions[-MAX_COMPACTIONS:]:
        todos = tuple(Item(todo.record, todo.subject) for todo in boundary.todos if todo.is_open)
        later_todos = [todo.subject for todo in transcript.todos if todo.last_record > boundary.record]
        later_messages = [
            message.text
            for message in transcript.messages
            if message.record > boundary.record and message.kind in _SPOKEN_KINDS
        ]
        texts = dict.fromkeys((boundary.summary, *later_todos, *later_messages))  # the summary is a message, too
        yield build_memory(transcript, end=boundary.record, todos=todos), Memory(texts=tuple(texts))


def build_current_memory(transcript: Transcript) -> Memory:
    """Return the memory of the records after the last compaction.

    If there was no compaction, return the memory of all records.
    """
    after_compactions = [after for _, after in build_memories(transcript)]
    texts = [message.text for message in transcript.messages] + [todo.subject for todo in transcript.todos]
    return after_compactions[-1] if after_compactions else Memory(texts=tuple(texts))


def find_losses(transcript: Transcript) -> tuple[tuple[Compaction, tuple[Loss, ...]], ...]:
    """Return the last compactions of a transcript, each with its losses."""
    pairs = zip(transcript.compactions[-MAX_COMPACTIONS:], build_memories(transcript), strict=True)
    return tuple((boundary, compare_memories(before, after)) for boundary, (before, after) in pairs)


def build_memory(transcript: Transcript, *, end: int | None = None, todos: tuple[Item, ...] | None = None) -> Memory:
    """Return the memory of the records before `end` (by default, of all records).

    Pass `todos` if the open todo items are already known.
    """
    spoken_messages = [
        message
        for message in transcript.messages
        if (end is None or message.record < end) and message.kind in _SPOKEN_KINDS
    ]
    if todos is None:
        from_calls = (Item(todo.record, todo.subject) for todo in transcript.todos if todo.is_open)
        from_texts = (item for message in spoken_messages for item in _parse_items(message.record, message.text))
        todos = tuple(from_calls if transcript.calls else from_texts)
    prompts = [Item(message.record, message.text) for message in spoken_messages if message.kind is Kind.PROMPT]
    goal = next(
        (prompt for least in (_SHORT_TEXT, _MIN_WORDS) for prompt in prompts if len(prompt.words) >= least), None
    )
    turns = [Item(message.record, message.text) for message in spoken_messages if message.kind is not Kind.SUMMARY]
    return Memory(todos, goal, tuple(turns[-MAX_TURNS:]), tuple(message.text for message in spoken_messages))


def compare_memories(before: Memory, after: Memory) -> tuple[Loss, ...]:
    """Return what a compaction lost: open todo items, the objective, or recent turns."""
    checks = (find_lost_todos, find_lost_objective, find_lost_turns)
    return tuple(loss for check in checks if (loss := check(before, after)))


def find_lost_todos(before: Memory, after: Memory) -> Loss | None:
    """Return the loss of open todo items in a compaction, or None.

    An item is lost if no text after the compaction contains it.
    """
    lost_items = [item for item in before.todos if not _is_todo_kept(extract_words(item.text), after)]
    names = "; ".join(item.name for item in lost_items)
    steps = (
        f"Recreate the TODO list with TodoWrite or TaskCreate: {names}",
        "Check the git commits of the session for items that are already done",
    )
    return _build_loss(f"TODO items lost after the compaction: {names}", steps, lost_items[0]) if lost_items else None


def find_lost_objective(before: Memory, after: Memory) -> Loss | None:
    """Return the loss of the objective if none of its words occurs again, and most of the last turns are lost, too."""
    goal = before.objective
    if goal is None or goal.words & after.words or _list_prefixes(goal.words) & _list_prefixes(after.words):
        return None
    turns, missing_turns = _find_missing_turns(before, after)
    steps = (
        f"Restate the objective before you continue: {goal.name}",
        "Ask the user to confirm the goal if it is not certain",
    )
    warning = f"The objective is unclear after the compaction: {goal.name}"
    return _build_loss(warning, steps, goal) if not turns or len(missing_turns) > len(turns) / 2 else None


def find_lost_turns(before: Memory, after: Memory) -> Loss | None:
    """Return the loss of the last turns in a compaction, or None.

    They are lost if most of them, or several in a row, do not occur in later texts.
    """
    turns, missing_turns = _find_missing_turns(before, after)
    if not turns or 1 - len(missing_turns) / len(turns) >= MIN_KEPT_TURNS:
        return _find_gap(before, after)
    last = (f"the last {len(turns)} turns" if len(turns) > 1 else "the last turn") + " before the compaction"
    clause = f"{len(missing_turns)} of {last} left no trace, for example" if len(turns) > 1 else f"{last} left no trace"
    steps = _build_review_steps(f"{last} (from record {turns[0].record})")
    return _build_loss(f"Recent context lost: {clause}: {missing_turns[-1].name}", steps, missing_turns[-1])


def _find_gap(before: Memory, after: Memory) -> Loss | None:
    """Return the loss of consecutive messages among or after the last turns, or None."""
    later_texts, count = frozenset(after.texts), len(before.texts)
    gap = 0  # the number of missing messages just before `index`
    for index, text in enumerate(before.texts):
        if text not in later_texts:
            gap += 1
            continue
        is_recent = index > count - 2 * MAX_TURNS
        if MIN_GAP <= gap < index and is_recent:
            return _build_gap_loss(before, index - gap, index, "the messages around them are kept")
        gap = 0
    if MIN_GAP <= gap < count and not _is_repeated(before.texts[count - gap :], before, after):
        return _build_gap_loss(before, count - gap, count, "the messages before them are kept")
    return None


def _build_gap_loss(before: Memory, start: int, end: int, clause: str) -> Loss:
    """Build the loss of the messages `start` to `end` - 1. `clause` names the messages that are kept."""
    gap = f"messages {start + 1} to {end} of {len(before.texts)}"
    warning = f"Recent context lost: {gap} are missing, {clause}"
    return _build_loss(warning, _build_review_steps(gap), Item(start, before.texts[start]))


def _is_repeated(missing_texts: Iterable[str], before: Memory, after: Memory) -> bool:
    """Return whether enough words of the missing texts occur in the texts that were added after the compaction."""
    old = frozenset(before.texts)
    new_words = extract_words("\n".join(text for text in after.texts if text not in old))
    turns = [words for text in missing_texts if len(words := extract_words(text[:_MAX_COMPARED])) >= _MIN_WORDS]
    kept_count = sum(_compute_share(words, new_words) >= _get_min_share(words) for words in turns)
    return kept_count >= len(turns) * MIN_KEPT_TURNS


def _build_review_steps(turns: str) -> tuple[str, ...]:
    return f"Review {turns}", "Read again the files that were edited there"


def _build_loss(warning: str, recovery: tuple[str, ...], item: Item) -> Loss:
    return Loss(warning, recovery, item.record, item.text.strip().split("\n")[0])


def _find_missing_turns(before: Memory, after: Memory) -> tuple[list[Item], list[Item]]:
    """Return the last turns that have enough words, and those among them that later texts do not mention."""
    turns = [turn for turn in before.turns if len(turn.words) >= _MIN_WORDS]
    return turns, [turn for turn in turns if _compute_share(turn.words, after.words) < _get_min_share(turn.words)]


def _get_min_share(turn: frozenset[str]) -> float:
    """Return the minimum share of a turn's words that must occur again after a compaction.

    If the turn is short, all its words must occur again.
    """
    return 1.0 if len(turn) <= _SHORT_TEXT else MIN_TURN_SHARE


def _is_todo_kept(item: frozenset[str], after: Memory) -> bool:
    """Return whether a single line after the compaction has enough of a todo item's words.

    An item without words counts as kept.
    """
    min_share = 1.0 if len(item) < _SHORT_TEXT else MIN_ITEM_SHARE
    if not item or _compute_share(item, after.words) < min_share:
        return not item
    candidates = (line for line in after.lines if sum(map(line.__contains__, item)) / len(item) >= min_share)
    return any(_compute_share(item, extract_words(line)) >= min_share for line in candidates)


def _compute_share(words: frozenset[str], other: frozenset[str]) -> float:
    return len(words & other) / len(words)


def _list_prefixes(words: Iterable[str]) -> frozenset[str]:
    """Return the first four letters of each word that is long enough, so that "auth" matches "authentication"."""
    return frozenset(word[:_PREFIX_LENGTH] for word in words if len(word) >= _PREFIX_LENGTH)


def extract_words(text: str) -> frozenset[str]:
    """Return the stems of the significant words of a text."""
    # Removing duplicates while the text is bytes is faster.
    words = b" ".join(set(text.encode(errors="replace").translate(_SPLIT_TABLE).split()) - _LETTERS).decode().lower()
    return frozenset(map(_stem, words.split() if words.isascii() else _WORD.findall(words))) - _STOP_WORDS


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return _SUFFIX.sub("", word) if len(word) > 4 else word


def _parse_items(record: int, text: str) -> Iterator[Item]:
    """Yield the todo items in a plain text: `TODO: x` lines, a list under a TODO heading, unchecked boxes."""
    in_list = False
    for line in text.split("\n") if "todo" in text.lower() or "[ ]" in text else ():
        todo, item = _TODO.match(line), _CHECKBOX.match(line) or (_LIST_ITEM.match(line) if in_list else None)
        in_list = (in_list and item is not None) or (todo is not None and not todo[1].strip())
        if todo and todo[1].strip():
            yield Item(record, todo[1].strip())
        elif item:
            yield Item(record, item[1])
