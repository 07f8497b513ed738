"""The records that a skill keeps of its run under a name of their own: `const order = { … }`, written as JSON.

What makes such an object a state is a field that tells where the run stands (`phase`, `step`, `status`), or its name.
"""

import re
from collections.abc import Iterator

from actions.facts.own import is_own, is_workflow
from actions.skill.code import code_fences
from actions.skill.memo import once
from actions.skill.skill import Skill

_WRITTEN = re.compile(
    r"\b(?:Write|write|writeFile|writeFileSync|write_text|write_file)\([^\n]{0,200}?(?:JSON\.stringify"
    r"|json\.dumps)\(\s*"
    r"(?P<name>[A-Za-z_]\w{1,40})\s*[,)]"
)
_STANDS = re.compile(
    r"^[\s{,]*[\"']?(?:(?:current_?)?(?:phase|stage|step|round|iteration)|status|progress)[\"']?\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_NAMES = ("record", "progress", "ledger", "tracker", "memory", "session", "job", "run")
_FIELD_SET = re.compile(
    rf"(?<![\w$.])(?P<name>(?:\w*_)?(?:{'|'.join(_NAMES)}))(?:\[[\"'](?P<field>\w+)[\"']\]|\.(?P<dotted>\w+))\s*(?:[+|]?=(?!=)|\.(?:push|append)\()"
)
_MAY_SET = re.compile(rf"(?:{'|'.join(_NAMES)})(?:\[[\"']|\.\w)")
"""Part of it that few fences have, without the search for where a name begins."""
_LITERAL = 1500
_STATE = "state"


@once
def records(skill: Skill) -> tuple[str, ...]:
    """Give the names of the objects that tell where the run stands and are written as JSON, and of those that are
    called like a record and get their fields one by one; those of a state apart.
    """
    written = _records(skill) if is_workflow(skill) else ()
    return tuple(dict.fromkeys((*written, *_called_so(skill))))


def _called_so(skill: Skill) -> Iterator[str]:
    for file in skill.instructions:
        for fence in filter(is_own, code_fences(file, *_NAMES)):
            if not _MAY_SET.search(fence.text):
                continue
            fields = {(match["name"], match["field"] or match["dotted"]) for match in _FIELD_SET.finditer(fence.text)}
            several = {name for name, _ in fields if sum(name == other for other, _ in fields) > 1}
            yield from sorted(name for name in several if not _comes_from_elsewhere(skill, name))


def _comes_from_elsewhere(skill: Skill, name: str) -> bool:
    """Tell whether a loop or a call gives the object: then a library may have filled it."""
    given = re.compile(rf"\b(?:for|as)\s+(?:\w+,\s*)?{name}\b|(?<![\w.]){name}\s*=\s*(?:await\s+)?[\w.]+\(")
    return any(name in file.text and given.search(file.text) for file in skill.instructions)


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
