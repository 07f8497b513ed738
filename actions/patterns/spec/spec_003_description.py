"""The description is missing, too long, or does not say when to use the skill.

What it sees: A frontmatter without `description`, with one of more than 1,024 characters, or with one that names no occasion
in the ways usual in English and Chinese (use when, for, trigger words, 当…时, 用于, 触发).
Why it is bad: The description is all that the model sees of a skill before it chooses it. Without an occasion it
chooses at random; what is beyond the limit is refused or cut.
Instead: One or two sentences: what the skill does, and `Use when …` with the words that users say.
May be wrong: A description may name its occasion in other words; that finding is low. A skill that only the user starts
(`disable-model-invocation`) needs none.
"""

import re
from collections.abc import Iterator

from actions.patterns.pattern import Evidence, Pattern
from actions.skill import Case
from schemas.vocabulary import Confidence, Family, Severity

PATTERN = Pattern(
    id="SPEC-003",
    family=Family.SPEC,
    impact=("blocks", "easy"),
    confidence=Confidence.HIGH,
    strategies=("describe_occasion",),
)
_LONGEST = 1024
_WORD = re.compile(r"[A-Za-z0-9'’-]{2,}|[\u3040-\u9fff]")
_FEWEST = 4
"""In fewer words, nobody says both what a skill does and when."""
_OCCASION = re.compile(
    r"\b(?:when(?:ever)?|if|use[ds]? (?:this|it|for|to|with|after|before|by|in|as|only|proactively)|us(?:e|ing) the|before|after|while|during"
    r"|triggers?|triggered|invoked?|activates?|ask(?:s|ed|ing)?|requests?|mentions?|says?|intended for|ideal for|suitable for|applies to"
    r"|designed for|for (?!example)\w+ing\b|to help|helps?|user[ -]wants?)\b"
    r"|当|时|用于|适用|触发|需要|场景|如果|使用|用来|関|場合|とき|使う",
    re.IGNORECASE,
)
BAD = (
    {"SKILL.md": "---\nname: example\n---\n\nCount the words.\n"},
    {"SKILL.md": '---\nname: example\ndescription: ""\n---\n\nCount the words.\n'},
    {
        "SKILL.md": f"---\nname: example\ndescription: Use when a text must be counted. {'It counts words and lines. ' * 40}\n---\n\nCount.\n"
    },
    {"SKILL.md": "---\nname: example\ndescription: A word counter of great speed.\n---\n\nCount the words.\n"},
    {"SKILL.md": "---\nname: example\ndescription: Helps with words.\n---\n\nCount the words.\n"},
    {"SKILL.md": "---\nname: example\ndescription: 一个快速的字数统计工具。\n---\n\n逐段统计。\n"},
)
GOOD = (
    "# Count\n\nCount the words.\n",
    {"SKILL.md": "---\nname: example\ndescription: 统计字数。用户要求统计文章长度时触发。\n---\n\n逐段统计。\n"},
    {
        "SKILL.md": '---\nname: example\ndescription: Counts words. Triggers on "count words", "word count".\n---\n\nCount.\n'
    },
    {
        "SKILL.md": "---\nname: example\ndescription: Word counter.\nwhen_to_use: The user asks how long a text is.\n---\n\nCount.\n"
    },
    {"SKILL.md": "---\nname: example\ndescription: Word counter.\ndisable-model-invocation: true\n---\n\nCount.\n"},
)


def look(case: Case) -> Iterator[Evidence]:
    """Give the fault of the description, at most one."""
    skill, head = case.skill, case.skill.frontmatter
    if head.error:
        return
    text, path, line = head.text("description"), skill.main.path, head.lines.get("description", 1)
    if not text:
        yield Evidence(path, line, "The frontmatter gives the skill no description.")
    elif len(text) > _LONGEST:
        told = f"The description has {len(text):,} characters; {_LONGEST:,} is the limit of the specification."
        yield Evidence(path, line, told, severity=Severity.MEDIUM)
    elif (
        (not _OCCASION.search(text) or len(_WORD.findall(text)) < _FEWEST)
        and not head.text("when_to_use")
        and not _user_only(head.text("disable-model-invocation"))
    ):
        told = "The description does not say when to use the skill; it may do so in words that are not known here."
        yield Evidence(path, line, told, severity=Severity.LOW, confidence=Confidence.MEDIUM)


def _user_only(value: str) -> bool:
    return value.lower() in ("true", "yes", "1")
