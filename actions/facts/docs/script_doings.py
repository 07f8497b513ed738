"""What a bundled script can do at all: the codes that it can end with, and whether it writes any file."""

import re

from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile

_EXIT_CODE = re.compile(
    r"(?:\bexit(?:s|ed)?\s+(?:with|code|status)(?:\s+(?:an?\s+)?(?:exit\s+)?(?:code|status))?(?:\s+of)?\s+|退出码[为是]?\s?)"
    r"`?(?P<code>\d{1,3})\b(?!\s*(?:%|errors?|warnings?|files?|lines?))"
)
_WRITES_FILE = re.compile(
    r"(?:\b(?:writes|creates|saves|leaves|generates|produces|exports)\b[^.;:`]{0,60}"
    r"|(?:生成|写出|写入|导出|保存)[^。；`]{0,20})`(?P<path>[\w./{}<>-]{0,60}\.\w{2,5})`"
)
_EXITS = re.compile(
    r"(?:\bsys\.exit|\bprocess\.exit|\bos\._exit|\bSystemExit|(?<![\w.])exit|(?<![\w.])quit)\(\s*(?P<what>[^)\n]{0,60})"
)
_SHELL_EXITS = re.compile(r"\bexit\s+(?P<what>\S+)")
_RETURNS = re.compile(r"^[ \t]+return\s+(?P<what>\d{1,3})\s*(?:#.*)?$", re.MULTILINE)
_BY_MAIN = re.compile(r"\w*main\w*\(")
_TEXT = re.compile(r"f?[\"']|__doc__\b|\w+\.format\(|str\(")
_WRITES = re.compile(
    r"\bopen\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*[\"'][wax]b?\+?[\"']|\.open\([\"'][wax]|mode\s*=\s*[\"'][wax]|\bwrite\w*\(|\.write\b|\.dump\(|\.save\w*\(|\.to_\w+\("
    r"|\bsavefig|\bcopy\w*\(|\.rename\(|\.replace\(\s*\w+\s*\)|\bmkstemp|NamedTemporary|\bsubprocess\b|\bos\.system|\bexec\w*\(|\bspawn\w*\("
    r"|\bsqlite3\b|\bshutil\b|\bzipfile\b|\btarfile\b|createWriteStream|appendFile|\bBun\.write|\bDeno\.write"
)
_SHELL_WRITES = re.compile(
    r">|\btee\b|\b(?:cp|mv|install|dd|curl|wget|tar|zip|git|touch|python3?|node|make)\b|\s-o\b|--output"
)
_MAY_BE = {".py": frozenset({0, 1}), ".js": frozenset({0, 1}), ".mjs": frozenset({0, 1}), ".ts": frozenset({0, 1})}
_USAGE = 2
"""The code of argparse for a wrong call."""


def false_exit(text: str, script: SkillFile) -> str | None:
    """Tell which codes a script ends with, where a sentence names another one."""
    match = _EXIT_CODE.search(text)
    codes = _codes(script) if match else None
    if match is None or codes is None or int(match["code"]) in codes:
        return None
    return f"it exits with {' or '.join(map(str, sorted(codes)))} only"


def false_output(text: str, script: SkillFile, skill: Skill) -> str | None:
    """Tell that a script writes no file, where a sentence names one that it writes."""
    match = _WRITES_FILE.search(text)
    if match is None or ">" in text or _may_write(script) or _leans_on_others(script, skill):
        return None
    return "it opens no file for writing"


@once
def _codes(script: SkillFile) -> frozenset[int] | None:
    """Give the codes that a script can end with; None where that cannot be seen."""
    ending = "." + script.path.rsplit(".", 1)[-1]
    found: set[int] = set(_MAY_BE.get(ending, ()))
    if ending == ".sh":
        return _of_shell(script.text)
    if not found:
        return None
    if "argparse" in script.text:
        found.add(_USAGE)
    for match in _EXITS.finditer(script.text):
        what = match["what"].strip()
        if what.isdigit():
            found.add(int(what))
        elif _BY_MAIN.match(what):
            found.update(int(returned["what"]) for returned in _RETURNS.finditer(script.text))
        elif what and not _TEXT.match(what):
            return None
    return None if "exitCode" in script.text or "returncode" in script.text else frozenset(found)


def _of_shell(text: str) -> frozenset[int] | None:
    told = [match["what"].strip(";\"'") for match in _SHELL_EXITS.finditer(text)]
    if not all(code.isdigit() for code in told) or "exec " in text:
        return None
    return frozenset({0, 1, *map(int, told)}) if told else None


@once
def _may_write(script: SkillFile) -> bool:
    return bool((_SHELL_WRITES if script.path.endswith(".sh") else _WRITES).search(script.text))


def _leans_on_others(script: SkillFile, skill: Skill) -> bool:
    """Tell whether a script takes in another one of the skill, which may write."""
    stems = (f.path.rsplit("/", 1)[-1].split(".")[0] for f in skill.files if f.role is Role.SCRIPT and f is not script)
    return any(
        re.search(rf"\b(?:import|from|require|source)\b[^\n]*\b{re.escape(name)}\b", script.text) for name in stems
    )
