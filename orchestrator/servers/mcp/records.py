"""What the tools of the server return; their output schemas are derived from these."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A finding: `known` is `proven`, or `read by` whom; `status` open or rejected, then `reason` says why.

    harm: what goes wrong in a run, where a model has read it; else "".
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


@dataclass(frozen=True)
class Mend:
    """A fix with its diff; `checked` says what was verified and by whom, `status` what became of it."""

    id: str
    mends: tuple[str, ...]
    description: str
    rationale: str
    risk: str
    drafted_by: str
    checked: tuple[str, ...]
    status: str
    reason: str
    diff: str


@dataclass(frozen=True)
class Open:
    """An open question; `claimed`: somebody is at it."""

    id: str
    name: str
    claimed: bool


@dataclass(frozen=True)
class Unclear:
    """What the user's words may mean; the likeliest reading first."""

    id: str
    description: str
    readings: tuple[str, ...]


@dataclass(frozen=True)
class Standing:
    """Where a run stands, and what to do next.

    waits_for: questions | clarification | fix_selection | nothing (it has ended) | go_on (it was stopped).
    left_out: what is not shown here, for a client cuts a long answer off; "" where all is.
    """

    run: str
    skill: str
    path: str
    waits_for: str
    next: str
    open_questions: int = 0
    questions: tuple[Open, ...] = ()
    unclear: tuple[Unclear, ...] = ()
    fixes: tuple[Mend, ...] = ()
    findings: tuple[Finding, ...] = ()
    left_out: str = ""
    score: int | None = None
    gate: str = ""
    judge: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """A question: answer it with the tool `answer`, `token`, and an object that meets `schema`. "" as id: none is free.

    prompt: it stands before the rest as it is, in no JSON (see `prompt_first` in server.py).
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
class Taken:
    """What became of an answer: `taken`, or what is wrong with it in one line; then mend it and answer again."""

    run: str
    id: str
    taken: bool
    wrong: str
    open_questions: int


@dataclass(frozen=True)
class Told:
    """The final report as Markdown, and its resource."""

    run: str
    markdown: str
    uri: str


@dataclass(frozen=True)
class TakenBack:
    """The fixes that a rollback took back; `stays`: those that stay, as what they wrote was edited since."""

    run: str
    taken_back: tuple[str, ...]
    stays: tuple[str, ...]
