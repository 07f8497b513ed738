"""The name is missing, malformed or unlike the folder.

What it sees: A frontmatter without `name`; a name that is not 1 to 64 lower-case letters, digits and single hyphens; a name that is
not the folder's.
Why it is bad: The specification of skills requires the name, and other tools refuse a skill without it. Users and other
skills call a skill by its name: two names lead to calls that find nothing.
Instead: Write `name:` as the folder is named.
May be wrong: Plugins and installers rename folders, so a well-formed name unlike the folder is low; so is a name that is the
folder's in other letters.
"""

from collections.abc import Iterator

from actions.facts.spec.skill_name import as_slug, folder_name, is_well_formed
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="SPEC-002",
    family=Family.SPEC,
    impact=("blocks", "easy"),
    confidence=Confidence.HIGH,
    strategies=("repair_frontmatter",),
)
_DESCRIBED = "description: Counts words. Use when a text must be counted.\n---\n\nCount the words.\n"
BAD = (
    {"SKILL.md": "---\n" + _DESCRIBED},
    {"SKILL.md": "---\nname:\n" + _DESCRIBED},
    {"SKILL.md": "---\nname: Word Counter!\n" + _DESCRIBED},
    {"SKILL.md": "---\nname: Example\n" + _DESCRIBED},
    {"SKILL.md": "---\nname: word-counter\n" + _DESCRIBED},
    {"SKILL.md": "---\nname: 字数统计\ndescription: 统计字数，当用户要求统计时使用。\n---\n\n逐段统计。\n"},
)
GOOD = (
    {"SKILL.md": "---\nname: example\n" + _DESCRIBED},
    {"SKILL.md": '---\nname: "example"\ndescription: 统计字数，当用户要求统计时使用。\n---\n\n逐段统计。\n'},
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the fault of the name, at most one."""
    skill, head = case.skill, case.skill.frontmatter
    if head.error:
        return
    name, path, line = head.text("name"), skill.main.path, head.lines.get("name", 1)
    folder = folder_name(skill)
    if not name:
        yield Evidence(path, line, "The frontmatter gives the skill no name.")
    elif not is_well_formed(name):
        told = f"The name `{name[:80]}` is not made of 1 to 64 lower-case letters, digits and single hyphens."
        mild = folder is not None and as_slug(name) == folder
        yield Evidence(path, line, told, severity=Severity.LOW if mild else Severity.MEDIUM)
    elif folder and name != folder:
        told = f"The skill is named `{name}`, its folder `{folder}`; an installer may have renamed the folder."
        yield Evidence(path, line, told, severity=Severity.LOW)
