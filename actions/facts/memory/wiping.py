"""Progress that a skill keeps and throws away at its next start, in prose and in code."""

import re
from collections.abc import Iterator

from actions.facts.memory.admitting import Said
from actions.facts.own import is_own
from actions.skill.code import CodeFence, code_fences
from actions.skill.skill import Skill, SkillFile
from actions.skill.statements import statements
from actions.skill.stems import Stems

_WIPE_WORDS = Stems(
    *"empty empti delet clear reset remov wipe wiping overwrit fresh truncat discard throw 清空 删 清掉 重置".split(),
    *"新建 覆盖 清零".split(),
)
_START_WORDS = Stems(
    *"start begin open call launch first invo run again time 开始 启动 开头 开工 开场 每次 一上来".split()
)
_WIPES = re.compile(
    r"\b(?:empt(?:y|ies)|delet\w+|clears?|resets?|remov\w+|wip(?:e|es|ing)|overwrit\w+|truncat\w+|discards?"
    r"|throws? away"
    r"|(?:fresh|new|empty))\b|清空|删|清掉|重置|新建|覆盖|清零",
    re.IGNORECASE,
)
_AT_START = re.compile(
    r"\b(?:when|whenever|each time|every time|as soon as) (?:the |this )?(?:skill|run|work|user|it"
    r"|you)\b[^.,;]{0,24}\b(?:start|begin|call|open|invok|launch|run)\w*"
    r"|\b(?:on|at|with) (?:each |every |the |its )?(?:start|beginning|launch|call|run|opening)\b|\b(?:to begin"
    r"|first of all|before anything else)\b"
    r"|每次(?:开始|启动|运行|调用|都)|(?:一|刚)?(?:开始|启动|开工|开场)(?:时|后|就|先|的时候)|开头(?:先)?|一上来"
    r"|[先首]先?清空",
    re.IGNORECASE,
)
_FILE = re.compile(r"`(?P<path>[\w${}./-]{1,120}\.(?:json|jsonl|csv|tsv|md|ya?ml|txt|log))`")
_PROGRESS = re.compile(
    r"\b(?:after|for|with) (?:each|every)\b|\bdone\b|\bfinished\b|\bprogress\b|\btick\w*|\bcheckpoint|\bso far\b"
    r"|每(?:做|处理|完成|一|批|步|个|份|张|章|页|盘|轮)|做完|完成|进度|打勾",
    re.IGNORECASE,
)
_WISHED = re.compile(
    r"\b(?:if|unless|only when|asks?|wants?|corrupt\w*|damaged|invalid|stale|older|last (?:year|month|week)"
    r"|temporary|backup)\b"
    r"|如果|若|除非|用户要|损坏|过期|临时|备份",
    re.IGNORECASE,
)
_SAVES = re.compile(r"\b(?:save|write|dump|store|persist)\w*\((?P<args>[^\n]{0,200})", re.IGNORECASE)
_NEW = re.compile(
    r"^\s*(?:(?:const|let|var)\s+)?(?P<name>[a-z]\w*)\s*=\s*(?:\{|dict\(|(?:new|fresh|init|initial|empty|create"
    r"|make|blank)_?\w*\(|default_?\w*\()",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"^\s*(?:if|else|elif|except|catch|case|\}?\s*else)\b|\?|\bif\b|\|\|")
_LOOPS = re.compile(r"^[ \t]*(?:for|while|do|loop)\b|\bloop\(|\bmain_?loop", re.MULTILINE)
_QUOTED = re.compile(r"[\"'`](?P<path>[\w${}./-]{1,120}\.(?:json|ya?ml))[\"'`]")
_READS = re.compile(
    r"\b(?:load|read|parse|exist|open|isfile|is_file|restore|resume|continue|go on|look|pick)\w*|读|查看|接着"
    r"|恢复|继续",
    re.I,
)
_NEAR = 3


def wiped(skill: Skill) -> Said | None:
    """Give the place where each start throws away what the run before it kept."""
    return next(
        (said for file in skill.instructions for said in (*_in_prose(skill, file), *_in_code(skill, file))), None
    )


def _in_prose(skill: Skill, file: SkillFile) -> Iterator[Said]:
    for said in statements(file, _WIPE_WORDS, _START_WORDS):
        found = _FILE.search(said.text) if _AT_START.search(said.text) and _WIPES.search(said.text) else None
        if found is None or _WISHED.search(_without_if_there(said.text)) or file.doc.is_counterexample(said.line):
            continue
        if any(_keeps_progress(kept, found["path"], said.line if kept is file else 0) for kept in skill.instructions):
            yield Said(file, said.line, said.text)


def _without_if_there(text: str) -> str:
    return re.sub(r"\bif (?:there is one|it (?:is there|exists)|any)\b|如果有|若有|有的话", " ", text)


def _keeps_progress(file: SkillFile, path: str, but: int) -> bool:
    """Tell whether a line says that a file is written as the work goes on."""
    lines = (line for number, line in file.doc.prose if number != but and path in line)
    return any(_PROGRESS.search(line) for line in lines)


def _in_code(skill: Skill, file: SkillFile) -> Iterator[Said]:
    for fence in filter(is_own, code_fences(file, "ave(", "rite(", "dump(", "tate(", "ersist(")):
        lines = fence.text.split("\n")
        for at, line in enumerate(lines):
            match = _NEW.match(line) if not _CONDITION.search(line) else None
            if match is None or file.doc.is_counterexample(fence.start + at):
                continue
            path = _written(skill, fence, lines, at, match["name"])
            if path and _LOOPS.search("\n".join(lines[at:])) and not _is_read(skill, path):
                yield Said(file, fence.start + at, line.strip())


def _written(skill: Skill, fence: CodeFence, lines: list[str], at: int, name: str) -> str:
    """Give the file to which a new state is written at once, whatever is in it."""
    word = re.compile(rf"\b{name}\b")
    for line in lines[at + 1 : at + 1 + _NEAR]:
        saved = _SAVES.search(line)
        if _CONDITION.search(line) or (saved is None and _LOOPS.match(line)):
            return ""
        if saved and word.search(saved["args"]):
            quoted = _QUOTED.search(saved["args"])
            constant = re.search(r"\b[A-Z][A-Z_]{2,}\b", saved["args"])
            if quoted:
                return quoted["path"]
            named = re.search(rf"\b{constant[0]}\s*=\s*{_QUOTED.pattern}", fence.text) if constant else None
            return named["path"] if named else ""
    return ""


def _is_read(skill: Skill, path: str) -> bool:
    """Tell whether any line reads a state file, by its path, its name, or the constant that holds it."""
    name = path.rsplit("/", 1)[-1]
    for file in skill.instructions:
        if name not in file.text:
            continue
        constants = re.findall(rf"\b([A-Z][A-Z_]{{2,}})\s*=\s*[\"'`]{re.escape(path)}", file.text)
        for line in file.doc.lines:
            if (name in line or any(constant in line for constant in constants)) and _READS.search(
                line.replace(path, " ")
            ):
                return True
    return False
