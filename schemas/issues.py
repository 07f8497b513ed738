"""Define the records that every command needs: the issues and measures of a skill."""

import msgspec

from schemas.vocabulary import SESSION_PATTERN_PREFIX, Family, Gate, Grade, IssueSource, IssueStatus, Ruling, Severity


class Location(msgspec.Struct, frozen=True):
    """A range of lines in a file of the skill, 1-based and inclusive."""

    file: str
    line_start: int | None = None
    line_end: int | None = None
    phase: str | None = None

    def overlaps(self, first: int, last: int) -> bool:
        """Return whether this range overlaps the lines from `first` to `last`."""
        return (self.line_start or 0) <= last and first <= (self.line_end or 0)


class Place(Location, frozen=True):
    """A location of a finding, with the text of its line and the fingerprint that identifies it across runs."""

    quote: str = ""
    fingerprint: str = ""

    @property
    def text(self) -> str:
        """The location and the text of its line, as `file:line: text`."""
        return f"{self.file}:{self.line_start or 1}: {self.quote}"


class Verdict(msgspec.Struct, frozen=True):
    """The ruling of a judge (`by`) on an issue, and the reason.

    A confirmation sets the severity. A rejection has a quote of the skill (`file:line: text`) or the id of the issue
    that this one duplicates. `explains_complaint` means that the issue explains the user's complaint.
    """

    word: Ruling
    reason: str
    by: str
    severity: Severity | None = None
    duplicate_of: str | None = None
    quote: str = ""
    explains_complaint: bool = False

    @property
    def why(self) -> str:
        """The reason and its quote, on one line."""
        duplicate = f" (the same as {self.duplicate_of})" if self.duplicate_of else ""
        return f"{self.reason}{duplicate}" + (f" [{self.quote}]" if self.quote else "")


class ReadBy(msgspec.Struct, frozen=True):
    """The model that found an issue by reading, and its reason.

    `looked_up` are the files of the project that the reason is based on. `from_knowledge` means that it is based on the
    model's own knowledge of a library or program. `explains_complaint` means that the issue explains the user's
    complaint.
    """

    name: str
    reason: str
    looked_up: tuple[str, ...] = ()
    from_knowledge: bool = False
    explains_complaint: bool = False

    @property
    def explanation(self) -> str:
        """The reason, with the files or knowledge that it is based on."""
        basis = ", ".join((*self.looked_up, *["the model's own knowledge"] * self.from_knowledge))
        return f"{self.reason} (based on {basis})" if basis else self.reason


class Issue(msgspec.Struct, frozen=True):
    """The record of one finding.

    `location` is the first of the `locations`, which are empty in a state of an earlier version. `evidence` has the
    text at each location, followed by other evidence. `sessions` is the number of sessions with the issue. `read_by` is
    None if the issue is proven.
    """

    id: str
    type: Family
    severity: Severity
    priority: int
    location: Location
    description: str
    evidence: tuple[str, ...]
    root_cause: str
    impact: str
    suggested_fix: str
    pattern: str
    grade: Grade
    fingerprint: str
    source: IssueSource = IssueSource.PARSER
    status: IssueStatus = IssueStatus.OPEN
    suppressed_by: str | None = None
    related_issues: tuple[str, ...] = ()
    sessions: int = 0
    verdict: Verdict | None = None
    read_by: ReadBy | None = None
    locations: tuple[Place, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """All locations, beginning with `location`. This is never empty."""
        at, quote = self.location, self.evidence[0] if self.evidence else ""
        first = Place(at.file, at.line_start, at.line_end, at.phase, quote, self.fingerprint)
        return self.locations or (first,)

    @property
    def further_evidence(self) -> tuple[str, ...]:
        """The evidence other than the text at the locations of the issue."""
        return self.evidence[len(self.places) :]

    @property
    def is_from_session(self) -> bool:
        """Whether the issue was found in recorded sessions, not by a check of the skill."""
        return self.source is IssueSource.SESSION

    @property
    def is_about_session(self) -> bool:
        """Whether the issue is about the behavior of an agent in a session, not about the skill's text."""
        return self.is_from_session and not self.pattern.startswith(SESSION_PATTERN_PREFIX)

    @property
    def counts(self) -> bool:
        """Whether the issue affects the score, because it is open and about the text, not about a session."""
        return self.status is IssueStatus.OPEN and not self.is_about_session

    @property
    def how_known(self) -> str:
        """How the issue was established: `proven`, or `read by` and the name of the model."""
        return f"read by {self.read_by.name}" if self.read_by else self.grade.value

    @property
    def explains_complaint(self) -> bool:
        """Whether the issue explains the user's complaint, according to a judge."""
        opinions = (self.read_by, self.verdict)
        return any(opinion is not None and opinion.explains_complaint for opinion in opinions)


class SeverityCounts(msgspec.Struct, frozen=True):
    """The number of issues of each severity that affect the score."""

    critical: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0


class Tokens(msgspec.Struct, frozen=True):
    """The estimated tokens (characters / 4) that are always listed, loaded on use, and read on demand."""

    listing: int = 0
    body: int = 0
    on_demand: int = 0


class Cost(msgspec.Struct, frozen=True):
    """The cost of the judge so far. `cached_tokens` are the `prompt_tokens` from the provider's cache."""

    usd: float = 0.0
    tokens: int = 0
    queries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(round(self.usd + other.usd, 6), *(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    def __sub__(self, other: "Cost") -> "Cost":
        """Subtract another cost without making any part negative."""
        counts = (max(0, a - b) for a, b in zip(self.counts, other.counts, strict=True))
        return Cost(max(0.0, self.usd - other.usd), *counts)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Tokens, queries, prompt tokens and cached tokens."""
        return self.tokens, self.queries, self.prompt_tokens, self.cached_tokens

    @property
    def summary(self) -> str:
        """The tokens and the cost as text. If both are zero, the client paid for the answers."""
        if self.queries and not (self.tokens or self.usd):
            return "paid by the client, amount unknown"
        return f"{self.tokens:,} token{'s' * (self.tokens != 1)}, {self.usd:.4f} USD"

    @property
    def from_cache(self) -> str:
        """The number of prompt tokens from the cache as text, or "" if there are none."""
        text = f"{self.cached_tokens:,} of {self.prompt_tokens:,} prompt tokens came from the cache"
        return text if self.cached_tokens else ""


class Measure(msgspec.Struct, frozen=True):
    """The score, gate, counts and tokens of a skill at a point in time."""

    score: int
    gate: Gate
    counts: SeverityCounts
    tokens: Tokens
