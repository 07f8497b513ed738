"""action-analyze-requirements: what the user complains of, taken apart by the judge, or by keywords without one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from actions.concerns import CONFLICTING, KEYWORDS, NAMES
from actions.judging.asking import booked
from actions.judging.reading import Reading, read
from actions.outcome import AskClarification, Outcome, Tools
from actions.patterns import all_patterns
from actions.skill import Case
from actions.strategies import DRAFTED, named
from schemas import requirements
from schemas.records import State
from schemas.requirements import Ambiguity, Coverage, Dimension, RequirementAnalysis, SpecMatch
from schemas.vocabulary import Family, Risk

_SPLIT = re.compile(
    r"[.;!?\n,，。；！？、]+(?=\s|$|[^\x00-\x7f])|\b(?:and|but|also|plus|then|besides)\b|而且|并且|同时|还有|以及|但是|此外",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")


def act(state: State, case: Case, tools: Tools) -> Outcome:
    """Take the description apart; a reading that is not clear waits for an answer where someone can give one."""
    description, spent = state.user_issue_description, {}
    analysis = analyze(description, tools.now())
    if tools.judge and description.strip():
        said = read(description, tools.judge)
        spent = booked(state, tools.judge, said.cost, said.notes)
        analysis = _as_read(said.readings, tools.now()) if said.readings else analysis
    found = len(analysis.dimensions)
    note = f"{found} concern{'s' * (found != 1)}, coverage {analysis.coverage.status}"
    return Outcome({"requirement_analysis": analysis, **spent}, note=note)


def unclear(state: State) -> tuple[Ambiguity, ...]:
    """Return the questions that no answer has come to."""
    analysis = state.requirement_analysis
    if analysis is None or analysis.status != "needs_clarification":
        return ()
    return tuple(a for a in analysis.ambiguities if a.needs_clarification and a.answer is None)


def clarify(state: State, case: Case, tools: Tools) -> Outcome:
    """Ask what is unclear; take the most likely reading with `--yes` or when nobody is there to be asked."""
    questions = unclear(state)
    if tools.someone_there and not state.options.yes:
        ask = AskClarification(questions, lambda answers: answered(state, answers, "user", tools.now()))
        return Outcome(note=f"{len(questions)} questions", effects=(ask,))
    taken = {q.dimension_id: q.possible_interpretations[0] for q in questions}
    told = ", ".join(f"{id} as {reading}" for id, reading in taken.items())
    note = f"nobody was asked, so the most likely reading was taken: {told}"
    changes = {**answered(state, taken, "default", tools.now()), "notes": (*state.notes, note)}
    return Outcome(changes, note=note)


def answered(state: State, answers: Mapping[str, str], by: str, now: str) -> Mapping[str, object]:
    """Return the changes that answers (dimension id -> category) make."""
    old = state.requirement_analysis
    assert old is not None, "there is an analysis where there are questions"
    dimensions = tuple(
        replace(d, inferred_category=answers[d.id], confidence=1.0) if d.id in answers else d for d in old.dimensions
    )
    ambiguities = tuple(
        replace(a, answer=answers[a.dimension_id], answered_by=by) if a.dimension_id in answers else a
        for a in old.ambiguities
    )
    return {"requirement_analysis": _analysis(dimensions, ambiguities, now)}


def analyze(description: str, now: str) -> RequirementAnalysis:
    """Analyse a description. An empty one has no dimensions and is satisfied."""
    parts = [part for part in (p.strip() for p in _SPLIT.split(description)) if _says_something(part)]
    hits = [(part, _hits(part)) for part in parts]
    if any(found for _, found in hits):
        hits = [(part, found) for part, found in hits if found]
    elif hits:
        hits = [(" ".join(description.split()), {})]
    dimensions, ambiguities = [], []
    for number, (part, found) in enumerate(hits, 1):
        id = f"DIM-{number:03d}"
        ranked = sorted(found, key=lambda family: (-len(found[family]), list(KEYWORDS).index(family)))
        dimensions.append(_dimension(id, part, found, ranked))
        ambiguities.extend(_ambiguities(id, part, found, ranked))
    return _analysis(tuple(dimensions), tuple(ambiguities), now)


def _as_read(readings: Sequence[Reading], now: str) -> RequirementAnalysis:
    """Return the analysis of what a judge read; wishes that pull in opposite directions are asked about in any case."""
    dimensions, ambiguities = [], []
    for number, one in enumerate(readings, 1):
        id, found = f"DIM-{number:03d}", _hits(one.words)
        keywords = tuple(word for words in found.values() for word in words)
        dimensions.append(Dimension(id, one.words, keywords, one.category, one.confidence))
        ambiguities.extend(_unclear(id, one) or _opposed(id, one.words, (one.category, *one.others)))
    return _analysis(tuple(dimensions), tuple(ambiguities), now)


def _unclear(id: str, one: Reading) -> list[Ambiguity]:
    if one.is_clear:
        return []
    if one.category is Family.CUSTOM:
        return [_vague(id, one.words, one.others)]
    return [_several(id, one.words, (one.category, *one.others))]


def _says_something(part: str) -> bool:
    return len(part.split()) >= 2 or len(_HAN.findall(part)) >= 2 or bool(_hits(part))


def _hits(part: str) -> dict[Family, tuple[str, ...]]:
    text = part.lower()
    found = {family: tuple(word for word in words if _holds(text, word)) for family, words in KEYWORDS.items()}
    return {family: words for family, words in found.items() if words}


def _holds(text: str, word: str) -> bool:
    """Match English as whole words (a trailing * allows endings), Chinese as substrings."""
    if _HAN.search(word):
        return word in text
    stem, end = (word[:-1], r"\w*") if word.endswith("*") else (word, r"\b")
    return stem in text and bool(re.search(rf"\b{re.escape(stem)}{end}", text))


def _dimension(id: str, part: str, found: Mapping[Family, tuple[str, ...]], ranked: list[Family]) -> Dimension:
    if not ranked:
        return Dimension(id, part, (), Family.CUSTOM, 0.2)
    best = len(found[ranked[0]])
    rival = len(found[ranked[1]]) if len(ranked) > 1 else 0
    confidence = round(min(0.95, 0.6 + 0.15 * best) * (1 - 0.5 * rival / best if rival else 1), 2)
    return Dimension(id, part, tuple(w for f in ranked for w in found[f]), ranked[0], confidence)


def _ambiguities(id: str, part: str, found: Mapping[Family, tuple[str, ...]], ranked: list[Family]) -> list[Ambiguity]:
    if not ranked:
        return [_vague(id, part)]
    best = [family for family in ranked if len(found[family]) == len(found[ranked[0]])]
    return _opposed(id, part, ranked) or ([_several(id, part, best)] if len(best) > 1 else [])


def _vague(id: str, part: str, first: Sequence[Family] = ()) -> Ambiguity:
    told = f"“{part[:80]}” names no kind of fault that is known here."
    readings = tuple(dict.fromkeys((*map(str, first), *map(str, NAMES))))
    return Ambiguity(id, "vague_description", told, readings, needs_clarification=True)


def _opposed(id: str, part: str, readings: Sequence[Family]) -> list[Ambiguity]:
    text = part.lower()
    for one, other in CONFLICTING:
        if _holds(text, one) and _holds(text, other):
            told = f"“{part[:80]}” asks for “{one}” and for “{other}”."
            return [Ambiguity(id, "conflicting_keywords", told, tuple(map(str, readings)), needs_clarification=True)]
    return []


def _several(id: str, part: str, readings: Sequence[Family]) -> Ambiguity:
    told = f"“{part[:80]}” may mean {' or '.join(NAMES[f] for f in readings)}."
    return Ambiguity(id, "multi_category", told, tuple(map(str, readings)), needs_clarification=True)


def _analysis(dimensions: tuple[Dimension, ...], ambiguities: tuple[Ambiguity, ...], now: str) -> RequirementAnalysis:
    waiting = any(a.needs_clarification and a.answer is None for a in ambiguities)
    status, matches = "needs_clarification" if waiting else "completed", tuple(map(_match, dimensions))
    return RequirementAnalysis(status, now, dimensions, matches, _coverage(matches), ambiguities)


def _match(dimension: Dimension) -> SpecMatch:
    patterns = [p.PATTERN for p in all_patterns().values() if p.PATTERN.family == dimension.inferred_category]
    if not patterns:
        return SpecMatch(dimension.id, None, None, has_fix=False)
    worst = min((p.severity for p in patterns), key=lambda s: s.rank)
    taxonomy = requirements.TaxonomyMatch(dimension.inferred_category, tuple(p.id for p in patterns), worst)
    found = {name: risk for p in patterns for name in p.strategies if (risk := _risk(name))}
    names, risks = tuple(found), tuple(dict.fromkeys(found.values()))
    strategies = requirements.StrategyMatch(names, risks) if names else None
    return SpecMatch(dimension.id, taxonomy, strategies, has_fix=bool(names))


def _risk(name: str) -> str | None:
    """Return the risk of a strategy; what a model drafts has a medium one. None for a name that is no strategy's."""
    module = named(name)
    return module.STRATEGY.risk.value if module else Risk.MEDIUM.value if name in DRAFTED else None


def _coverage(matches: tuple[SpecMatch, ...]) -> Coverage:
    total, fixes = len(matches), sum(m.has_fix for m in matches)
    rate = round(100 * fixes / total, 1) if total else 100.0
    status = "satisfied" if rate >= 80 else "partial" if rate >= 50 else "unsatisfied"
    return Coverage(total, sum(m.taxonomy_match is not None for m in matches), fixes, rate, status)
