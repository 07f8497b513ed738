"""Determine which findings are about the frontmatter, in which a draft may change only the description."""

from collections.abc import Iterable

from actions.patterns import get_patterns
from actions.skill import Skill
from schemas.issues import Issue
from schemas.vocabulary import Family


def is_about_description(issue: Issue, skill: Skill) -> bool:
    """Return whether a new description would fix a finding, because of its pattern or its line."""
    pattern = get_patterns().get(issue.pattern)
    if pattern and pattern.PATTERN.strategies[:1] == ("describe_occasion",):
        return True
    lines = skill.frontmatter.lines
    start = lines.get("description", skill.frontmatter.end)
    end = min((n for n in lines.values() if n > start), default=skill.frontmatter.end)
    return issue.location.file == skill.main_path and start <= (issue.location.line_start or 0) < end


def is_in_frontmatter(issue: Issue, skill: Skill) -> bool:
    """Return whether a finding is in the frontmatter or, without a line, comes from a specification pattern."""
    at = issue.location
    line = at.line_start or (1 if issue.type is Family.SPEC else skill.main.doc.body_start)
    return at.file == skill.main_path and line < skill.main.doc.body_start


def find_author_only_findings(issues: Iterable[Issue], skill: Skill) -> frozenset[str]:
    """Return the ids of the findings in the frontmatter that no draft may fix, only the author."""
    in_frontmatter = (issue for issue in issues if is_in_frontmatter(issue, skill))
    return frozenset(issue.id for issue in in_frontmatter if not is_about_description(issue, skill))
