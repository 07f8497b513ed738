"""References in text and commands that lead nowhere: paths, phases, section titles. Markdown links are not here."""

import re
from collections.abc import Iterator
from functools import lru_cache

from actions.facts.dataflow.stages import numbered_phases
from actions.facts.references.missing import Kind, Missing
from actions.facts.references.sections import sections_of_files
from actions.facts.references.steps import missing_steps
from actions.skill.links import is_placeholder
from actions.skill.memo import once
from actions.skill.places import lines_with
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.stems import Stems
from actions.skill.text import plain

_SKILLS_ONLY = frozenset({"references", "reference", "phases", "specs", "roles", "personas"})
_CONVENTIONAL = _SKILLS_ONLY | {
    "scripts", "templates", "assets", "commands", "steps", "actions", "workflows", "prompts", "checklists", "schemas",
    "resources", "rules", "guides",
}  # fmt: skip
_USUAL = _CONVENTIONAL | {"examples", "docs", "data", "agents", "tests", "src", "lib", "evals"}
_FOLDER_WORDS = Stems(*sorted(_USUAL))
_BASE = r"(?:\$\{?CLAUDE_SKILL_DIR(?::-[^}\n]*)?\}?/|\{baseDir\}/|\{skill_(?:dir|path|root)\}/|\./)?"
_LINK = re.compile(r"!?\[[^\]\n]{0,300}\]\([^)\n]{0,500}\)")
_TOLD = re.compile(
    r"\b(?:read|load|follow|see|run|execute|use|using|open|consult|refer|invoke|apply|check|reference|per"
    r"|according to|cat|bash|sh"
    r"|source|python3?|node|uv)\b|\bRead\(|读取|阅读|执行|运行|参考|参见|详见|见|加载|使用|遵循|按照|调用",
    re.IGNORECASE,
)
_MAKES = re.compile(
    r"\b(?:creat|writ|sav|generat|produc|scaffold|add|put|plac|copy|copies|mkdir|touch|stor|output|emit|renam"
    r"|mov|delet|remov)\w*"
    r"|\b(?:new|missing|deprecated|legacy|former|no longer|planned|future)\b|创建|新建|生成|写入|保存|输出|迁移"
    r"|删除|重命名",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"[❌✗🚫]|\be\.g\.|\bfor example\b|\bsuch as\b|\blike\b|\bexamples? of\b|例如|比如|例：|\b(?:your|user['’]s"
    r"|their|target|host) (?:project|repo|code)"
    r"|\bin (?:the|a|an|each|every) (?:project|repo|repository|codebase|workspace|plugin|package)\b|项目中|仓库中"
    r"|\bif\b[^;。]{0,100}\b(?:exists?|present|available|found)|\bif any\b|\boptional|可选|如果存在|若存在|如有"
    r"|来源|源自|\b(?:source|origin|extracted|derived|ported|adapted) ?(?:file|from|:)|\*\*source",
    re.IGNORECASE,
)
_OTHER_SKILL = re.compile(r"['’]s\s*[`\"']*$|(?<!this )(?<!the )\bskill[`\"')]*\s*[→>:(]?\s*[`\"']*$", re.IGNORECASE)
_OF_OTHER_SKILL = re.compile(
    r"^[`\"')]*\s*(?:in|of|from|\()\s*(?:the\s+)?(?!this\b)[`\"'\w-]+\s+(?:skill|plugin)\b", re.IGNORECASE
)
_ANY_NAME = re.compile(
    r"(?:^|/)(?:(?:some|my|your)[_-]\w+|(?:script|file|skill|phase)[_-]?name|name|file|script|xxx|xyz)\.", re.IGNORECASE
)
_TREE = re.compile(r"[├└│]|\+--|\|--")
_IN_PLACE = re.compile(r"\b(?:in|from|with|by) [`\"']$|(?:按照?|依据|根据|用)\s?[`\"']$", re.IGNORECASE)
_ENTRY = re.compile(r"(?:^\s*(?:[-*+]\s+|\d+[.)]\s+)|\|\s*)\**[`\"']?$")


@once
def missing_references(skill: Skill) -> tuple[Missing, ...]:
    """Give every reference of the instructions, outside of Markdown links, whose target is not there."""
    return (
        *_paths(skill),
        *_scripts(skill),
        *_stages(skill),
        *_sections(skill),
        *sections_of_files(skill),
        *missing_steps(skill),
    )


@lru_cache(maxsize=256)
def _path_regex(folders: frozenset[str]) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in sorted(folders, key=len, reverse=True))
    return re.compile(rf"(?<![\w./~$}}>@*-]){_BASE}((?:{names})/[\w./-]{{0,150}}\.[A-Za-z]\w{{0,7}})(?![\w*/<{{\[-])")


def _paths(skill: Skill) -> Iterator[Missing]:
    own = frozenset(path.split("/")[0] for path in skill.paths if "/" in path)
    regex = _path_regex(own | _CONVENTIONAL)
    made: set[str] = set()
    found: list[Missing] = []
    usual = own <= _USUAL
    for file in skill.instructions:
        for number, line in _FOLDER_WORDS.lines(file) if usual else enumerate(file.doc.lines, 1):
            if "/" not in line or "." not in line or number < file.doc.body_start:
                continue
            text = _LINK.sub(lambda m: " " * len(m[0]), line) if "](" in line else line
            for match in regex.finditer(text[:_LONGEST]):
                target = match[1].rstrip(".")
                if is_placeholder(target) or _ANY_NAME.search(target) or _is_there(skill, target, file.path):
                    continue
                before = _before(file, number, text, match)
                if _last(_MAKES, before) > _last(_TOLD, before):
                    made.add(target)
                elif _is_told(file, number, text, match, own):
                    sure = target.split("/")[0] in own | _SKILLS_ONLY and not _is_comment(file, number)
                    found.append(Missing(Kind.PATH, target, file.path, number, sure))
    return (item for item in found if item.target not in made)


_LONGEST, _NEAR, _WRAPPED = 5000, 300, 60
_OPENS = re.compile(r"\s*(?:[-*+•]\s|\d+[.)、]\s?|#{1,6}\s|\||>)")


def _last(regex: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in regex.finditer(text)), default=-1)


def _is_comment(file: SkillFile, number: int) -> bool:
    return file.doc.fence_at(number) is not None and file.doc.line(number).lstrip().startswith(("#", "//"))


def _is_there(skill: Skill, target: str, source: str) -> bool:
    return skill.resolve(target, source) is not None or any(path.endswith("/" + target) for path in skill.paths)


def _is_told(file: SkillFile, number: int, line: str, match: re.Match[str], own: frozenset[str]) -> bool:
    """Whether the line sends the model to the path, and to a path of this skill."""
    before, after = _before(file, number, line, match), line[match.end() : match.end() + _NEAR]
    if (
        _TREE.search(before)
        or _ELSEWHERE.search(before + " " + after)
        or _OTHER_SKILL.search(before)
        or _OF_OTHER_SKILL.match(after)
    ):
        return False
    if file.doc.is_counterexample(number):
        return False
    first = match[1].split("/")[0]
    if file.doc.fence_at(number):
        return first in own | _SKILLS_ONLY and bool(_TOLD.search(before[-80:]))
    listed = _ENTRY.search(before) or _IN_PLACE.search(before)
    return bool(_TOLD.search(before)) or (bool(listed) and first in own | _SKILLS_ONLY)


def _before(file: SkillFile, number: int, line: str, match: re.Match[str]) -> str:
    """Give what stands before a path: in its line, and in the one before it when both are one wrapped sentence."""
    before = line[max(0, match.start() - _NEAR) : match.start()]
    last = file.doc.prose_at.get(number - 1, "")
    wrapped = number in file.doc.prose_at and last.strip() and not _OPENS.match(line)
    return f"{last[-_WRAPPED:]} {before}" if wrapped else before


_RUN_STEP = re.compile(
    r"(?:\b(?:run|execute|invoke|call)\b|运行|执行)[^.\n]{0,60}?`(?:python3?|bash|sh|node"
    r"|uv run(?: python3?)?)\s+((?:scripts|bin)/[\w./-]+)[^`\n]*`",
    re.IGNORECASE,
)
_SCRIPT_CALL = re.compile(r"(?:python3?|bash|sh|node|run)\s+(?:scripts|bin)/")
_AT_HOME = re.compile(
    r"\{baseDir\}|(?<![\w-])(?:skill|base)(?:['’]s)?[ _-](?:own )?(?:dir|director|folder|root|bundle)"
    r"|relative to (?:this|the) skill|\bcd\b|技能目录|技能所在",
    re.IGNORECASE,
)
_IN_PROJECT = re.compile(
    r"\bgit (?:add|commit|diff|log|status|push|checkout)\b|\brepo(?:sitory)?\b|mkdir -p (?:docs|src)|`(?:docs|src)/",
    re.IGNORECASE,
)


def _scripts(skill: Skill) -> Iterator[Missing]:
    """Steps that run a bundled script by a bare path, in a skill that works in the user's project."""
    if not any(file.role is Role.SCRIPT for file in skill.files):
        return
    found = [item for file in skill.instructions for item in _bare_runs(skill, file)]
    texts = [file.text for file in skill.instructions] if found else []
    if any(map(_IN_PROJECT.search, texts)) and not any(map(_AT_HOME.search, texts)):
        yield from found


def _bare_runs(skill: Skill, file: SkillFile) -> Iterator[Missing]:
    for number, line in lines_with(file, _SCRIPT_CALL) if "scripts/" in file.text or "bin/" in file.text else ():
        match = _RUN_STEP.search(line) if file.doc.fence_at(number) is None else None
        if match and match[1] in skill.paths and not file.doc.is_counterexample(number):
            yield Missing(Kind.SCRIPT, match[1], file.path, number, False)


_STAGE = re.compile(
    r"\b(Phase|Stage)(s?)\s+(\d{1,2})(?:\s*(?:-|–|~|to|through|and|,)\s*(?:Phase\s+)?(\d{1,2})\b)?(?!\d)(\.\d)?"
    r"|(阶段)\s*(\d{1,2})()()()(?!\d)"
)
_STAGE_WORDS = Stems("phase", "stage", "阶段")
_SENDS = re.compile(
    r"\b(?:go|goes|proceed|return|returns|skip|jump|continue|back|move|moves|advance|hand off|see|per|from|in"
    r"|after|before|until|with)"
    r"(?:\s+(?:to|on to|with|at|in|the))*\s+$|(?:进入|返回|跳转到?|执行|回到|见|参见|转到)\s*$",
    re.IGNORECASE,
)
_HEAD = re.compile(r"^[\s#>*|\-+\d.)`\"'\[(✅☐□├└│─]*$")
_FOREIGN = re.compile(r"\bskill\b|\btrial|\bclinical|\bstud(?:y|ies)\b|技能|临床|(?:^|\s)/[a-z]", re.IGNORECASE)


def _stages(skill: Skill) -> Iterator[Missing]:
    known: set[int] = {int(m[0]) for f in numbered_phases(skill) if (m := re.search(r"\d+", f.path.rsplit("/", 1)[-1]))}
    sent: list[tuple[int, Missing]] = []
    for file in skill.instructions:
        for number, line in _STAGE_WORDS.lines(file):
            for match in _STAGE.finditer(line[:_LONGEST]):
                value = int(match[3] or match[7])
                if _names_stage(file, number, line, match):
                    known.update({value, int(match[4] or value)})
                elif not match[5] and not _FOREIGN.search(line[max(0, match.start() - _NEAR) : match.end() + _NEAR]):
                    target = match[0].strip()
                    sent.append((value, Missing(Kind.STAGE, target, file.path, number, True)))
    if len(known) >= 3:
        yield from (missing for value, missing in sent if value not in known)


def _names_stage(file: SkillFile, number: int, line: str, match: re.Match[str]) -> bool:
    """Whether the place makes the phase known: a heading, an entry, `Phase 3:`, a range, anything in a fence."""
    if file.doc.fence_at(number) or match[4] or _HEAD.match(line[: match.start()]):
        return True
    if re.match(r"[\"'*`)\]]*\s*(?:[:：—–(|=]|-\s)", line[match.end() :]):
        return True
    return not _SENDS.search(line[max(0, match.start() - 60) : match.start()])


_SEE = (
    r"see|follow|refer to|go(?:es)? by|per|by|according to|apply|use|consult|check|under|as in|in line with|against"
    r"|(?:described|defined|listed|given|shown|explained|settled|laid down|set out) (?:in|under)"
)
_SECTION = re.compile(
    rf"\b(?:{_SEE})\s+(?:the\s+)?[\"“*`]{{1,3}}(?P<before>[^\"”*`|\n]{{3,60}})[\"”*`]{{1,3}}\s+(?:section|chapter|below|above)\b(?!\s+(?:of|in)\b)"
    rf"|\b(?:{_SEE})\s+(?:[\w-]+\s+){{0,4}}?(?:section|chapter)\s+(?:called |named |titled |on |headed )?"
    r"[\"“](?P<after>[^\"”*`|\n]{3,60})[\"”](?!\s+(?:of|in)\b)"
    r"|\b(?:section|chapter)\s+[\"“](?P<placed>[^\"”*`|\n]{3,60})[\"”]\s+(?:below|above)\b"
    r"|(?:见|参见|参考|遵循|按照?|根据|依据|依照|对照)\s*(?:下文|上文|本文)?的?\s*[「“\"*`]{1,3}(?P<han>[^」”\"*`|\n]{2,40})[」”\"*`]{1,3}"
    r"\s*(?:一节|章节|小节|节|一章|部分|一段)",
    re.IGNORECASE,
)
_MAKES_SECTION = re.compile(
    r"\b(?:add|write|create|include|insert|append|generate|fill|put|produce|end with)\b[^.;]{0,60}$|(?:添加|新增"
    r"|写入|生成|插入)[^，。]{0,20}$",
    re.IGNORECASE,
)
_SECTION_WORDS = Stems("section", "chapter", "below", "above", "节", "章", "部分", "一段")


def _sections(skill: Skill) -> Iterator[Missing]:
    titles: list[str] | None = None
    for file in skill.instructions:
        for number, line in _SECTION_WORDS.prose(file):
            line = line[:_LONGEST]
            for match in _SECTION.finditer(line):
                titles = _titles(skill) if titles is None else titles
                target = match["before"] or match["after"] or match["placed"] or match["han"]
                if _MAKES_SECTION.search(line[: match.start()]):
                    continue
                if not _ELSEWHERE.search(line) and not _FOREIGN.search(line) and not _known_title(target, titles):
                    yield Missing(Kind.SECTION, target, file.path, number, False)


def _titles(skill: Skill) -> list[str]:
    """Give the titles of all files, and the bold labels that lines begin with."""
    found: list[str] = []
    for file in skill.files:
        if file.is_markdown:
            found += [plain(section.title) for section in file.doc.sections if section.level]
            found += [
                plain(line[:80])
                for _, line in file.doc.prose
                if line.lstrip(" -*0123456789.|")[:1] and "**" in line[:12]
            ]
    return [title for title in found if title]


def _known_title(target: str, titles: list[str]) -> bool:
    wanted = plain(target)
    return not wanted or any(wanted in title or (len(title) > 4 and title in wanted) for title in titles)
