"""A mapping is hard-coded that a table or data file of the skill holds.

What it sees: An object or dictionary of fixed values in the skill's pseudo-code, four keys or more, whose keys and words a
table of the skill or a JSON file of its specs holds as well; and code that compares or computes with three values and more (two
with their names), all of which one section of a spec or reference holds.
Why it is bad: Two lists must be changed together, and one day are not; the literal is paid with each read.
Instead: Keep the table or the file, and let the code name it.
May be wrong: A literal may be a sample of what the file looks like. Within one file the two are at least seen together: low.
"""

from collections.abc import Iterator

from actions.facts.docs.mappings import hard_coded
from actions.facts.docs.typed_values import typed_values
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case, Role
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="DOC-RED-002",
    family=Family.REDUNDANCY,
    impact=("every_run", "easy"),
    confidence=Confidence.MEDIUM,
    strategies=("centralize_mapping_config",),
)
_TABLE = (
    "| Topic | Words |\n|---|---|\n| speed | fast, slow, latency |\n| safety | login, token, secret |\n"
    "| shape | module, layer, cycle |\n| money | price, cost, budget |\n"
)
_LITERAL = (
    "const TOPICS = {\n  speed: ['fast', 'slow', 'latency'],\n  safety: ['login', 'token', 'secret'],\n"
    "  shape: ['module', 'layer', 'cycle'],\n  money: ['price', 'cost', 'budget']\n}\n"
)
BAD = (
    {
        "phases/01-sort.md": f"# Sort\n\n```javascript\n{_LITERAL}const found = match(text, TOPICS)\nTask({{ prompt: `Look at ${{found}}` }})\n```\n",
        "specs/topics.md": f"# Topics\n\n{_TABLE}",
    },
    {
        "SKILL.md": "# Post\n\nPrices are in [rates](references/rates.md).\n\n```javascript\nconst fee = grams <= 50 ? 1.6 : grams <= 500 ? 2.75 : 5.49;\n```\n",
        "references/rates.md": "# Rates\n\nUp to 50 g 1.60 €, up to 500 g 2.75 €, else 5.49 €.\n",
    },
    f"# Sort\n\nCall `Task()` for each topic.\n\n```javascript\n{_LITERAL}```\n\n## Topics\n\n{_TABLE}",
    {
        "phases/01-分类.md": '# 分类\n\n```python\n热词 = {\n    "速度": ["快", "慢", "延迟"],\n    "安全": ["登录", "令牌", "密钥"],\n'
        '    "结构": ["模块", "分层", "循环"],\n    "成本": ["价格", "费用", "预算"],\n}\n```\n',
        "specs/热词.json": '{\n  "速度": ["快", "慢", "延迟"],\n  "安全": ["登录", "令牌", "密钥"],\n  "结构": ["模块", "分层", "循环"],\n  "成本": ["价格", "费用", "预算"]\n}\n',
    },
)
GOOD = (
    {
        "SKILL.md": "# Post\n\nPrices are in [rates](references/rates.md).\n\n```javascript\nconst fee = feeFrom('references/rates.md', grams);\nretry(3, 7, 9);\n```\n",
        "references/rates.md": "# Rates\n\nUp to 50 g 1.60 €, up to 500 g 2.75 €, else 5.49 €.\n",
    },
    {
        "phases/01-sort.md": "# Sort\n\n```javascript\nconst TOPICS = JSON.parse(Read('specs/topics.json'))\nTask({ prompt: `Look` })\n```\n",
        "specs/topics.md": f"# Topics\n\n{_TABLE}",
    },
    {
        "phases/01-sort.md": "# Sort\n\n```javascript\nconst state = {\n  speed: 0,\n  safety: 0,\n  shape: 0,\n  money: 0\n}\n```\n",
        "specs/topics.md": f"# 主题\n\n{_TABLE}",
    },
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each literal with the place that holds it, then the values of other code."""
    skill = case.skill
    told_of: set[tuple[str, int]] = set()
    for pair in hard_coded(skill):
        literal, source = pair.literal, pair.source
        held = f"{source.file}:{source.start}"
        told = f"The {len(literal.entries)} entries of `{literal.name}` are hard-coded; {held} holds them."
        far = source.file != literal.file and skill.by_path[source.file].role is Role.SPEC
        severity = None if far else Severity.LOW
        also = (f"{held}: {source.name}",)
        told_of.update((literal.file, n) for n in range(literal.start, literal.end + 1))
        yield Evidence(literal.file, literal.start, told, line_end=literal.end, also=also, severity=severity)
    for typed in typed_values(skill):
        if (typed.file, typed.start) not in told_of:
            place = f"{typed.source}:{typed.at}"
            told = f"The values {', '.join(typed.values[:8])} are typed in here; {place} holds them."
            yield Evidence(
                typed.file, typed.start, told, line_end=typed.end, also=(place,), confidence=Confidence.MEDIUM
            )
