"""Takes a hard-coded mapping out of the pseudo-code and lets the code read, or name, the place that holds it whole."""

import posixpath

from actions.example import Example
from actions.facts.docs.mappings import HardCoded, hard_coded
from actions.skill import Case, Skill
from actions.skill.text import tokens_of
from actions.strategies.edits import Edit, edit, indent_of
from actions.strategies.strategy import Draft, Strategy
from schemas.issues import Issue
from schemas.vocabulary import Risk

STRATEGY = Strategy("centralize_mapping_config", ("DOC-RED-002",), Risk.LOW)


def propose(issue: Issue, case: Case) -> Draft | None:
    """Replace the literal by one line; None where it holds more than its source."""
    place = (issue.location.file, issue.location.line_start)
    pair = next((p for p in hard_coded(case.skill) if (p.literal.file, p.literal.start) == place), None)
    if pair is None or not pair.whole:
        return None
    file = case.skill.by_path[pair.literal.file]
    old = [file.doc.line(n) for n in range(pair.literal.start, pair.literal.end + 1)]
    new = indent_of(old[0]) + _line(case.skill, pair, old[0])
    return Draft(
        writes={file.path: edit(file, [Edit(pair.literal.start, pair.literal.end, [new])])},
        description=f"Take `{pair.literal.name}` from {pair.source.file} instead of a literal in {file.path}.",
        rationale="The same mapping stood in two places, and each could be changed without the other.",
        impact="A change of the mapping is made in one place.",
        token_limit=2 + tokens_of(len(new)) - tokens_of(sum(map(len, old))),
        drops=tuple(old),
    )


def _line(skill: Skill, pair: HardCoded, opening: str) -> str:
    """Give the line that stands for the literal: a read of the data file, or a comment that names the table."""
    name, source = pair.literal.name, pair.source
    python = skill.by_path[pair.literal.file].doc.fence_at(pair.literal.start)
    is_python = python is not None and python.lang in ("py", "python")
    if source.kind == "data":
        read = f'json.loads(Read("{source.file}"))' if is_python else f'JSON.parse(Read("{source.file}"))'
        return opening.strip().partition("=")[0] + "= " + read
    where = f'"{source.name or posixpath.basename(source.file)}"'
    where += "" if source.file == pair.literal.file else f" in {source.file}"
    told = f"{name}: 见表 {where}" if skill.is_chinese else f"{name}: the table {where}"
    return f"{'#' if is_python else '//'} {told}"


_TABLE = (
    "| Topic | Words |\n|---|---|\n| speed | fast, slow, latency |\n| safety | login, token, secret |\n"
    "| shape | module, layer, cycle |\n| money | price, cost, budget |\n"
)
_LITERAL = (
    "const TOPICS = {\n  speed: ['fast', 'slow', 'latency'],\n  safety: ['login', 'token', 'secret'],\n"
    "  shape: ['module', 'layer', 'cycle'],\n  money: ['price', 'cost', 'budget']\n}\n"
)
_DATA = '{\n  "速度": ["快", "慢", "延迟"],\n  "安全": ["登录", "令牌", "密钥"],\n  "结构": ["模块", "分层", "循环"],\n  "成本": ["价格", "费用", "预算"]\n}'
BEFORE: tuple[Example, ...] = (
    {
        "phases/01-sort.md": f"# Sort\n\n```javascript\n{_LITERAL}const found = match(text, TOPICS)\n```\n",
        "specs/topics.md": f"# Topics\n\n{_TABLE}",
    },
    {
        "phases/01-分类.md": f"# 分类\n\n```python\nHOT_WORDS = {_DATA}\nfound = match(text, HOT_WORDS)\n```\n",
        "specs/热词.json": _DATA + "\n",
    },
    f"# Sort\n\n```javascript\n{_LITERAL}Task({{ prompt: `Look for ${{match(text, TOPICS)}} in the user's text` }})\n```\n\n## Topics\n\n{_TABLE}",
)
AFTER: tuple[Example, ...] = (
    {
        "phases/01-sort.md": '# Sort\n\n```javascript\n// TOPICS: the table "Topics" in specs/topics.md\nconst found = match(text, TOPICS)\n```\n',
        "specs/topics.md": f"# Topics\n\n{_TABLE}",
    },
    {
        "phases/01-分类.md": '# 分类\n\n```python\nHOT_WORDS = json.loads(Read("specs/热词.json"))\nfound = match(text, HOT_WORDS)\n```\n',
        "specs/热词.json": _DATA + "\n",
    },
    f'# Sort\n\n```javascript\n// TOPICS: the table "Topics"\nTask({{ prompt: `Look for ${{match(text, TOPICS)}} in the user\'s text` }})\n```\n\n## Topics\n\n{_TABLE}',
)
