"""action-analyze-requirements: analyze the user's complaints and match them with patterns and strategies."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from actions.case import Case
from actions.fixes.strategies import DRAFTED, find_strategy
from actions.patterns import get_patterns
from actions.review.asking import JudgeClient
from actions.review.complaints import Complaint, find_known_words, read_complaints, recognize_complaints
from actions.steps.outcome import AskClarification, Outcome, Tools
from schemas import requirements
from schemas.concerns import CONCERNS
from schemas.records import State
from schemas.requirements import Ambiguity, Coverage, Dimension, RequirementAnalysis, SpecMatch
from schemas.vocabulary import AnalysisStatus, Family, Risk
from templates.filters import counted

_VAGUE_TYPE = "vague_description"
_NO_KNOWN_KIND = "none of the known kinds"


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Split the user's description into complaints and assign a category to each.

    The user is asked about unclear complaints, except with `--judge mcp`, where the client's model reads the
    description together with the skill.
    """
    complaints, note_on_words = recognize_complaints(state.user_issue_description)
    if state.options.judge == "mcp":
        clear = tuple(complaint for complaint in complaints if complaint.is_clear)
        return Outcome(replace(state, requirement_analysis=analyze(clear, tools.now())), "read with the skill")
    if tools.judge and complaints:
        client = JudgeClient(tools.judge)
        by_model = read_complaints(state.user_issue_description, client)
        client.notes += [] if by_model else [note_on_words]
        complaints, state = by_model or complaints, client.record_in(state)
    elif note_on_words:
        state = replace(state, notes=(*state.notes, note_on_words))
    analysis = analyze(complaints, tools.now())
    coverage = f"coverage {analysis.coverage.status}"
    note = f"{counted(len(complaints), 'complaint')}, {coverage}" if complaints else "no complaint"
    return Outcome(replace(state, requirement_analysis=analysis), note)


def is_unclear(state: State) -> bool:
    """Return whether a question about the complaints is unanswered."""
    return bool(list_open_questions(state))


def list_open_questions(state: State) -> tuple[Ambiguity, ...]:
    """Return the unanswered questions about the complaints."""
    if (analysis := state.requirement_analysis) is None or analysis.status is not AnalysisStatus.NEEDS_CLARIFICATION:
        return ()
    return tuple(a for a in analysis.ambiguities if a.needs_clarification and a.answer is None)


def clarify(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask about unclear complaints. With `--yes` or without a user to ask, use the most likely category."""
    questions = list_open_questions(state)
    if tools.can_ask and not state.options.yes:
        return Outcome(state, counted(len(questions), "question"), AskClarification(questions))
    categories = {
        q.dimension_id: Family.CUSTOM if q.type == _VAGUE_TYPE else q.possible_interpretations[0] for q in questions
    }
    text = ", ".join(f"{id} as {_NO_KNOWN_KIND if kind == Family.CUSTOM else kind}" for id, kind in categories.items())
    note = f"the user was not asked; the most likely category was used: {text}"
    return Outcome(apply_answers(replace(state, notes=(*state.notes, note)), categories, "default", tools.now()), note)


def apply_answers(state: State, answers: Mapping[str, str], by: str, now: str) -> State:
    """Record answers, which map dimension ids to categories. `by` is their source: "user" or "default"."""
    old = state.requirement_analysis
    assert old is not None, "questions need an analysis"
    dimensions = tuple(
        replace(d, inferred_category=answers[d.id], confidence=1.0 if by == "user" else d.confidence)
        if d.id in answers
        else d
        for d in old.dimensions
    )
    ambiguities = tuple(
        replace(a, answer=answers[a.dimension_id], answered_by=by) if a.dimension_id in answers else a
        for a in old.ambiguities
    )
    return replace(state, requirement_analysis=_make_analysis(dimensions, ambiguities, now))


def analyze(complaints: Sequence[Complaint], now: str) -> RequirementAnalysis:
    """Analyze complaints at the time `now`.

    Without complaints, the analysis has no dimensions and its coverage is "satisfied".
    """
    numbered = [(f"DIM-{number:03d}", complaint) for number, complaint in enumerate(complaints, 1)]
    dimensions = tuple(_make_dimension(id, complaint) for id, complaint in numbered)
    ambiguities = tuple(_make_ambiguity(id, complaint) for id, complaint in numbered if not complaint.is_clear)
    return _make_analysis(dimensions, ambiguities, now)


def _make_dimension(id: str, complaint: Complaint) -> Dimension:
    keywords = dict.fromkeys(word for _, words in find_known_words(complaint.words) for word in words)
    return Dimension(id, complaint.words, tuple(keywords), complaint.category, complaint.confidence)


def _make_ambiguity(id: str, complaint: Complaint) -> Ambiguity:
    part, kinds = f"“{complaint.words[:80]}”", (complaint.category, *complaint.others)
    if complaint.is_contradictory:
        type, reason = "conflicting_keywords", f"{part} asks for contradictory things."
    elif complaint.category == Family.CUSTOM:
        type, reason = _VAGUE_TYPE, f"{part} names no known kind of fault."
        kinds = tuple(dict.fromkeys((*complaint.others, *CONCERNS)))
    else:
        type, reason = "multi_category", f"{part} may mean {' or '.join(CONCERNS[kind].label for kind in kinds)}."
    return Ambiguity(id, type, reason, kinds, needs_clarification=True)


def _make_analysis(
    dimensions: tuple[Dimension, ...], ambiguities: tuple[Ambiguity, ...], now: str
) -> RequirementAnalysis:
    is_open = any(a.needs_clarification and a.answer is None for a in ambiguities)
    status = AnalysisStatus.NEEDS_CLARIFICATION if is_open else AnalysisStatus.COMPLETED
    matches = tuple(map(_match_patterns, dimensions))
    return RequirementAnalysis(status, now, dimensions, matches, _compute_coverage(matches), ambiguities)


def _match_patterns(dimension: Dimension) -> SpecMatch:
    concern = CONCERNS.get(dimension.inferred_category)
    ids = concern.patterns if concern else ()
    known = (module.PATTERN for module in get_patterns().values())
    patterns = [p for p in known if p.id in ids or p.family == dimension.inferred_category]
    if not patterns:
        return SpecMatch(dimension.id, None, None, has_fix=False)
    worst = min((p.severity for p in patterns), key=lambda s: s.rank)
    taxonomy = requirements.TaxonomyMatch(dimension.inferred_category, tuple(p.id for p in patterns), worst)
    risks = {name: risk for p in patterns for name in p.strategies if (risk := _get_risk(name))}
    strategies = requirements.StrategyMatch(tuple(risks), tuple(dict.fromkeys(risks.values()))) if risks else None
    return SpecMatch(dimension.id, taxonomy, strategies, has_fix=bool(risks))


def _get_risk(name: str) -> str | None:
    """Return the risk of a strategy (medium if a model drafts its fixes), or None for an unknown strategy."""
    module = find_strategy(name)
    return module.STRATEGY.risk.value if module else Risk.MEDIUM.value if name in DRAFTED else None


def _compute_coverage(matches: tuple[SpecMatch, ...]) -> Coverage:
    total, fixes = len(matches), sum(m.has_fix for m in matches)
    rate = round(100 * fixes / total, 1) if total else 100.0
    status = "satisfied" if rate >= 80 else "partial" if rate >= 50 else "unsatisfied"
    return Coverage(total, sum(m.taxonomy_match is not None for m in matches), fixes, rate, status)
