"""A stub is left in the instructions or in a script.

What it sees: a note that work is still to be done where the work should stand: `TODO: …`, `TBD`, "to be implemented",
待实现, a step of pseudo-code or of a script that only raises "not implemented".
Why it is bad: The model follows the note as if it were the step: it skips the work, or makes it up. A script stops.
Instead: Write the step, or take it out until it is written.
May be wrong: The word is a name (a TODO list, a scan for TODO comments) or a field for the user to fill in.
"""

import re
from collections.abc import Iterator

from actions.facts.hollow import hollow_functions
from actions.facts.own import is_own, is_workflow, teaches
from actions.facts.postponed import postponements
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role, SkillFile
from actions.skill.code import CodeFence, code_fences
from actions.skill.stems import Gated, Stems
from actions.skill.text import strip_list_mark
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="APV-007",
    family=Family.AUTHORING,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
)
BAD = (
    "# Import\n\n1. Read the table.\n2. TODO: say how rows with a missing key are treated.\n3. Write the report.\n",
    "# 导入\n\n## 校验\n\n待实现。\n\n## 汇总\n\n列出全部记录。\n",
    "# Roll back\n\n| Step | How |\n|---|---|\n| Stop traffic | `drain` |\n| Restore the copy | TBD |\n\nTell the user.\n",
    """# Review

## Phase 1
```javascript
const files = Glob('src/**')
function rank(files) {
  // TODO: weigh by size and age
  throw new Error('not implemented')
}
```
""",
    {
        "SKILL.md": "# Count\n\nRun `scripts/count.py`.\n",
        "scripts/count.py": "def count(path):\n    raise NotImplementedError\n",
    },
    "# Publish\n\nThe upload to the mirror is not implemented yet; we will add it in a later version.\n",
    "# Merge\n\nTwo rows of one day become one (adding up the hours: not implemented yet, skip it for now).\n",
    "# 合并\n\n同一天的两行合并为一行（累加工时尚未实现，先跳过）。\n",
    "# Weigh\n\n## Step 2\n\n(to be written)\n\n## Step 3\n\nWeigh the letter.\n",
    "# Survey\n\nThe axes are drawn bare so far: TODO label the axes when the units are settled.\n",
    "# 导出\n\n导出为表格。分页功能尚未实现，后续再加。\n",
    "# 水费\n\n1. 录入读数。\n2. 滞纳金：此处先空着，回头再写。\n3. 显示账单。\n",
    "# Actions\n\nRanking the actions by effort: to be filled in once we have the estimator, skip for now.\n",
    "# Map\n\n```python\ndef distortion(box):\n    ...  # FIXME: the real computation is missing\n\nshow(distortion(ask('Box?')))\n```\n",
    "# Merge\n\n## Step 3\n\nThis step is still open.\n",
    {"SKILL.md": "# 发布\n\n运行脚本。\n", "scripts/push.sh": "#!/bin/sh\n# FIXME: 处理重试，稍后实现\nexit 1\n"},
    "# 附表\n\n附表的做法暂缺，等模板定下来再补。\n",
    "# Fees\n\n## Late fees\n\nStill to be worked out; leave this part blank for now.\n",
    "# Cases\n\n| Case | What to do |\n|---|---|\n| late | call |\n| lost | to be defined |\n",
    "# 优惠\n\n2. 优惠券：规则待定，以后补充。\n3. 显示。\n",
    "# X\n\n```python\ndef fee(order):\n    return 0  # stub, the real fee comes later\n```\n",
    "# X\n\n```javascript\nfunction rank(list) {\n  // to do: sort by age\n  return list;\n}\n```\n",
    "# X\n\n```python\ndef seen(card):\n    # for the time being nothing counts as seen\n    return False\n```\n",
    "# X\n\n```js\nfunction fee(order) {\n  throw new Error('no fee so far, the treasurer will tell')\n}\n```\n",
    "# X\n\n```python\ndef level(row):\n    raise RuntimeError('尚未写，等规则定下来')\n```\n",
    "# X\n\n```js\nconst isSpam = (mail) => false // nobody is spam until we have the filter\n```\n",
    "# X\n\n```python\ndef price(item):\n    # 以后再接价格表，先一律算零\n    return 0\n```\n",
    "# K\n\n1. Show the page.\n2. (to be continued)\n",
)
GOOD = (
    "# Debt\n\nSearch for `TODO` and FIXME comments, count the TODOs, and keep the TODO list short. Leave no TODO: behind.\n",
    "# Notes\n\nFill in the form:\n\n```markdown\n## Summary\nTODO: one sentence\nOwner: TBD\n```\n",
    "# Teach\n\n```python\nfrom abc import ABC\n\nclass Shape(ABC):\n    def area(self):\n        raise NotImplementedError\n```\n",
    {
        "SKILL.md": "# New skill\n\nRun `scripts/init.py`.\n",
        "scripts/init.py": 'BODY = """\n# TODO: describe the skill\n"""\nprint(BODY)\n',
    },
    "# Plan\n\nUse TodoWrite for the steps. Never write stubs: a function that is not implemented fails the review.\n",
    "# Diary\n\nKeep two lists: TODO items of today, and notes.\n",
    "# Form\n\nList the questions that are still open and say which will be answered later. The table is to be filled in by the user.\n",
    "# 列\n\n校验规则见下表，以后新增列时再补充。\n",
    "# 检查\n\n若接口尚未实现，则提示用户。查找待实现的函数与占位代码，逐条列出。\n",
    {
        "SKILL.md": "# Base\n\nRun `scripts/run.py`.\n",
        "scripts/run.py": "class Source:\n    def rows(self):\n        raise NotImplementedError('subclasses give the rows')\n\nclass File(Source):\n    def rows(self):\n        return []\n",
    },
    "# Form\n\nIf the user has not decided the date yet, leave it blank for now and ask later.\n",
    "# Auctions\n\nThe table lists auctions that are announced but not yet settled.\n",
    "# 表单\n\n若用户尚未确定日期，先留空，稍后再问。\n",
    "# Pots\n\nGo on with the last step. Start from step 1 only when the folder is missing or the table is empty.\n",
    "# X\n\n```python\ndef pick(rows):\n    return rows[0]  # later rows are older\n```\n",
    "# X\n\n```js\nfunction fee(order) {\n  if (!order.id) throw new Error('the order has no id so far')\n  return order.sum * 0.1\n}\n```\n",
    "# X\n\n```python\ndef last(rows):\n    # later rows are older\n    return None\n```\n",
    "# X\n\n```python\ndef done():\n    raise RuntimeError('not done: the tests are red')\n```\n",
    "# X\n\n```python\ndef is_open(shop):\n    # shops without hours count as closed\n    return False\n```\n",
)
_WORDS = Stems(
    *"todo fixme tbd tbc xxx wip implement soon written done decided added filled defined determined specified".split(),
    *"goes comes go yet unimplemented described later missing open unfinished blank empty placeholder progress stub insert do".split(),
    *"待实现 待补充 待完善 未实现 稍后实现 空着 留空 空缺 暂缺 以后 回头 后续 稍后 日后 将来 待定 待补 待写 再补 再写 再填".split(),
)
_PROSE = Gated(
    r"^\s*(?:[-*+>]\s+|\d+[.)]\s+|#{1,6}\s+)?(?:\[[ xX]\]\s*)?(?:<!--\s*)?[*_(\[]{0,3}(?:TODO"
    r"|FIXME)[*_)\]]{0,3}\s*(?:\([^)]{0,30}\))?\s*(?:[:：-]|$)"
    r"|(?:^|[|:：]\s*|^\s*(?:[-*+]|\d+[.)])\s+)\**(?:TBD|TODO)\**\s*(?:[|.]|$)|\((?:TBD|TODO)\)\s*$"
    r"|^\W*(?:\d+[.)]\s*)?(?:待实现|待补充|待完善|尚未实现|稍后实现)\W*$|[:：（(|]\s*(?:待实现|待补充|待完善"
    r"|尚未实现)\s*[）)|。]?\s*$"
    r"|\b(?:is|are) (?:not (?:yet )?implemented(?: yet)?\b(?=[;,.]? (?:we|it will|but will|this will|coming"
    r"|for now)|[.;,]?$)|to be implemented\b)"
    r"|(?:^|[.:;]\s+|\s[—–]\s+|^\s*(?:[-*+]|\d+[.)])\s+)TODO\s+(?!list|item|comment|file|marker|tool|app|is|are"
    r"|and|or|in\b)[a-z]{3,}"
    r"|\bnot (?:yet )?implemented(?: yet)?[,;:]?\s+(?:(?:so|please|just)\s+){0,2}(?:skip|ignore|leave (?:it|this)"
    r"|do nothing)\b"
    r"|[尚暂还]未实现[，,；;]?(?:请|先|暂时|可){0,2}(?:跳过|忽略)"
    r"|[尚暂还]未实现[，,；;]?[^。，,]{0,6}(?:以后|今后|后续|稍后|之后|将来|下(?:一)?(?:版|期))"
    r"|[尚暂还]未实现[。.]?\s*$"
    r"|\b(?:we(?:['’]ll| will)|will) implement (?:this |it )?later\b|^\W*(?:coming soon|to be (?:written|done"
    r"|decided|added|filled in))\W*$|^\W*(?:to be )?implement(?:ed)? later\W*$",
    0,
    "todo fixme tbd soon written done decided added filled implemented later 实现 补充 完善",
)
_LATER = re.compile(
    r"\b(?:to be|will be|is to be|are to be|gets?) (?:written|filled in|done|defined|decided|added|specified"
    r"|described|implemented)\b"
    r"[^.;]{0,40}?\b(?:later|once|when|as soon as|in (?:a|the) (?:later|future|next))\b"
    r"|\b(?:this|the) (?:step|section|phase|part|rule)s?\b[^.;]{0,40}\b(?:is|are) (?:still )?(?:open|missing"
    r"|unfinished|not (?:yet )?(?:written|defined|done))\b"
    r"|\b(?:left|leave (?:it|this)) (?:blank|open|empty) (?:for now|for the moment|until)\b"
    r"|\b(?:will be (?:implemented|written|added) in (?:a|the) (?:future|later|next))\b|\(?\bcoming later\b"
    r"|^\W*(?:not written yet|placeholder(?=\W*$|\s*[:–—-])|WIP|work in progress|to be (?:defined|determined"
    r"|decided)|tbc|to do"
    r"|XXX)\b(?!s)(?=\W|$)(?! (?:in|for|of|is|are|text|comments?|commits?)\b)"
    r"|\bto do\s*$|^\s*\[\s*(?:insert|add|describe|fill in)\b[^\]]{3,60}\b(?:here|rules?|details?"
    r"|steps?)\b[^\]]*\]\s*$"
    r"|(?:先|暂时?|尚)(?:空着|留空|空缺|不写|没写|缺着)|暂缺|(?:以后|回头|后续|稍后|日后|之后|将来|改天)(?:再"
    r"|另行?)?(?:补|写|加|完善|填|定)(?:上|充|写|全|齐|吧)?(?=[。；，！）)]|$)"
    r"|待(?:定|补|写|续|填)(?=[。；，）)]|$)|(?:等|待)[^。；，]{2,16}(?:后|之后|下来|出来|好了)?再(?:补|写|填|完善)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"^\s*(?:pass|\.\.\.|:|return\b[^#/]{0,20}?);?\s*(?://|#)\s*(?:[^\n]{0,40}\b(?:stub|placeholder|comes? later|still missing)\b"
    r"|later\W*$|not (?:written|done|there) yet|fixme\b|todo\b)"
    r"|^\s*(?://|#)\s*to do\b\s*[:：]|[^\n]{0,80}\bthrow new Error\([\"'`]unimplemented|"
    r"^\s*(?:pass|\.\.\.|return(?: \w+)?;?)\s*(?://|#)\s*(?:\w+ ){0,2}?(?:TODO|FIXME|XXX|stub"
    r"|not (?:yet )?(?:implemented|written)|(?:to be )?implement\w*|placeholder)\b"
    r"|^\s*(?://|#)\s*(?:implementation|code|logic|real \w+) (?:goes|comes|to go|still missing)\b"
    r"|^\s*(?://|#)\s*(?:TODO|FIXME)\b(?!/)|^\s*raise NotImplementedError\b|^\s*throw new (?:Not\w{0,20}Implement"
    r"|Error\([\"'`](?:not |to be )(?:yet )?implement)"
    r"|^\s*(?://|#|pass\s*#)\s*(?:\.\.\.\s*)?(?:implement(?:ed)? later|to be implemented|not (?:yet )?implemented"
    r"|待实现|稍后实现)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:(?:no|any|never|without|leave|avoid)|(?:find|search|scan|detect|remov|count|grep|check|flag"
    r"|look)\w*)\b.{0,60}(?:TODO|FIXME|TBD|implement)"
    r"|不要|查找|检测|扫描(?![件仪])|禁止|不得|TODO[s ]?(?:list|comment|item|file|marker|tool)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\btodos?\b|\bstubs?\b|technical debt|tech[- ]debt|placeholder|unfinished|待办|技术债|占位", re.IGNORECASE
)
_TRIPLE = re.compile(r'"""|\'\'\'')


def look(case: Case) -> Iterator[Evidence]:
    """Give each stub in prose, in the skill's own pseudo-code and in its scripts."""
    skill = case.skill
    if _SUBJECT.search(skill.frontmatter.text("description")):
        return
    workflow = is_workflow(skill) or not teaches(skill)
    for file in skill.instructions:
        yield from _in_instructions(file, workflow)
    for file in skill.files:
        if file.role is Role.SCRIPT and _WORDS.within(file):
            yield from _in_script(file)


def _in_instructions(file: SkillFile, workflow: bool) -> Iterator[Evidence]:
    """Stubs in prose and comments; in fences only of a workflow, and one for each run of neighbouring lines."""
    own = [f for f in code_fences(file) if f.lang not in _TEXTS and "class " not in f.text] if workflow else []
    seen: set[int] = set()
    for item in _told(file, own):
        seen.add(item.line)
        yield item
    if workflow:
        hollow = [
            number for number in hollow_functions(file) if number not in seen and not file.doc.is_counterexample(number)
        ]
        seen.update(hollow)
        yield from (Evidence(file.path, number, _MESSAGE) for number in hollow)
    promised = (number for number in postponements(file) if number not in seen)
    yield from (Evidence(file.path, number, _MESSAGE, severity=Severity.LOW) for number in promised)


def _told(file: SkillFile, own: list[CodeFence]) -> Iterator[Evidence]:
    last = -9
    for number, line in _WORDS.lines(file):
        if number < file.doc.body_start or file.doc.is_counterexample(number):
            continue
        if file.doc.fence_at(number):
            if number > last + 2 and _CODE.match(line) and any(f.start <= number <= f.end and is_own(f) for f in own):
                last = number
                yield Evidence(file.path, number, _MESSAGE)
        elif _PROSE.search(line) and not _ABOUT.search(line):
            yield Evidence(file.path, number, _MESSAGE, severity=Severity.LOW if "<!--" in line else None)
        elif _LATER.search(strip_list_mark(line)) and not _ABOUT.search(line) and not _CONDITION.search(line):
            yield Evidence(file.path, number, _MESSAGE, severity=Severity.LOW)


def _in_script(file: SkillFile) -> Iterator[Evidence]:
    """Stubs of a script; not in texts that it writes, and not in classes, whose children may do the work."""
    quoted, in_class, last = False, False, -9
    for number, line in enumerate(file.doc.lines, 1):
        quoted ^= len(_TRIPLE.findall(line)) % 2 == 1
        if line[:1].strip():
            in_class = line.startswith(("class ", "abstract class ", "export abstract "))
        note = line.lstrip().startswith(("#", "//"))
        if not quoted and number > last + 2 and _CODE.match(line) and (note or not in_class):
            last = number
            yield Evidence(file.path, number, _MESSAGE, severity=Severity.LOW if note else None)


_CONDITION = re.compile(
    r"\b(?:if|any|each|every|whether|list|report|name|mark|the user|users?|which|where)\b|如果|若|凡|用户|列出"
    r"|标记|新增|时",
    re.IGNORECASE,
)
_TEXTS = frozenset({"markdown", "md", "text", "txt", "html", "json", "yaml", "yml"})
_MESSAGE = "This is a stub: the step is still to be written."
