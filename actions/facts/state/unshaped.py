"""Loops that read a file of state and write it back, where nothing lays down which fields it has."""

import re
from collections.abc import Iterator

from actions.skill.code import code_fences
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import paragraphs
from actions.skill.stems import Stems

_FILES, _ABOUT = Stems("json", "yaml", "yml"), Stems("json", "yaml", "yml", "state", "状态")
_PATH = re.compile(r"[`\"'](?P<path>[\w${}./-]{1,120}\.(?:json|ya?ml))[`\"']")
_STATE = re.compile(r"\bstate\b|状态", re.IGNORECASE)
_TURNS = re.compile(r"\b(?:loops?|turns?|rounds?|iterations?|cycles?)\b|循环|每一?[轮步圈]|[十百]轮", re.IGNORECASE)
_READS = re.compile(r"\b(?:re-?)?(?:[Rr]ead|[Ll]oad)(?:s\b|\b|_|[A-Z])|读|加载")
_WRITES = re.compile(r"\b(?:[Ww]rite|[Ss]ave|[Uu]pdate|[Cc]hange)(?:s\b|\b|_|[A-Z])|写|存|更新")
_LOOPS = re.compile(r"^[ \t]*(?:for|while)\b", re.MULTILINE)
_SHAPED = re.compile(
    r"\b(?:keys?|fields?|schema|shape|propert\w+|checked against|columns?)\b|字段|键|结构|模式|格式|校验", re.IGNORECASE
)
_NAME = re.compile(r"`(?:\w+\.)?[A-Za-z_]\w*`")
_PARTS = re.compile(r"[,，、;；]|\band\b|和")
_DATA = frozenset({"json", "jsonc", "json5", "yaml", "yml", "toml"})
_FEWEST = 2


def unshaped_loops(skill: Skill) -> Iterator[tuple[str, int]]:
    """Give file and line of the first place that names such a file."""
    for file in skill.instructions:
        home = _home(file)
        if home and _goes_round(file, home[1]) and not any(_declares(other, home[1]) for other in skill.instructions):
            yield file.path, home[0]


def _home(file: SkillFile) -> tuple[int, str] | None:
    """Give line and name of the first data file that a paragraph, or its name, calls a state."""
    for line, _, text in paragraphs(file, _FILES):
        match = _PATH.search(text)
        if match and _STATE.search(text.replace("-", " ")) and not file.doc.is_counterexample(line):
            return line, match["path"]
    return None


def _goes_round(file: SkillFile, path: str) -> bool:
    """Tell whether a file goes round, in words or code, and reads the state and writes it."""
    code = [fence.text for fence in code_fences(file, path)]
    if not any(_TURNS.search(line) for _, line in file.doc.prose) and not any(map(_LOOPS.search, code)):
        return False
    told = [text for _, _, text in paragraphs(file, _ABOUT) if path in text or _STATE.search(text)]
    return all(any(map(regex.search, (*told, *code))) for regex in (_READS, _WRITES))


def _declares(file: SkillFile, path: str) -> bool:
    """Tell whether a file shows the state, or names its fields beside it, in whatever words."""
    if any(fence.lang in _DATA for fence in code_fences(file)):
        return True
    for _, _, text in paragraphs(file, _ABOUT):
        at = text.find(path)
        if at < 0 and not _STATE.search(text):
            continue
        behind = re.split(r"[.。](?:\s|$)|[.。](?=[\u4e00-\u9fff])", text[at + len(path) :])[0] if at >= 0 else ""
        acts = _READS.search(behind) and _WRITES.search(behind)
        parts = 0 if acts else max(len(set(_NAME.findall(behind))), len(_PARTS.findall(behind)))
        if _SHAPED.search(text) or parts >= _FEWEST or len(set(_NAME.findall(text))) > _FEWEST:
            return True
    return False
