"""The records that a skill keeps of its run under a name of their own: `const order = { … }`, written as JSON.

What makes such an object a state is a field that tells where the run stands (`phase`, `step`, `status`).
"""

from collections.abc import Iterator

from actions.facts.own import is_own, is_workflow
from actions.model import regex as re
from actions.model.code import code_fences
from actions.model.memo import once
from actions.model.skill import Skill

_WRITTEN = re.compile(
    r"\b(?:Write|write|writeFile|writeFileSync|write_text|write_file)\([^\n]{0,200}?(?:JSON\.stringify|json\.dumps)\(\s*"
    r"(?P<name>[A-Za-z_]\w{1,40})\s*[,)]"
)
_STANDS = re.compile(
    r"^[\s{,]*[\"']?(?:(?:current_?)?(?:phase|stage|step|round|iteration)|status|progress)[\"']?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_LITERAL = 1500
_STATE = "state"


@once
def records(skill: Skill) -> tuple[str, ...]:
    """Give the names of the objects that tell where the run stands and are written as JSON, those of a state apart."""
    return tuple(dict.fromkeys(_records(skill))) if is_workflow(skill) else ()


def _records(skill: Skill) -> Iterator[str]:
    for file in skill.instructions:
        for fence in filter(is_own, code_fences(file, "JSON.stringify(", "json.dumps(")):
            for match in _WRITTEN.finditer(fence.text):
                name = match["name"]
                if not name.lower().endswith(_STATE) and _tells_where(fence.text, name):
                    yield name


def _tells_where(code: str, name: str) -> bool:
    """Tell whether the literal that `name` is made from has a field for the place of the run."""
    opened = re.search(rf"(?<![\w.]){name}\s*(?::[^=\n]{{1,60}})?=\s*\{{", code)
    if opened is None:
        return False
    body = code[opened.end() : opened.end() + _LITERAL]
    return bool(_STANDS.search(body.split("\n}", 1)[0]))
