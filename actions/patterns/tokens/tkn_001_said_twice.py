"""Verbose text: a file says the same thing twice.

What it sees: In SKILL.md or a phase, statements that stand in nearly the same words more than a dozen lines above, 20 tokens
or more at one place and 40 in all, check lists and sentences with a "(see …)" left out; a paragraph that says one thought over and
over, half of its words three times and more; and single paragraphs of more than 900 characters, which is some 150 words (a Han character counts as three).

Why it is bad: A repeated statement is paid with every load and adds nothing. One of the two gets changed alone one day. A
paragraph of that length hides its rules.

Instead: Say it once, at the place where it is needed, and refer to it. Break a long paragraph into a rule and its reason.

May be wrong: When a rule is repeated on purpose at the moment when it binds. It is a matter of cost, and so it is low.
"""

from collections.abc import Iterator

from actions.facts.docs.going_round import circles
from actions.facts.docs.repetition import LONG, repetitions, weight
from actions.model import Case, SkillFile
from actions.model.text import tokens_of
from actions.patterns.pattern import Evidence, Pattern
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-001",
    family=Family.TOKENS,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("prompt_compression", "consolidate_to_ssot", "split_paragraph"),
    cause="duplicate",
)
_LEAST = 40

_PLAIN = "".join(
    f"\n{word} is counted by the clerk on duty.\n" for word in "Tea Salt Rice Wool Iron Coal Oil Wine".split()
)
_GATES = (
    "- Purely local change: only files below the module's folder are touched, nothing that others import\n"
    "- One concern: the change serves one ticket, one user story, one reviewer, one release\n"
    "- Known pattern: the new code mirrors a neighbour that is in use and has tests of its own\n"
    "- Faithful: no scope was added, no open question of the plan was answered by the coder alone\n"
)
BAD = (
    "# Labels\n\nA label is there to name the jar. The name of the jar stands on the label, and a label without the name of the jar is no label,\nbecause without the name of the jar nobody knows from the label what jar it is. So write the name of the jar on the label.\n",
    "# 标签\n\n标签要写清罐子的名字。罐子的名字一定要写在标签上，标签上没有罐子的名字，就看不出是什么罐子。\n所以写标签的时候，务必把罐子的名字写在标签上，标签上要有罐子的名字。\n",
    f"# Ship\n\n## Review\n\nSkip the review when all four hold:\n{_GATES}{_PLAIN}\n## Tiers\n\nThe short review is for changes where:\n"
    f"{_GATES.replace('Purely', 'A purely').replace('One concern', 'Single concern')}",
    "# 发布\n\n## 评审\n\n- 仅修改本模块目录下的文件，不触碰其他团队导入的接口，也不改动公共配置与数据库结构。\n"
    "- 每次改动只服务于一个工单，由一名评审人负责，并且只进入一个版本的发布说明之中。\n"
    "- 新代码必须与已有且带测试的相邻实现保持一致，不引入新的依赖、框架或者构建步骤。\n"
    + "".join(f"\n第 {n} 号柜台由值班员清点。\n" for n in range(8))
    + "\n## 分级\n\n- 仅修改本模块目录下的文件，不触碰其他团队导入的接口，也不改动公共配置或数据库结构。\n"
    "- 每次改动只服务于一个工单，由一名评审人负责，且只进入一个版本的发布说明之中。\n"
    "- 新代码必须与已有且带测试的相邻实现保持一致，不引入新的依赖、框架或构建步骤。\n",
    "# Ship\n\n"
    + " ".join(f"The clerk of gate {n} looks at the seal and tells the one at gate {n + 1}." for n in range(24))
    + "\n",
)
GOOD = (
    "# Labels\n\nA label names the jar, the day on which it was filled and the person who filled it. Jars with honey get a second one with the number\nof the hive; pickles one with the month by which they should be eaten, since opened jars keep for four weeks at most in the cellar.\n",
    f"# Ship\n\n## Review\n\nSkip the review when all four hold:\n{_GATES}{_PLAIN}\n## Tiers\n\nThe short review is for the four cases above.\n",
    "# Ship\n\nNever push to main.\n" + _PLAIN + "\nNever push to main.\n",
    f"# Ship\n\n{_PLAIN}{_PLAIN}",
    f"# Ship\n\n## Review\n\nSkip the review when all four hold:\n{_GATES}{_PLAIN}\n## Before the release\n\n{_GATES.replace('- ', '- [ ] ')}",
    f"# Ship\n\nAsk the owner of the module on the channel of the team before any change of it (see Rules).\n{_PLAIN}\n"
    "Ask the owner of the module on the channel of the team before each change of it (see Rules).\n",
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each group of repeated statements of a file that repeats enough, and each long paragraph."""
    for file in (case.skill.main, *case.skill.phases):
        groups = repetitions(file)
        if sum(group.tokens for group in groups) >= _LEAST:
            for group in groups:
                noun = "This statement stands" if group.count == 1 else f"These {group.count} statements stand"
                told = f"{noun} in nearly the same words from line {group.first} on (about {group.tokens} tokens)."
                also = (f"{file.path}:{group.first}: {file.doc.line(group.first).strip()[:120]}",)
                yield Evidence(file.path, group.start, told, line_end=group.end, also=also)
        for first, last, text in circles(file):
            told = f"This paragraph says the same thing over and over: “{text[:120]}”"
            yield Evidence(file.path, first, told, line_end=last)
        yield from _walls(file)


def _walls(file: SkillFile) -> Iterator[Evidence]:
    for number, line in file.doc.prose:
        if len(line) > LONG // 3 and not line.lstrip().startswith("|") and weight(line) > LONG:
            yield Evidence(file.path, number, f"One paragraph holds about {tokens_of(weight(line))} tokens.")
