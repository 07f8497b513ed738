"""Ask the judge to read recorded runs of a text, and then to try to refute its own observations.

Two first readers, each in a separate conversation, report how the run followed each instruction of the text, and note
all differences, even doubtful ones. There are two because each overlooks things that the other sees. An observation is
accepted if the words that it cites are in the loaded text and its quote is in the named record. A second reader narrows
each observation and drops those that are plainly wrong or repeated (see `second_reading`); two last readers try to
refute the rest (see `final_check`). An observation that no last reader checked is dropped, with a note.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from actions.case import Case
from actions.history.session_table import Timeline, build_table
from actions.history.use_log import LIMIT, format_log
from actions.history.uses import Use, find_uses, order_by_time
from actions.regex import regex
from actions.review.asking import Answer, JudgeClient, build_question
from actions.review.final_check import LAST_READERS, UNCHECKED, drop_refuted_observations
from actions.review.judge import Question
from actions.review.quotes import flatten, has_enough_letters, strip_line_numbers
from actions.review.second_reading import narrow_observations
from actions.session.judge import has_quote
from actions.session.observation import Observation, ObservedKind
from actions.session.record_text import show_lines
from actions.session.redaction import redact
from actions.session.transcript import Quote
from schemas.vocabulary import Severity
from templates import render
from templates.filters import counted

MAX_RUNS = 5
"""Maximum number of runs to read, the newest ones."""
_MAX_TEXT, _MAX_LINE = 60_000, 600
"""Maximum numbers of characters of the text in a question, and of one line of it."""
FIRST_READERS = (1, 2)
"""The numbers of the first readers of a run."""
_MAX_OBSERVATIONS = 60
"""Maximum number of observations to read from an answer."""
_ANSWER_TOKENS = 6_000
"""Number of tokens of an answer about 50 instructions with 20 observations, or of verdicts on 50 observations."""
_MAX_RECORD_DISTANCE = 3
"""Maximum number of records between the record that an answer names and the record that contains its quote."""
_PROVEN_KINDS = ("failed", "forbidden", "refused", "skipped", "late", "unchecked", "otherwise")
_LABEL = regex(r"^(?:\[[^\]\n]{1,80}\] )?(?:[\w, ]{1,60}: )?")
"""The number and the author before the text of a record in the log, which a quote may contain."""
_NO_WORDS, _NO_QUOTE = "words that are not in the text", "quote that is not in its record"


class _Run(msgspec.Struct, frozen=True):
    """A run, its name in notes, and the text with which all questions about it begin."""

    use: Use
    name: str
    shared_text: str


_ObservedRun = tuple[_Run, list[Observation]]


class _Reader(msgspec.Struct):
    """Reads runs, and counts by reason how many observations it rejected."""

    case: Case
    client: JudgeClient
    rejected: Counter[str] = msgspec.field(default_factory=Counter)

    def read(self, runs: Sequence[_Run]) -> Iterator[Observation]:
        """Yield the observations in runs that no later reader refuted."""
        # In each round every run gets one reader before any gets two, in case the cost limit is reached.
        answers = self.client.ask([_build_question(run, reader) for reader in FIRST_READERS for run in runs])
        merged = [(run, self._merge_observations(run, answers[n :: len(runs)])) for n, run in enumerate(runs)]
        yield from self._run_last_check(
            self._narrow([(run, observations) for run, observations in merged if observations])
        )

    def _narrow(self, observed: Sequence[_ObservedRun]) -> list[_ObservedRun]:
        """Return the runs with the observations that the second reader keeps, in its words."""
        answers = self.client.ask([_build_later_question(*run, "run_refute", "refutation") for run in observed])
        narrowed: list[_ObservedRun] = []
        for (run, observations), answer in zip(observed, answers, strict=True):
            results = narrow_observations(observations, answer["verdicts"]) if answer else observations
            narrowed.append((run, self._keep_observations(results)))
        return [(run, observations) for run, observations in narrowed if observations]

    def _run_last_check(self, narrowed: Sequence[_ObservedRun]) -> Iterator[Observation]:
        """Yield the observations that the last readers could not refute."""
        questions = [
            _build_later_question(*run, "run_check", "check", reader) for reader in LAST_READERS for run in narrowed
        ]
        answers = self.client.ask(questions)
        for n, (_, observations) in enumerate(narrowed):
            checks = [answer["checks"] for answer in answers[n :: len(narrowed)] if answer]
            yield from self._keep_observations(drop_refuted_observations(observations, checks))
        if count := self.rejected[UNCHECKED]:
            self.client.notes.append(
                f"{counted(count, 'observation')} in the runs left out, because no reader answered the last check"
            )

    def _keep_observations(self, results: Iterable[Observation | str]) -> list[Observation]:
        """Return the observations among the results, and count the results that are reasons for a rejection."""
        listed = list(results)
        self.rejected.update(result for result in listed if isinstance(result, str))
        return [result for result in listed if isinstance(result, Observation)]

    def _merge_observations(self, run: _Run, answers: Sequence[Answer | None]) -> list[Observation]:
        """Return the observations of all first readers, in the order of the records.

        Observations of two readers with the same kind, line and quote are merged. Other repetitions are left to the
        second reader.
        """
        merged: list[Observation] = []
        for answer in filter(None, answers):
            known = {(o.kind, o.line, o.quote) for o in merged}
            merged += (
                o for o in self._accept_observations(answer.value, run) if (o.kind, o.line, o.quote) not in known
            )
        return sorted(merged, key=lambda observation: (observation.quote.record, observation.line))

    def _accept_observations(self, answer: Mapping[str, Any], run: _Run) -> Iterator[Observation]:
        """Yield the observations whose cited words are in the text and whose quote is in the named record."""
        use = run.use
        for item in answer["observations"][:_MAX_OBSERVATIONS]:
            line, quote = _find_line(use, item), _find_quote(use, item)
            self.rejected.update([_NO_WORDS] if line is None else [_NO_QUOTE] if quote is None else [])
            if line is not None and quote is not None:
                yield Observation(
                    use.session, use.load.record, use.load.agent, ObservedKind(item["kind"]), line, quote,
                    redact(flatten(item["what"])), Severity(item["severity"]), self.client.name,
                )  # fmt: skip


def read_runs(case: Case, client: JudgeClient, max_runs: int = MAX_RUNS, limit: int = LIMIT) -> tuple[Observation, ...]:
    """Return the judge's observations in the newest runs of the case's text.

    Each observation is checked by a second reading. Refuted observations are left out. `max_runs` is the maximum number
    of runs. `limit` is the maximum number of characters of a run's log.
    """
    uses = order_by_time(find_uses(case))
    runs = [_prepare_run(use, case, limit) for use in reversed(uses[-max_runs:])]
    reader = _Reader(case, client)
    observations = tuple(reader.read(runs))
    if len(uses) > max_runs:
        client.notes.append(f"{client.name} read the {max_runs} newest of {counted(len(uses), 'run')}")
    if reasons := ", ".join(f"{count} × {reason}" for reason, count in reader.rejected.items()):
        client.notes.append(f"{client.name} on the runs, rejected: {reasons}")
    return observations


def _prepare_run(use: Use, case: Case, limit: int) -> _Run:
    """Return a use with its name and the text with which the questions about it begin."""
    lines = show_lines(use.load.text[:_MAX_TEXT])
    text = "\n".join(f"{number}| {line[:_MAX_LINE]}" for number, line in enumerate(lines, 1))
    shared_text = render(
        "questions/run_record",
        kind=case.skill.kind,
        text=text,
        record=format_log(use, limit),
        is_whole=use.load.agent or use.end >= use.transcript.records,
        proven="\n".join(_list_proven_faults(use, build_table(case).timelines)),
    )
    return _Run(use, f"run {use.name} record {use.load.record + 1}", shared_text)


def _list_proven_faults(use: Use, timelines: Sequence[Timeline]) -> Iterator[str]:
    """Yield the faults that a run's records prove, one line each, with the line of the current text."""
    for run in timelines:
        if (run.session, run.events[0].record) == (use.session, use.load.record + 1):
            yield from (f"record {e.record}, {e.kind}: {e.text}" for e in run.events if e.kind in _PROVEN_KINDS)


def _build_question(run: _Run, reader: int) -> Question:
    """Return the question of a first reader. Its prompt has the reader's number, so that no two prompts are equal."""
    name = run.name if reader == 1 else f"{run.name}, reading {reader}"
    question = build_question(name, "run", run.shared_text, "run", reader=reader, readers=len(FIRST_READERS))
    return replace(question, may_look=False, answer_tokens=_ANSWER_TOKENS)


def _build_later_question(
    run: _Run, observations: Sequence[Observation], template: str, label: str, reader: int = 1
) -> Question:
    """Return a question about the observations of earlier readers. `label` names it in notes."""
    question = build_question(
        f"{run.name}, {label} {reader}", template, run.shared_text, "run" if template == "run_refute" else template,
        observations=_format_observations(observations), reader=reader, readers=len(LAST_READERS),
    )  # fmt: skip
    return replace(question, may_look=False, answer_tokens=_ANSWER_TOKENS)


def _format_observations(observations: Sequence[Observation]) -> str:
    return "\n".join(
        f"{number}. {o.kind}, line {o.line}, record {o.quote.record + 1}: “{o.quote.quote}”: {o.what}"
        for number, o in enumerate(observations, 1)
    )


def _find_line(use: Use, item: Mapping[str, Any]) -> int | None:
    """Return the line that contains the words of an observation.

    If several lines contain the words, return the line nearest to the line that the observation names. Returns None if
    no line contains them. If the words are short, they must be a whole line.
    """
    words = strip_line_numbers(item["words"])
    lines = enumerate(map(flatten, use.load.text.split("\n")), 1)
    may_be_part = has_enough_letters(words)
    numbers = [number for number, text in lines if text and (words in text if may_be_part else words == text)]
    return min(numbers, key=lambda number: abs(number - item["line"]), default=None)


def _find_quote(use: Use, item: Mapping[str, Any]) -> Quote | None:
    """Return the quote of an observation, with the record that contains the quote.

    This is the record that the observation names, or a record near it. Returns None if no such record contains the
    quote.
    """
    named_record, agent = int(item["record"]) - 1, item.get("agent", "")
    known_agent = agent if agent in {sub_agent.agent for sub_agent in use.transcript.agents} else use.load.agent
    nearby = range(named_record - _MAX_RECORD_DISTANCE, named_record + _MAX_RECORD_DISTANCE + 1)
    in_use = [record for record in nearby if known_agent or use.load.record <= record < use.end]
    for text in dict.fromkeys((item["quote"], _LABEL.sub("", item["quote"]))):
        for record in sorted(in_use, key=lambda record: abs(record - named_record)):
            if has_quote(use.transcript, Quote(record, text, known_agent)):
                return Quote(record, redact(flatten(text))[:300], known_agent or use.transcript.agent)
    return None
