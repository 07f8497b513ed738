"""Define the records of the requirement analysis: the concerns in the user's description."""

import msgspec

from schemas.vocabulary import AnalysisStatus


class Dimension(msgspec.Struct, frozen=True):
    """One concern in the user's description."""

    id: str
    description: str
    keywords: tuple[str, ...]
    inferred_category: str
    confidence: float


class TaxonomyMatch(msgspec.Struct, frozen=True):
    """The patterns that check a concern."""

    category: str
    pattern_ids: tuple[str, ...]
    severity_hint: str


class StrategyMatch(msgspec.Struct, frozen=True):
    """The strategies that fix a concern."""

    strategies: tuple[str, ...]
    risk_levels: tuple[str, ...]


class SpecMatch(msgspec.Struct, frozen=True):
    """The patterns and strategies for a concern."""

    dimension_id: str
    taxonomy_match: TaxonomyMatch | None
    strategy_match: StrategyMatch | None
    has_fix: bool


class Coverage(msgspec.Struct, frozen=True):
    """The numbers of concerns that can be detected and fixed. `coverage_rate` is in percent."""

    total_dimensions: int
    with_detection: int
    with_fix_strategy: int
    coverage_rate: float
    status: str


class Ambiguity(msgspec.Struct, frozen=True):
    """A concern with several interpretations. `answer` is the chosen interpretation."""

    dimension_id: str
    type: str
    description: str
    possible_interpretations: tuple[str, ...]
    needs_clarification: bool
    answer: str | None = None
    answered_by: str | None = None


class RequirementAnalysis(msgspec.Struct, frozen=True):
    """The concerns in the user's description, with the patterns and strategies for each."""

    status: AnalysisStatus
    analyzed_at: str
    dimensions: tuple[Dimension, ...]
    spec_matches: tuple[SpecMatch, ...]
    coverage: Coverage
    ambiguities: tuple[Ambiguity, ...]
