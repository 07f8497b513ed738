"""Define the records of the requirement analysis: the concerns in the user's description."""

from dataclasses import dataclass

from schemas.vocabulary import AnalysisStatus


@dataclass(frozen=True)
class Dimension:
    """One concern in the user's description."""

    id: str
    description: str
    keywords: tuple[str, ...]
    inferred_category: str
    confidence: float


@dataclass(frozen=True)
class TaxonomyMatch:
    """The patterns that check a concern."""

    category: str
    pattern_ids: tuple[str, ...]
    severity_hint: str


@dataclass(frozen=True)
class StrategyMatch:
    """The strategies that fix a concern."""

    strategies: tuple[str, ...]
    risk_levels: tuple[str, ...]


@dataclass(frozen=True)
class SpecMatch:
    """The patterns and strategies for a concern."""

    dimension_id: str
    taxonomy_match: TaxonomyMatch | None
    strategy_match: StrategyMatch | None
    has_fix: bool


@dataclass(frozen=True)
class Coverage:
    """How much of the user's description can be detected and fixed. coverage_rate: in percent."""

    total_dimensions: int
    with_detection: int
    with_fix_strategy: int
    coverage_rate: float
    status: str


@dataclass(frozen=True)
class Ambiguity:
    """A concern with several interpretations. answer: the chosen one."""

    dimension_id: str
    type: str
    description: str
    possible_interpretations: tuple[str, ...]
    needs_clarification: bool
    answer: str | None = None
    answered_by: str | None = None


@dataclass(frozen=True)
class RequirementAnalysis:
    """The concerns in the user's description, with the patterns and strategies for each."""

    status: AnalysisStatus
    analyzed_at: str
    dimensions: tuple[Dimension, ...]
    spec_matches: tuple[SpecMatch, ...]
    coverage: Coverage
    ambiguities: tuple[Ambiguity, ...]
