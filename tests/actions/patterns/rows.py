"""Find what a pattern reports in files that a test writes."""

from actions.patterns import get_patterns
from actions.scoring.scan import scan
from tests.examples import list_project_cases, make_example_case

FRONTMATTER = "---\nname: example\ndescription: Counts words. Use when a text must be counted.\n"


def find_rows(pattern, files, kind=None):
    """Return (line, severity, message) of the findings of a pattern in a skill, or in the units of a kind."""
    cases = [make_example_case(files)] if kind is None else list_project_cases(get_patterns()[pattern], files)
    cases = [case for case in cases if kind is None or case.skill.kind is kind]
    findings = [finding for case in cases for finding in scan(case, [get_patterns()[pattern]]).open]
    return [(finding.line, finding.severity, finding.message) for finding in findings]
