"""Join the steps of a use with the facts of its text: which lines ran, which failed, which were never reached."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from actions.case import Case
from actions.grouping import group_by_key
from actions.history.commands import (
    find_part,
    follows,
    has_words,
    is_alone,
    is_check,
    is_setup,
    list_options,
    matches,
    parse_words,
)
from actions.history.facts import Fact, FactKind
from actions.history.uses import Use, find_today, find_uses, order_by_time
from actions.memo import memoize
from actions.regex import regex
from actions.session.failures import Failure, find_failure, get_refusal, parse_output
from actions.session.shell import split
from actions.session.transcript import Kind, Message, Quote, Step

_FEW_STEPS = 3
_LONG = 20_000
_NEAR = 40
"""Lines between a command and the text about its output."""
_CALLS_OF_AGENTS = frozenset({"Task", "Agent"})
_DEPTH, _SHOWN_KEYS = 6, 12
_CODE = regex(r"(?<![\w-])[a-z]{2,}(?:[_-][a-z]{2,})+(?![\w-]|\W{0,2}:)")
_HEAD = 5
"""First words of a prompt by which it is known again."""
_ENDING = 400
"""The number of last characters of an answer in which a question counts."""


@dataclass(frozen=True, eq=False)
class Hit:
    """A step that did what a fact says. `repaired` is a later step of the same use that did it without a failure."""

    use: Use
    fact: Fact
    step: Step
    failure: Failure | None = None
    repaired: Step | None = None

    @property
    def quote(self) -> Quote:
        """The words that show it: of the result if it failed, else of the call."""
        return self.use.quote(self.step, self.failure.words if self.failure else "")

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The words that show it, and the step that worked afterwards if one did."""
        return (self.quote, self.use.quote(self.repaired)) if self.repaired else (self.quote,)

    @property
    def refusal(self) -> Quote:
        """What the user said when refusing it, else the words of the refusal."""
        result = self.step.result
        return self.use.quote(self.step, (get_refusal(result) or result.text) if result else "")

    @property
    def is_refused(self) -> bool:
        """Whether the user or a permission rule refused the step."""
        return self.step.result is not None and self.step.result.refused


@dataclass(frozen=True, eq=False)
class JoinedUse:
    """A use with its hits, in order."""

    use: Use
    hits: Sequence[Hit]

    @cached_property
    def by_fact(self) -> Mapping[tuple[str, str, bool], list[Hit]]:
        """The hits of each fact."""
        return group_by_key((hit.fact.identity, hit) for hit in self.hits)

    @cached_property
    def last_step(self) -> int:
        """The last numbered step of the text of which something was done."""
        return max((hit.fact.step for hit in self.hits if not hit.fact.is_forbidden), default=0)

    def reaches(self, fact: Fact) -> bool:
        """Return whether the use came to a fact: it was done, or something of a later step was. A ban always holds."""
        if fact.is_forbidden or fact.identity in self.by_fact:
            return True
        if fact.step:
            return self.last_step > fact.step
        return len(self.use.steps) >= _FEW_STEPS

    def find_later_step(self, fact: Fact) -> Hit | None:
        """Return the first thing that the use did of a later step; None if it was nothing, or the fact has no step."""
        mine = (hit for hit in self.hits if hit.fact.step > fact.step and not hit.fact.is_forbidden)
        return next(mine, None) if fact.step else None

    def needs(self, fact: Fact) -> bool:
        """Return whether every run should do a fact: the text orders it without a condition or a choice."""
        if not fact.is_order or fact.is_conditional or fact.is_forbidden:
            return False
        if fact.kind is not FactKind.COMMAND:
            return True
        beside = (one for one in self.use.facts if one.kind is FactKind.COMMAND and one.step == fact.step)
        return fact.step > 0 and not is_setup(fact.key) and not any(one.is_order and one != fact for one in beside)

    def is_skipped(self, fact: Fact) -> bool:
        """Return whether the text orders a thing without a condition, and the use did a later step and not this one."""
        return self.needs(fact) and self.find_later_step(fact) is not None and not self.is_done(fact)

    def find_late(self) -> Iterator[tuple[Hit, Hit]]:
        """Yield the commands that first ran after one of a later step, with each of those."""
        firsts: dict[tuple[str, str, bool], Hit] = {}
        for hit in self.hits:
            fact = hit.fact
            if fact.kind is FactKind.COMMAND and fact.step and fact.is_order and not fact.is_conditional:
                if fact.identity not in firsts:
                    yield from ((hit, one) for one in firsts.values() if one.fact.step > fact.step)
                firsts.setdefault(fact.identity, hit)

    def find_unchecked(self) -> Iterator[tuple[Fact, Hit]]:
        """Yield checks with the first file below them that was read although none of their files was looked into."""
        for check in (fact for fact in self.use.facts if fact.kind is FactKind.CHECK):
            below = range(check.line, int(check.key[-1]) + 1)
            reads = (h for h in self.hits if h.fact.kind is FactKind.FILE and h.step.call.name == "Read")
            hit = next((h for h in reads if any(line in below for line in h.fact.lines)), None)
            if hit and not any(name in text for text in self._list_inputs_before(hit) for name in check.key[:-1]):
                yield check, hit

    def _list_inputs_before(self, hit: Hit) -> Iterator[str]:
        """Yield what the calls of the session were given up to a hit, and what the user said."""
        for step in self.use.transcript.steps:
            if step.call.record <= hit.step.call.record or step.call.agent:
                yield from (value for value in step.call.input.values() if isinstance(value, str))
        yield from (prompt.text for prompt in self.use.transcript.prompts)

    def is_done(self, fact: Fact) -> bool:
        """Return whether the use did what a fact says, or something of the same name in another way."""
        return fact.identity in self.by_fact or self._mentions(fact.key[-1])

    def _mentions(self, name: str) -> bool:
        """Return whether a call, a sub-agent's task, the user or another loaded text of the session names a thing."""
        name = name.rpartition("/")[2].rpartition(":")[2]
        transcript = self.use.transcript
        given = (value for step in self.use.steps for value in step.call.input.values() if isinstance(value, str))
        loaded = (f"{one.name} {one.folder}" for one in transcript.loads)
        return any(_has_word(name, text) for text in (*loaded, *given, *(prompt.text for prompt in transcript.prompts)))

    @cached_property
    def last_question(self) -> Message | None:
        """The last words of the agent if no one answered them; None if the use ends in another way."""
        messages = self.use.transcript.messages
        last = messages[-1] if messages else None
        if last is None or last.kind is not Kind.ANSWER or self.use.end < self.use.transcript.records:
            return None
        steps = (step.call.record for step in self.use.steps if step.call.agent == self.use.agent)
        return last if "?" in last.text[-_ENDING:] and last.record > max(steps, default=0) else None


def _has_word(name: str, text: str) -> bool:
    """Return whether a text has a name as a whole word."""
    start = text.find(name) if name else -1
    while start >= 0:
        beside = f"{text[start - 1 : start]}{text[start + len(name) : start + len(name) + 1]}"
        if not any(char.isalnum() or char in "_-" for char in beside):
            return True
        start = text.find(name, start + 1)
    return False


@dataclass(frozen=True, eq=False)
class LineHistory:
    """What the uses of a text show of one fact. `today` is the fact in today's text; None if it is no longer there."""

    fact: Fact
    today: Fact | None
    uses: Sequence[JoinedUse]

    @property
    def kind(self) -> FactKind:
        """The kind of the fact."""
        return self.fact.kind

    @property
    def line(self) -> int | None:
        """The line in today's text; None if it is no longer there."""
        return self.today.line if self.today else None

    @property
    def text(self) -> str:
        """The words in today's text, else in the text that was loaded."""
        return (self.today or self.fact).text

    @cached_property
    def reached_uses(self) -> tuple[JoinedUse, ...]:
        """The uses that came to it."""
        return tuple(use for use in self.uses if use.reaches(self.fact))

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The steps that did it."""
        return tuple(hit for use in self.uses for hit in use.by_fact.get(self.fact.identity, ()))

    @cached_property
    def tried_uses(self) -> tuple[JoinedUse, ...]:
        """The uses that did it, or tried and were refused."""
        return tuple(use for use in self.uses if self.fact.identity in use.by_fact)

    @cached_property
    def ran_uses(self) -> tuple[JoinedUse, ...]:
        """The uses that did it."""
        return tuple(
            use for use in self.tried_uses if not all(hit.is_refused for hit in use.by_fact[self.fact.identity])
        )

    @cached_property
    def is_used(self) -> bool:
        """Whether a use did it, in whatever way."""
        return any(use.is_done(self.fact) for use in self.uses)

    @property
    def is_check(self) -> bool:
        """Whether it is a command whose failure may be its proper result: a test, a linter, a build."""
        return self.fact.kind is FactKind.COMMAND and is_check(self.fact.key)

    @cached_property
    def failures(self) -> tuple[Hit, ...]:
        """The hits that failed."""
        return tuple(hit for hit in self.hits if hit.failure)

    @cached_property
    def failed_uses(self) -> tuple[JoinedUse, ...]:
        """The uses in which it failed."""
        return tuple(use for use in self.ran_uses if any(hit.failure for hit in use.by_fact[self.fact.identity]))


def is_handled(hit: Hit) -> bool:
    """Return whether the text quotes a code of the failure, such as `"no_plan_found"`: it says what to do then."""
    codes = _CODE.findall(hit.failure.words) if hit.failure else ()
    text = hit.use.load.text
    return any(f'"{code}"' in text or f"`{code}`" in text for code in codes)


@memoize
def join_uses(case: Case) -> tuple[JoinedUse, ...]:
    """Return the uses of the case's text with what they did of it, from the oldest to the newest."""
    return tuple(JoinedUse(use, tuple(_find_hits(use))) for use in order_by_time(find_uses(case)))


@memoize
def read_history(case: Case) -> tuple[LineHistory, ...]:
    """Return the history of each fact of the texts that sessions loaded, by the line in the newest of them."""
    joined = join_uses(case)
    facts: dict[tuple[str, str, bool], Fact] = {}
    texts: dict[tuple[str, str, bool], str] = {}
    for one in joined:
        facts |= {fact.identity: fact for fact in one.use.facts}
        texts |= {fact.identity: one.use.load.text for fact in one.use.facts}
    having = group_by_key((fact.identity, one) for one in joined for fact in one.use.facts)
    today = {id: find_today(fact, texts[id], case.skill.main) for id, fact in facts.items()}
    histories = [LineHistory(fact, today[id], tuple(having[id])) for id, fact in facts.items()]
    return tuple(sorted(histories, key=lambda one: (one.line is None, one.line or one.fact.line, one.fact.kind)))


def find_late_commands(case: Case) -> Iterator[tuple[LineHistory, Sequence[tuple[Hit, Hit]]]]:
    """Yield the commands that uses first ran after one of a later step, each with those hits and the earlier ones.

    Both stand in today's text, in that order.
    """
    lines = {one.fact.identity: one.line or 0 for one in read_history(case)}
    pairs = [pair for use in join_uses(case) for pair in use.find_late()]
    known = (pair for pair in pairs if 0 < lines[pair[0].fact.identity] < lines[pair[1].fact.identity])
    found = group_by_key((late.fact.identity, (late, before)) for late, before in known)
    yield from ((one, found[one.fact.identity]) for one in read_history(case) if one.fact.identity in found)


def find_unchecked_reads(case: Case) -> Iterator[tuple[LineHistory, Sequence[Hit]]]:
    """Yield the checks that uses left out before they read a file below, each with those reads."""
    found = group_by_key((check.identity, hit) for use in join_uses(case) for check, hit in use.find_unchecked())
    yield from ((one, found[one.fact.identity]) for one in read_history(case) if one.fact.identity in found)


def _find_hits(use: Use) -> Iterator[Hit]:
    """Yield what the steps of a use did of its text."""
    facts = group_by_key((fact.kind, fact) for fact in use.facts)
    asked = [(m.record, m.text) for m in use.transcript.prompts]
    asked += [(one.record, one.text) for one in use.transcript.queued]
    found = [
        (fact, step, failure)
        for step in use.steps
        for fact, failure in _match(facts, step)
        if not (fact.kind is FactKind.COMMAND and _is_asked(fact, step, asked))
    ]
    for n, (fact, step, failure) in enumerate(found):
        later = (s for f, s, bad in found[n + 1 :] if f.key == fact.key and not bad) if failure else iter(())
        yield Hit(use, fact, step, failure, next((s for s in later if s.result and not s.result.refused), None))
    yield from _find_fields(use, facts.get(FactKind.FIELD, ()), facts.get(FactKind.COMMAND, ()))


def _is_asked(fact: Fact, step: Step, asked: Sequence[tuple[int, str]]) -> bool:
    """Return whether the user asked for a command in words, so that it is not a step of the text."""
    words = " ".join(fact.key)
    return any(record < step.call.record and words in text for record, text in asked)


def _match(facts: Mapping[FactKind, Sequence[Fact]], step: Step) -> Iterator[tuple[Fact, Failure | None]]:
    name = step.call.name
    if name == "Bash":
        yield from _match_commands(facts.get(FactKind.COMMAND, ()), step)
    elif name == "Skill":
        called = (step.call.get("skill") or step.call.get("command")).rpartition(":")[2]
        same = (f for f in facts.get(FactKind.SKILL, ()) if f.key[0].rpartition(":")[2] == called)
        yield from ((fact, find_failure(step)) for fact in same)
    elif name in _CALLS_OF_AGENTS:
        kind = step.call.get("subagent_type")
        yield from ((f, find_failure(step)) for f in facts.get(FactKind.AGENT, ()) if f.key[0] == kind)
        templates = [f for f in facts.get(FactKind.PROMPT, ()) if is_call_of(f, step)]
        yield from ((fact, None) for fact in templates[:1])
    elif name.startswith("mcp__"):
        yield from ((f, find_failure(step)) for f in facts.get(FactKind.TOOL, ()) if f.key[0] == name)
    yield from _match_files(facts, step)


def _match_commands(facts: Sequence[Fact], step: Step) -> Iterator[tuple[Fact, Failure | None]]:
    """Yield the facts that the commands of a step carry out, for each command the closest one."""
    text = step.call.get("command")
    seen: set[tuple[str, str, bool]] = set()
    for place, part in enumerate(split(text)):
        same = [fact for fact in facts if matches(fact.key, part)]
        for fact in (f for f in same if f.is_forbidden and has_words(_words_of(f), part)):
            yield fact, None
        allowed = [fact for fact in same if not fact.is_forbidden and follows(fact.key, _words_of(fact), part)]
        if allowed:
            best = max(allowed, key=lambda f: (len(f.key), _closeness(f, part), f.is_order, -f.line))
            if best.identity not in seen:
                seen.add(best.identity)
                yield best, find_failure(step) if is_alone(text, place) else None


def _words_of(fact: Fact) -> tuple[str, ...]:
    place = find_part(fact.key, fact.text)
    return parse_words(split(fact.text)[place]) if place is not None else fact.key


def _closeness(fact: Fact, part: tuple[str, ...]) -> int:
    """Return how many options the command of a fact and one that ran share, less those that only the fact has."""
    place = find_part(fact.key, fact.text)
    names = list_options(split(fact.text)[place]) if place is not None else frozenset()
    ran = list_options(part)
    return len(names & ran) - len(names - ran) - len(ran - names)


def _match_files(facts: Mapping[FactKind, Sequence[Fact]], step: Step) -> Iterator[tuple[Fact, Failure | None]]:
    files = (*facts.get(FactKind.FILE, ()), *facts.get(FactKind.IMPORT, ()))
    if not files:
        return
    if step.call.name == "Read":
        path = step.call.get("file_path")
        yield from ((f, find_failure(step)) for f in files if f"/{path}".endswith(f"/{_tail(f.key[0])}"))
        return
    given = [value[:_LONG] for value in step.call.input.values() if isinstance(value, str)]
    for fact in files:
        name = fact.key[0].rpartition("/")[2]
        if any(name in value for value in given):
            yield fact, None


def _tail(path: str) -> str:
    """Return a path without the dots and variables in front."""
    parts = [part for part in path.split("/") if part not in (".", "..")]
    return "/".join(parts)


def is_call_of(template: Fact, step: Step) -> bool:
    """Return whether a call of a sub-agent follows a template: the kind, and the description or the first words."""
    given = dict(zip(template.key[::2], template.key[1::2], strict=True))
    if given.get("subagent_type", step.call.get("subagent_type")) != step.call.get("subagent_type"):
        return False
    if given.get("description") and given["description"] == step.call.get("description"):
        return True
    prompt = given.get("prompt", "").split()
    return len(prompt) >= _HEAD and prompt[:_HEAD] == step.call.get("prompt").split()[:_HEAD]


def _find_fields(use: Use, fields: Sequence[Fact], commands: Sequence[Fact]) -> Iterator[Hit]:
    """Yield, for fields of a JSON output that the text names, the outputs that should have them."""
    for field in fields:
        above = [c for c in commands if any(0 < field.line - line <= _NEAR for line in c.lines) and c.is_order]
        if not above:
            continue
        command = min(above, key=lambda c: min(field.line - line for line in c.lines if line < field.line))
        for step in use.steps:
            text = step.call.get("command") if step.call.name == "Bash" else ""
            place = find_part(command.key, text)
            if place is None or step.result is None or find_failure(step) or not is_alone(text, place):
                continue
            value = parse_output(step.result.text)
            if isinstance(value, dict):
                has = field.key[0] in set(_list_keys(value))
                given = ", ".join(list(value)[:_SHOWN_KEYS])
                yield Hit(use, field, step, None if has else Failure(f"no {field.key[0]} in: {given}", False))


def _list_keys(value: object, depth: int = _DEPTH) -> Iterator[str]:
    if depth and isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from _list_keys(inner, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value[:50]:
            yield from _list_keys(inner, depth - 1)
