"""What was found in a skill, and what the skill is worth: the records that every command needs."""

from dataclasses import dataclass

from schemas.vocabulary import Family, Gate, Grade, IssueSource, IssueStatus, Ruling, Severity


@dataclass(frozen=True)
class Location:
    """A place in the skill: lines count from 1, both ends included."""

    file: str
    line_start: int | None = None
    line_end: int | None = None
    phase: str | None = None

    def meets(self, first: int, last: int) -> bool:
        """Whether it shares a line with the lines from `first` to `last`."""
        return (self.line_start or 0) <= last and first <= (self.line_end or 0)


@dataclass(frozen=True)
class Verdict:
    """What a judge (`by`) says of a finding, and why.

    Who confirms says how severe it is; who rejects quotes words of the skill (`file:line: words`) or names the finding
    that tells the same.
    """

    word: Ruling
    reason: str
    by: str
    severity: Severity | None = None
    duplicate_of: str | None = None
    quote: str = ""

    @property
    def why(self) -> str:
        """The reason and what shows it, in one line."""
        same = f" (the same as {self.duplicate_of})" if self.duplicate_of else ""
        return f"{self.reason}{same}" + (f" [{self.quote}]" if self.quote else "")


@dataclass(frozen=True)
class ReadBy:
    """The model that found something by reading, and the reason it gave."""

    name: str
    reason: str


@dataclass(frozen=True)
class Issue:
    """One finding of one pattern.

    `sessions` is how many recorded sessions show it; `read_by` is None where it is proven.
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

    @property
    def is_from_session(self) -> bool:
        """Whether only recorded sessions show it, and no check of the skill."""
        return self.source is IssueSource.SESSION

    @property
    def counts(self) -> bool:
        """Whether the score counts it: it is open and found in the skill itself."""
        return self.status is IssueStatus.OPEN and not self.is_from_session

    @property
    def known(self) -> str:
        """How it is known: `proven`, or `read by` whom."""
        return f"read by {self.read_by.name}" if self.read_by else self.grade.value


@dataclass(frozen=True)
class SeverityCounts:
    """How many counted findings there are of each severity."""

    critical: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0


@dataclass(frozen=True)
class Tokens:
    """Estimated tokens (characters/4) per load stage: always listed, loaded on use, read on demand."""

    listing: int = 0
    body: int = 0
    on_demand: int = 0


@dataclass(frozen=True)
class Cost:
    """What the judge has cost so far; `cached_tokens` of the `prompt_tokens` came from the provider's cache."""

    usd: float = 0.0
    tokens: int = 0
    queries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(round(self.usd + other.usd, 6), *(a + b for a, b in zip(self.counts, other.counts, strict=True)))

    def __sub__(self, other: "Cost") -> "Cost":
        """Return what is left without another cost, nothing below zero."""
        counts = (max(0, a - b) for a, b in zip(self.counts, other.counts, strict=True))
        return Cost(max(0.0, self.usd - other.usd), *counts)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """All but the money."""
        return self.tokens, self.queries, self.prompt_tokens, self.cached_tokens

    @property
    def told(self) -> str:
        """Tokens and money in words. An answer is never free of both: where none is known, the client pays itself."""
        if self.queries and not (self.tokens or self.usd):
            return "the client pays and does not tell how much"
        return f"{self.tokens:,} token{'s' * (self.tokens != 1)}, {self.usd:.4f} USD"

    @property
    def from_cache(self) -> str:
        """How much of the prompts came from the cache, in words; "" where nothing did."""
        told = f"{self.cached_tokens:,} of {self.prompt_tokens:,} prompt tokens came from the cache"
        return told if self.cached_tokens else ""


@dataclass(frozen=True)
class Measure:
    """What a skill is worth at one moment."""

    score: int
    gate: Gate
    counts: SeverityCounts
    tokens: Tokens
