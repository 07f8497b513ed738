"""Read everything, without a bound.

What it sees: A sentence or a call that reads a whole project: all files of the repository, the entire codebase, `cat` or
`Read` over `**/*`, without saying which of them matter.

Why it is bad: The size of a project is not known when the skill is written. In a large one the reading fills the context
before the work begins, and the first compaction throws most of it away.

Instead: List or search first (Glob, Grep), then read the files that the task needs, up to a number.

May be wrong: When the skill is only used in small folders.
"""

import re
from collections.abc import Iterator

from actions.facts.context.reading import boundless
from actions.facts.own import is_workflow
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Document, SkillFile
from actions.skill.rules import force_of
from actions.skill.stems import Stems
from actions.skill.text import sentences, strip_list_mark
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="CTX-007",
    family=Family.CONTEXT,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("custom",),
)

BAD = (
    "# Heir\n\nWork through the complete run of `ledgers/`, each volume from cover to cover; the heir may stand anywhere.\n",
    "# Heir\n\nRead whatever the client has sent, and the entire correspondence archive, before you begin.\n",
    "# 查族谱\n\n先把 `zupu/` 里的每一卷从头读到尾，再回答。\n",
    "# Onboard\n\n1. Read all files in the repository.\n2. Write the summary.\n",
    "# Onboard\n\nBefore you start, read the entire codebase so that nothing is missed.\n",
    "# Onboard\n\n```javascript\nconst files = Glob('**/*')\nfiles.forEach(f => Read(f))\n```\n",
    "# Claims\n\nOpen the entire claim folder and read every file in it from start to end.\n",
    "# Handover\n\nBefore you begin, read all files of the affected projects.\n",
    "# 入门\n\n先通读整个代码仓库的全部内容，再开始工作。\n",
    "# 入门\n\n开始之前把仓库里的全部代码都看一遍。\n",
    "# 入门\n\n首先读取项目中的所有文件，然后撰写总结。\n",
    "# Map\n\nGo through every document on the shared drive before you answer.\n",
    "# Map\n\nA sub-agent helps.\n\n```python\nfor path in Path('.').rglob('*'):\n    text += path.read_text()\n```\n",
    "# 地图\n\n逐个阅读 `notes/` 目录下的所有文档，不论大小。\n",
    "# Recipes\n\nBegin by opening every card in the box `cards/`, one after the other, until you have read them all.\n",
    "# 族谱\n\n先把 `scans/` 里的每一页都看完，做到心里有数。\n",
    "# Deps\n\nOpen each and every module under the checkout so that you know them by heart.\n",
    "# 找词\n\n将 `dict/` 下的词条文件逐一读遍，再回答。\n",
    "# Choir\n\n1. Glob `scores/` and look at every score there, page for page.\n",
    "# 译名\n\n动手前先把资料库里的全部译稿读一遍，一份都不能漏。\n",
    "# Names\n\nRead all the letters in the archive that you can find, every one completely, before you begin.\n",
)
GOOD = (
    "# Heir\n\nRead all the tests in `tests/` before you change one. Read the ledger that the user names from cover to cover.\n",
    "# Onboard\n\nRead all files in the repository that the diff touches, at most twenty.\n",
    "# Onboard\n\nDo not read the entire codebase. Search first, then read what matches.\n",
    "# Onboard\n\n```javascript\nconst files = Glob('**/*.md').slice(0, 20)\nfiles.forEach(f => Read(f))\n```\n",
    "# Claims\n\nList the entire claim folder, then read every file that names the claimant in full.\n",
    "# 入门\n\n把项目里的所有文件名列出来，只读取需要的。\n",
    "# 入门\n\n先用 Grep 搜索，只读取与任务相关的文件。\n",
    "# Map\n\nGo through the titles of the documents on the shared drive and read the three that fit.\n",
    "# Map\n\nRead the whole file before you edit it.\n",
    "# Recipes\n\nOpen the cards that the user names, at most five of `cards/`.\n",
    "# 族谱\n\n先用 Grep 在 `scans/` 里搜姓名，只看命中的页。\n",
    "# 找词\n\n列出 `dict/` 下所有文件名，再挑一个看完。\n",
    {
        "SKILL.md": "# Kit\n\nBefore the first step read [a](references/a.md).\n\n- [b](references/b.md) (for a fire)\n",
        "references/a.md": "# A\n\nx\n",
        "references/b.md": "# B\n\nx\n",
    },
    "# 译名\n\n只读资料库里与本章相关的译稿，一份都不能漏。\n",
    "# Names\n\nRead all the letters in the archive that name the ship, completely.\n",
)
_PLACE = r"(?:repositor(?:y|ies)|(?:repo|project|code ?base|workspace|monorepo|source tree)s?)"
_ENGLISH = re.compile(
    rf"\b(?:read|load|open|ingest|go)\s+(?:through\s+|in\s+)?(?:(?:the\s+)?(?:entire|whole|full|complete)\s+{_PLACE}\b"
    rf"|(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:source\s+|code\s+|project\s+)?files?\s+(?:in|of|under|from|across)\s+"
    rf"(?:the\s+|this\s+|your\s+)?(?:\w+\s+)?{_PLACE}\b)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\bread(?:ing)?\s+(?:all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?files?\b[^.;]{0,60}?\b(?:completely|entirely|fully|in full|in (?:its|their) entirety"
    r"|from (?:start|top|beginning|first) to (?:end|bottom|finish|last))\b",
    re.IGNORECASE,
)
_FOLDER = re.compile(
    r"\b(?:whole|entire|full|all)\b[^.;]{0,30}\b(?:folder|director(?:y|ies)|tree|archive|dump|export)s?\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?:读取|阅读|加载|通读)(?:整个|全部|所有)?(?:项目|仓库|代码库|工程)(?:中|里|下)?的?(?:所有|全部)(?:源码|代码)?(?:文件|源码|代码)"
    r"|(?:读取|阅读|加载|通读)整个(?:项目|代码仓库|仓库|代码库|工程)"
    r"|(?:把|将)(?:整个)?(?:项目|仓库|代码库|工程)(?:中|里|下)?面?的?(?:所有|全部)(?:源码|代码)?(?:文件|源码|代码)"
    r"[^，。；]{0,8}?(?:读|看|加载|浏览)"
)
_BOUND = re.compile(
    r"\b(?:at most|up to|no more than|first \d|limit|relevant|related|changed|modified|touch\w*|match\w*|need\w*|listed|that|which|only"
    r"|sample|if (?:it|the)|small|metadata|grep|search)\b|最多|相关|匹配|变更|修改|需要|仅|只",
    re.IGNORECASE,
)
_READING = Stems(*"read load open ingest go 读 看 加载 浏览".split())
_PLACES = Stems(*"repo project code workspace tree folder director archive dump export 项目 仓库 工程 代码库".split())
_EVERY_PATH = re.compile(
    r"\bglob\(\s*[`\"'](?:[\w./-]{0,40}/)?\*\*/\*[`\"'](?:\s*,[^()]{0,40})?\)(?!\s*\??\.(?:slice|filter)|\s*\)?\[)"
    r"|\brglob\(\s*[`\"']\*[`\"']\)(?!\s*\)?\[)|\bos\.walk\(",
    re.IGNORECASE,
)
_READS = re.compile(r"\bRead\(|\bread_file\(|\.read_text\(|\bopen\([^()\n]{0,80}\)\.read\(|\breadFile(?:Sync)?\(")
_CAT = re.compile(
    r"\bcat\s+(?:\./)?\*\*/\*(?:\s|$)|\bxargs\s+(?:-\S+\s+)*cat\b(?![^\n]*\bhead\b)|\bcat\s+\$\((?:git ls-files|find\b)(?![^\n]*\bhead\b)"
    r"|\bfor\s+\w+\s+in\s+\$\((?:find\b|git ls-files)[^)\n]*\)\s*;?\s*do\s+cat\b(?![^\n]*\bhead\b)"
    r"|\bfind\s+\.?(?:\s+-type f)?\s+-exec\s+cat\b(?![^\n]*\bhead\b)"
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each sentence, call or command that reads without a bound."""
    workflow = is_workflow(case.skill)
    for file in case.skill.instructions:
        free = ((f.line, f"“{f.text}” has no bound: what is there may be of any size.") for f in boundless(file))
        found = {**dict(free), **dict(_said(file)), **dict(_called(file.doc) if workflow else ())}
        for number, told in sorted(found.items()):
            if not file.doc.is_counterexample(number):
                yield Evidence(file.path, number, told)


def _said(file: SkillFile) -> Iterator[tuple[int, str]]:
    for number, line in _PLACES.prose(file, _READING):
        if len(line) > 2000:
            continue
        for sentence in sentences(strip_list_mark(line)):
            match = _ENGLISH.search(sentence) or _CHINESE.search(sentence) or _whole_folder(sentence)
            if match and not _BOUND.search(sentence.replace("so that", "")) and force_of(sentence) != "never":
                yield number, f"“{match[0]}” has no bound: what is there may be of any size."


def _whole_folder(sentence: str) -> re.Match[str] | None:
    """Find the order to read each file in full, where the sentence speaks of a whole folder."""
    return _WHOLE.search(sentence) if _FOLDER.search(sentence) else None


def _called(doc: Document) -> Iterator[tuple[int, str]]:
    for fence in doc.fences:
        code = doc.code(fence)
        reads = any(_READS.search(line) for _, line in code if "ead" in line)
        for number, line in code:
            if (reads and ("*" in line or "walk" in line) and _EVERY_PATH.search(line)) or (
                "cat" in line and _CAT.search(line)
            ):
                yield number, "All files are read, whatever their number."
