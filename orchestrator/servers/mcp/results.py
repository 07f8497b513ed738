"""Define the results of the tools; their output schemas are derived from these classes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A finding. known: `proven`, or `read by` a model. status: `open`, or `rejected` for `reason`.

    places: the number of places in which it occurs. also: further places (after `file` and `line`), as `file:line`.
    harm: what goes wrong in a session because of it, if a model reported the finding; else "".
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
    """A unit with its findings. Their paths are relative to the folder of a skill; for other units, to the project."""

    kind: str
    name: str
    path: str
    score: int
    gate: str
    findings: tuple[Finding, ...]
    error: str


@dataclass(frozen=True)
class ProjectFindings:
    """The units with findings, worst first. checked: the number of checked units by kind. left_out: what is omitted,
    because clients cut off long results; "" if nothing is omitted.
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
    """An option of a dialog; `ids` are passed on when it is chosen."""

    label: str
    description: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class UserDialog:
    """One question to the user, to ask after the text `show` of the status was shown."""

    question: str
    header: str
    multi_select: bool
    options: tuple[DialogOption, ...]


@dataclass(frozen=True)
class UnclearRequest:
    """A part of the user's request with several readings, most likely first."""

    id: str
    description: str
    readings: tuple[str, ...]


@dataclass(frozen=True)
class RunStatus:
    """The status of a run, and what to do next.

    waits_for: questions (that no agent is answering) | answers (to the questions that are being answered) |
    clarification | finding_selection | fix_selection | nothing (it has ended) | go_on (it can be resumed).
    open_questions counts those without an answer, `questions` lists those that no agent is answering.
    show: what to show the user, as Markdown; ask: the dialog that follows it. choices: questions that only the author
    of the skill can answer; `ids` hold the id of the finding.
    left_out: what is omitted, because clients cut off long results; "" if nothing is omitted.
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
    """A claimed question. The tool `answer` answers it with `token` and an object that is valid by `schema`.

    id: "" if no question could be claimed. prompt: sent first, as plain text (see `split_prompt` in mcp_server.py).
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
    """Whether an answer was accepted (`taken`). wrong: if not, what to correct before answering again, in one line."""

    run: str
    id: str
    taken: bool
    wrong: str
    open_questions: int


@dataclass(frozen=True)
class ReportResult:
    """The one-page report of a run as Markdown, with the path and the resource URI of the full report."""

    run: str
    markdown: str
    path: str
    uri: str


@dataclass(frozen=True)
class RollbackResult:
    """The ids of the fixes that were rolled back, and of those that stay, because their text was edited since."""

    run: str
    taken_back: tuple[str, ...]
    stays: tuple[str, ...]
