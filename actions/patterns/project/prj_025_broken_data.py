"""A bundled data file that is not JSON, YAML or TOML.

It is:
- a `.json`, `.yaml` or `.toml` file of a skill that its parser rejects (proven)
It is not:
- a template with placeholders, JSON with comments, one value per line, or several YAML documents
- an example, a file of tests, or Markdown with a fence under such a name
Why it is bad: A program that reads the file fails, or the model guesses what was meant.
Instead: Correct the line that the parser names.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, UnitKind
from actions.project.broken_files import find_broken_files

PATTERN = Pattern(id="PRJ-025", impact=("every_run", "easy"), asks_model=False, kinds=(UnitKind.SKILL,))
_SKILL = {"SKILL.md": "---\nname: count\ndescription: Counts.\n---\n\nRead `birds.json`.\n"}
BAD = (
    {**_SKILL, "birds.json": '{"gull": 1,\n "tern": 2,\n}\n'},
    {**_SKILL, "birds.yaml": 'gull: "one" two\ntern: 2\n'},
    {**_SKILL, "birds.toml": "[birds\ngull = 1\n"},
)
GOOD = (
    {**_SKILL, "birds.json": '// birds\n{"gull": 1}\n'},
    {**_SKILL, "birds.json": '{"gull": {{ count }}}\n'},
    {**_SKILL, "birds.yaml": "gull: 1\n---\ntern: 2\n"},
    {**_SKILL, "birds.yaml": "# Birds\n\nSee `birds`.\n\n```yaml\ngull: 1\n```\n"},
    {**_SKILL, "birds.json": '{"gull": 1}\n{"tern": 2}\n'},
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the data files of this skill that cannot be parsed."""
    for broken in find_broken_files(case.project, case.unit, case.skill, is_code=False):
        message = f"`{broken.path}` cannot be read: line {broken.fault_line} is not valid syntax ({broken.problem})."
        yield Finding(broken.file, broken.line, message, cause=broken.path)
