"""Verbose text: a file says the same thing twice.

What it sees: In SKILL.md or a phase, statements that stand in nearly the same words more than a dozen lines above, 20 tokens
or more at one place (30, when it is one statement alone) and 35 in all, check lists, checkpoints and sentences with a
"(see …)" left out; and a paragraph that says one thought over and over: half of its words three times and more,
or sentence after sentence of words that came before.

Why it is bad: A repeated statement is paid with every load and adds nothing. One of the two gets changed alone one day.

Instead: Say it once, at the place where it is needed, and refer to it.

May be wrong: When a rule is repeated on purpose at the moment when it binds. It is a matter of cost, and so it is low.
"""

from collections.abc import Iterator

from actions.facts.docs.going_round import circles
from actions.facts.docs.repetition import repetitions
from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family

PATTERN = Pattern(
    id="TKN-001",
    family=Family.TOKENS,
    impact=("every_run",),
    confidence=Confidence.MEDIUM,
    strategies=("prompt_compression", "consolidate_to_ssot"),
    cause="duplicate",
)
_LEAST = 35

_PLAIN = "".join(
    f"\n{word} is counted by the clerk on duty.\n" for word in "Tea Salt Rice Wool Iron Coal Oil Wine".split()
)
_GATES = (
    "- Purely local change: only files below the module's folder are touched, nothing that others import\n"
    "- One concern: the change serves one ticket, one user story, one reviewer, one release\n"
    "- Known pattern: the new code mirrors a neighbour that is in use and has tests of its own\n"
    "- Faithful: no scope was added, no open question of the plan was answered by the coder alone\n"
)
_WALL = (
    "The seal tells who closed the crate last. A scratched lock may mean that somebody tried to force it on the way. On the "
    "label stand the port of origin and the next one, in that order. What the scale said at the first quay is chalked on the "
    "lid, in pounds. Red paint belongs to the northern guild, green to the southern. How many pieces should be inside, the "
    "list in the mate's book knows. Two stamps prove that the tax is paid; one is for goods in transit. By the knot a sailor "
    "recognises the crew. Worn ropes were lifted often, and such crates go down first. Tar on the nails keeps the damp out, "
    "so a dry one is looked at again in the evening. Old wood bends. Where the smith has put his mark, the hinge may be "
    "trusted for another ten years. Salt stains come from the bilge and are told to the carpenter. Nothing else matters."
)
BAD = (
    "# Tea\n\nSmell first and taste afterwards. It matters that the nose comes before the tongue. One should always smell a tea before tasting it, because the nose ought to judge first and the tongue second.\nFor this reason start with the nose and go to the tongue only when the nose is done. In other words, tasting follows smelling, never the other way round, so that the nose precedes the tongue.\n",
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
    "# Ship\n\nThe crates of another ship are opened only in the presence of its mate or his deputy.\n\n"
    f"Crates with seals older than a week are weighed twice, by two clerks on two scales.\n{_PLAIN}\n## By the way\n\n"
    "Two clerks on two scales: so crates with seals older than a week are weighed twice.\n"
    "Crates of another ship: opened only in the presence of its mate, or of his deputy.\n",
)
GOOD = (
    "# Tea\n\nSmell first and taste afterwards: the nose tires less quickly. Write down what you smell as a fruit, a flower or a wood. Then sip, and hold the sip for three breaths.\nBitter at the tip is leaf that was picked late; bitter at the back is water that was too hot. Spit, rinse with cold water, and go on with the next cup.\n",
    f"# Ship\n\n| Part | Holds |\n|---|---|\n| What is sure | Points that the clerks confirmed, and validated weights of all crates |\n{_PLAIN}\n"
    "| Rule | Do |\n|---|---|\n| Promote points | Validated weights of crates that the clerks confirmed go to what is sure |\n",
    "# Labels\n\nA label names the jar, the day on which it was filled and the person who filled it. Jars with honey get a second one with the number\nof the hive; pickles one with the month by which they should be eaten, since opened jars keep for four weeks at most in the cellar.\n",
    f"# Ship\n\n## Review\n\nSkip the review when all four hold:\n{_GATES}{_PLAIN}\n## Tiers\n\nThe short review is for the four cases above.\n",
    "# Ship\n\nNever push to main.\n" + _PLAIN + "\nNever push to main.\n",
    f"# Ship\n\n{_PLAIN}{_PLAIN}",
    f"# Ship\n\n## Review\n\nSkip the review when all four hold:\n{_GATES}{_PLAIN}\n## Before the release\n\n{_GATES.replace('- ', '- [ ] ')}",
    f"# Ship\n\nAsk the owner of the module on the channel of the team before any change of it (see Rules).\n{_PLAIN}\n"
    "Ask the owner of the module on the channel of the team before each change of it (see Rules).\n",
    f"# Ship\n\n{_WALL}\n\nNever open a crate of another ship.\n",
    f"# Ship\n\nAsk the mate of the ship before a crate is opened or moved.\n{_PLAIN}\nAsk the mate of the ship before the crate is moved.\n",
    f"# Ship\n\n> **CHECKPOINT**: Before you go on, be sure that the rules of weighing are in active memory. If only a summary is left, read `phases/01.md` again.\n"
    f"{_PLAIN}\n> **CHECKPOINT**: Before you go on, be sure that the rules of sealing are in active memory. If only a summary is left, read `phases/01.md` again.\n",
    f'# Ship\n\nWhen the harbour master of the port returns "Inspection complete" for the ship, go to the quay.\n{_PLAIN}\n'
    'When the harbour master of the port returns "Inspection complete" for the ship, offer what is left of the options and keep the closing words back.\n',
)


def look(case: Case) -> Iterator[Evidence]:
    """Give each group of repeated statements of a file that repeats enough, and each paragraph that goes round."""
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
