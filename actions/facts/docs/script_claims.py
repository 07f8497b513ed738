"""What a text says of a bundled script, and what the script itself says: a number, a file, a sentence of its head."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from actions.facts.docs.options import hands_on
from actions.facts.docs.script_doings import false_exit, false_output
from actions.facts.docs.senses import senses
from actions.skill.memo import once
from actions.skill.skill import Role, Skill, SkillFile
from actions.skill.statements import Statement, statements
from actions.skill.stems import Stems

_SCRIPTS = Stems("scripts", "script", "py", "sh", "js", "mjs", "ts", "python", "node", "bash", "脚本")
_THE_SCRIPT = re.compile(r"\b(?:the|this|that) (?:script|program)\b|脚本|程序", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:it|and)\b|它", re.IGNORECASE)
_OPTION = re.compile(r"`(--[a-zA-Z][\w-]{1,40})(?:[ =][^`]{0,40})?`")
_OTHER_SPAN = re.compile(r"`(?!--|[A-Z_]+`|[\w./-]*\.\w{1,5}`)[^`]+`")
_LACKS = re.compile(
    r"\b(?:no|not|never|without|lacks?|n['’]t|instead of|like|unlike|other)\b|没有|不支持|不带|不用|无", re.IGNORECASE
)
_ADJECTIVES = {"wide": "width", "high": "height", "tall": "height", "long": "length", "deep": "depth", "old": "age"}
_EXITS = re.compile(r"(?:\bexit(?:s|ed)?(?: with| code)?|\bcode|\bstatus|退出码)[^.;]{0,24}$", re.IGNORECASE)
_NEAR = 8
_CONSTANT = re.compile(
    r"^(?:export\s+)?(?:const\s+|let\s+"
    r"|readonly\s+)?(?P<name>[A-Z][A-Z0-9_]{2,40})\s*(?::\s*\w+\s*)?=\s*(?P<number>\d[\d_]*(?:\.\d+)?)\s*;?\s*(?:[#/].*)?$",
    re.MULTILINE,
)
_DEFAULT = re.compile(
    r"[\"']--(?P<name>[a-z][\w-]{1,40})[\"'][^)\n]{0,200}\bdefault\s*=\s*(?P<number>\d[\d_]*(?:\.\d+)?)\s*[,)]"
)
_HEAD = re.compile(
    r"\A(?:#!.*\n)?\s*(?:\"\"\"(?P<doc>.*?)\"\"\"|/\*\*?(?P<block>.*?)\*/|(?P<lines>(?:(?:#|//).*\n)+))", re.DOTALL
)
_NUMBER = re.compile(r"(?<![\w.:/`-])(\d[\d,]*(?:\.\d+)?)(?![\w.:/]*\d)\s?([A-Za-z%]{0,14}|[\u4e00-\u9fff]{0,2})")
_SPAN = re.compile(
    r"`(?:[\w.-]+/)*(?P<name>[\w-]{2,40})\.(?P<ext>json|csv|tsv|md|txt|ya?ml|html|xml|pdf|png|svg|jpe?g|db)`"
)
_WRITES = re.compile(r"\b(?:writ|creat|sav|produc|output|generat|stor|emit)\w*|写|生成|输出|保存", re.IGNORECASE)
_BY_DEFAULT = re.compile(r"\bdefaults?\b|默认|缺省", re.IGNORECASE)
_CLAUSE = re.compile(r"[;,.()（），。；：:]|\band\b|\bwhich\b")
_PARTS = re.compile(r"[a-z]+|[\u4e00-\u9fff]")
_SPANS = re.compile(r"`[^`]*`|--[a-z][\w-]*[ =]\S+")
_HOLLOW = frozenset("min max default num n count limit size per number total threshold".split())
_OPPOSITES = (
    "one two three four five six",
    "newest oldest",
    "ascend descend",
    "ascending descending",
    "first last",
    "json csv xml yaml markdown",
    "include exclude",
    "keep store delete",
    "upper lower",
    "largest smallest",
    "longest shortest",
    "highest lowest",
    "left right",
    "inclusive exclusive",
    "utc local",
    "row column",
    "sensitive insensitive",
)
_LONGEST = 600
_MOST, _MOST_TEXT, _MOST_HEAD = 60, 200_000, 4000
"""Names, letters of a script and of its head that are read."""
_NAMED_FILE = re.compile(r"(?<![\w-])[\w-]{2,40}\.(?:json|csv|tsv|md|txt|ya?ml|html|xml|pdf|png|svg|jpe?g|db)\b")


@dataclass(frozen=True)
class Claim:
    """The text at `file:line` says `said`; `script` has it otherwise, as `found` tells."""

    file: str
    line: int
    said: str
    script: str
    found: str


def false_claims(skill: Skill) -> Iterator[Claim]:
    """Give the sentences about a bundled script that it contradicts."""
    scripts = [file for file in skill.files if file.role is Role.SCRIPT]
    for file in skill.instructions if scripts else ():
        for said in statements(file, _SCRIPTS):
            if len(said.text) > _LONGEST or file.doc.is_counterexample(said.line):
                continue
            script = _meant(file, said, scripts)
            found = script and _contradicted(said, script, skill)
            if script and found:
                yield Claim(file.path, said.line, said.text, script.path, found)


def _meant(file: SkillFile, said: Statement, scripts: list[SkillFile]) -> SkillFile | None:
    """Give the one script that a sentence names, or means where one is named just before."""
    named = _named_in(said.text, scripts)
    if named:
        return named[0] if len(named) == 1 else None
    for number in range(said.line, max(0, said.line - _NEAR), -1):
        named = _named_in(file.doc.line(number), scripts)
        if named or file.doc.line(number).startswith("#"):
            return named[0] if len(named) == 1 else None
    return scripts[0] if len(scripts) == 1 and _THE_SCRIPT.search(said.text) else None


def _named_in(text: str, scripts: list[SkillFile]) -> list[SkillFile]:
    return [script for script in scripts if script.path.rsplit("/", 1)[-1] in text]


def _contradicted(said: Statement, script: SkillFile, skill: Skill) -> str | None:
    told = script.path.rsplit("/", 1)[-1] in said.text or _THE_SCRIPT.search(said.text)
    if told or _GOES_ON.match(said.text):
        undone = false_output(said.text, script, skill) or false_exit(said.text, script)
        if undone:
            return undone
    if not told:
        return _number(said, script) or (_option(said, script) if said.text.startswith("`--") else None)
    return _number(said, script) or _file(said, script) or _option(said, script) or _head(said, script)


def _option(said: Statement, script: SkillFile) -> str | None:
    """Give the option that a sentence says a script has, and of which it holds no trace."""
    if "`--" not in said.text or hands_on(script) or _OTHER_SPAN.search(said.text):
        return None
    for match in _OPTION.finditer(said.text):
        before = _CLAUSE.split(said.text[: match.start()])[-1]
        if match[1] != "--help" and not _LACKS.search(before) and not _knows(script, match[1]):
            return f"it has no option `{match[1]}`"
    return None


@lru_cache(maxsize=1024)
def _knows(script: SkillFile, option: str) -> bool:
    """Tell whether a script holds an option, or its name as a key or an attribute."""
    name = re.escape(option.lstrip("-").replace("-", "_"))
    return option in script.text or bool(re.search(rf"[\"'.]{name}\b|\b{name}\s*[:=]", script.text))


@once
def _held(script: SkillFile) -> tuple[tuple[str, float], ...]:
    """Give the numbers that a script names: its constants and the defaults of its options."""
    found = (match for regex in (_CONSTANT, _DEFAULT) for match in regex.finditer(script.text[:_MOST_TEXT]))
    return tuple((m["name"], float(m["number"].replace("_", ""))) for m in islice(found, _MOST))


@once
def _files_in(script: SkillFile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(islice(_NAMED_FILE.findall(script.text[:_MOST_TEXT]), _MOST)))


@once
def _parts_of_head(script: SkillFile) -> tuple[tuple[str, frozenset[str]], ...]:
    """Give the sentences of a script's head, each whole and clause by clause, with what they speak of."""
    head = _HEAD.search(script.text[:_MOST_HEAD])
    told = (head["doc"] or head["block"] or head["lines"] or "") if head else ""
    found = re.split(r"(?<=[.;。；])\s|\n\s*\n", told)
    parts = ((sentence, part) for sentence in found for part in (sentence, *_CLAUSE.split(sentence)))
    return tuple((sentence, _plain(part)) for sentence, part in islice(parts, _MOST))


def _number(said: Statement, script: SkillFile) -> str | None:
    """Give the constant or default that a number of the sentence names and contradicts."""
    held = _held(script)
    text = _SPANS.sub(lambda span: " " * len(span[0]), said.text)
    numbers = [(float(m[1].replace(",", "")), m) for m in _NUMBER.finditer(text)]
    known = {value for _, value in held}
    for value, match in numbers if held else ():
        if value in known or _EXITS.search(text[: match.start()]):
            continue
        words = _PARTS.findall(_clause(text, match.start()).lower())
        named = tuple((name, other) for name, other in held if _named(name, words))
        if not named and len(held) == len(numbers) == 1 and _same_unit(held[0][0], match[2], said.text):
            named = held
        if len(named) == 1:
            return f"{named[0][0]} is {named[0][1]:g}"
    return None


def _clause(text: str, at: int) -> str:
    start = max((m.end() for m in _CLAUSE.finditer(text, 0, at)), default=0)
    return text[start : next((m.start() for m in _CLAUSE.finditer(text, at)), len(text))]


def _named(name: str, words: list[str]) -> bool:
    """Tell whether words name a constant: each part begins a word, or is put together of the beginnings of two."""
    parts = [part for part in re.split(r"[_-]", name.lower()) if part not in _HOLLOW]
    return bool(parts) and all(any(_begins(part, words[k:]) for k in range(len(words))) for part in parts)


def _begins(part: str, words: list[str]) -> bool:
    if any(words[0].startswith(adjective[:4]) and part == noun for adjective, noun in _ADJECTIVES.items()):
        return True
    if len(part) >= 3 and words[0].startswith(part.removesuffix("s")):
        return True
    head = next((n for n in range(len(part), 1, -1) if words[0].startswith(part[:n])), 0)
    return bool(head >= 2 and len(words) > 1 and part[head:] and words[1].startswith(part[head:]))


def _same_unit(name: str, unit: str, text: str) -> bool:
    return (len(unit) > 2 and unit.lower().rstrip("s") in name.lower()) or bool(_BY_DEFAULT.search(text))


def _file(said: Statement, script: SkillFile) -> str | None:
    """Give the file that the script names where the text has the same name with another ending."""
    for match in _SPAN.finditer(said.text) if _WRITES.search(said.text) else ():
        held = _files_in(script)
        other = next((name for name in held if name.rpartition(".")[0] == match["name"]), None)
        if other and f"{match['name']}.{match['ext']}" not in held:
            return f"it names `{other}`"
    return None


def _head(said: Statement, script: SkillFile) -> str | None:
    """Give the sentence of the script's head that says the same with an opposite word."""
    mine = [_plain(part) for part in (said.text, *_CLAUSE.split(said.text)) if part.strip()]
    for sentence, sense in _parts_of_head(script):
        if any(_opposed(sense, other) for other in mine):
            return f"its head says “{' '.join(sentence.split())[:120]}”"
    return None


def _plain(text: str) -> frozenset[str]:
    return senses(re.sub(r"`[^`]*`|\S+\.(?:py|sh|js)\b|[#*/]", " ", text)) | _opposable(text)


def _opposable(text: str) -> frozenset[str]:
    words = set(re.findall(r"[a-z]+", text.lower()))
    return frozenset(word for group in _OPPOSITES for word in group.split() if word in words)


def _opposed(one: frozenset[str], other: frozenset[str]) -> bool:
    for group in map(frozenset, map(str.split, _OPPOSITES)):
        mine, theirs = one & group, other & group
        if len(mine) == len(theirs) == 1 and mine != theirs:
            rest, there = one - group, other - group
            if len(rest & there) >= 2 and len(rest & there) >= 0.7 * min(len(rest), len(there)):
                return True
    return False
