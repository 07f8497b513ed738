"""Define the results of the tools. The output schemas of the tools are derived from these classes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A finding.

    known: `proven`, or `read by` a model. status: `open`, or `rejected` because of `reason`. places: the number of its
    places. `file` and `line` are the first place. also: the other places, as `file:line`. harm: what goes wrong in a
    session because of the finding. It is "" unless a model reported the finding.
    """

    id: str
    pattern: str
    severity: str
    status: str
    known: str
    file: str
    line: int | None
    problem: str
    quote: str
    harm: str = ""
    reason: str = ""
    places: int = 1
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class UnitFindings:
    """A unit with its findings.

    In findings of a skill, paths are relative to the folder of the skill. In other findings, they are relative to the
    project.
    """

    kind: str
    name: str
    path: str
    score: int
    gate: str
    findings: tuple[Finding, ...]
    error: str


@dataclass(frozen=True)
class ProjectFindings:
    """The units with findings, worst first.

    checked: the number of checked units by kind. left_out: a note on omitted units, or "". Units are omitted because
    clients cut off long results.
    """

    checked: dict[str, int]
    units: tuple[UnitFindings, ...]
    left_out: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class OpenQuestion:
    """An open question that no agent is answering."""

    id: str
    name: str


@dataclass(frozen=True)
class DialogOption:
    """An option of a dialog. ids: the ids to pass to the next tool if the user chooses it."""

    label: str
    description: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class UserDialog:
    """A question to the user. Ask it after you have shown the text `show` of the status."""

    question: str
    header: str
    multi_select: bool
    options: tuple[DialogOption, ...]


@dataclass(frozen=True)
class UnclearRequest:
    """A part of the user's request that has several meanings. readings: the meanings, most likely first."""

    id: str
    description: str
    readings: tuple[str, ...]


@dataclass(frozen=True)
class RunStatus:
    """The status of a run, and what to do next.

    waits_for: questions (that no agent is answering) | answers (to questions that agents are answering) |
    clarification | finding_selection | fix_selection | nothing (it has ended) | go_on (it can be resumed).
    open_questions: the number of questions without an answer. questions: those that no agent is answering.
    show: what to show the user, as Markdown. ask: the dialog that follows it. choices: questions that only the author
    of the skill can answer; their `ids` contain the id of the finding.
    left_out: what is omitted, because clients cut off long results, or "" if nothing is omitted.
    """

    run: str
    skill: str
    path: str
    waits_for: str
    next: str
    open_questions: int = 0
    questions: tuple[OpenQuestion, ...] = ()
    unclear: tuple[UnclearRequest, ...] = ()
    show: str = ""
    ask: UserDialog | None = None
    choices: tuple[UserDialog, ...] = ()
    left_out: str = ""
    score: int | None = None
    gate: str = ""
    judge: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimedQuestion:
    """A question that the client has claimed.

    To answer the question, the client calls the tool `answer` with `token` and an object that is valid by `schema`. id:
    the id of the question, or "" if no question could be claimed. prompt: the question, which is sent first as plain
    text (see `split_prompt` in mcp_server.py).
    """

    run: str
    id: str
    name: str
    token: str
    prompt: str
    schema: dict[str, object]
    open_questions: int
    next: str


@dataclass(frozen=True)
class LookupResult:
    """The text that a look-up found, between marks that declare it as data."""

    text: str


@dataclass(frozen=True)
class AnswerResult:
    """The result of sending an answer.

    taken: whether the answer was accepted. wrong: what to correct in the next answer, or "".
    """

    run: str
    id: str
    taken: bool
    wrong: str
    open_questions: int


@dataclass(frozen=True)
class ReportResult:
    """The one-page report of a run as Markdown.

    It has the path and the resource URI of the full report.
    """

    run: str
    markdown: str
    path: str
    uri: str


@dataclass(frozen=True)
class RollbackResult:
    """The result of a rollback. taken_back: the ids of the fixes that were rolled back.

    stays: the ids of fixes that were not rolled back, because their text was edited after they were applied.
    absent: the ids of fixes whose old text was already there; nothing was changed.
    """

    run: str
    taken_back: tuple[str, ...]
    stays: tuple[str, ...]
    absent: tuple[str, ...] = ()
