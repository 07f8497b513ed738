"""Find the sub-agents that a skill's code starts, their types, and whether the skill covers their failures."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence, Set

import msgspec

from actions.agent_types import normalize_agent_type
from actions.code.calls import Call, find_agent_calls, may_start_agents
from actions.code.literals import read_string
from actions.code.results import find_uses_after, is_guarded
from actions.code.tree import Code
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.regex import regex
from actions.skill.frontmatter import parse_frontmatter
from actions.skill.similar_names import is_similar
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import normalize_name

BUILT_IN_TYPES = frozenset(
    {"general-purpose", "Explore", "Plan", "claude", "statusline-setup", "output-style-setup", "claude-code-guide"}
)
"""The built-in agent types of Claude Code, including those of older versions."""
_NAMED_TYPE = regex(r"""(?a)\bsubagent_type\W{0,4}[:=]\s*["'`]{0,2}([\w-]*\w)(?![\w:/*<{$(.-])""")
"""A type without the name of a plugin, as in `subagent_type: "reviewer"`."""
_MAX_COMPARED = 50
_FAILURE_WORDS = regex(
    r"(?i)fail|error|tim(?:e|es|ed)[ -]?out|retr(?:y|ies)|crash|exception|\bcatch\b|fall ?back|unavailable|goes wrong"
    r"|settled|失败|错误|出错|超时|重试|异常|兜底|降级"
)
"""Words about failures. A skill that contains one is not reported for missing failure handling."""


class AgentCall(msgspec.Struct, frozen=True):
    """A call that starts a sub-agent, with its code and its file."""

    file: SkillFile
    code: Code
    call: Call

    @property
    def type(self) -> str | None:
        """The type of the sub-agent if it is a literal, else None."""
        return read_string(self.code, self.call.named.get("subagent_type"))

    @property
    def prompt(self) -> str | None:
        """The prompt if it is a literal, else None."""
        return read_string(self.code, self.call.named.get("prompt"))

    @property
    def is_sketch(self) -> bool:
        """Whether the prompt is only an ellipsis, as in code that explains a form of calls."""
        return self.prompt is not None and self.prompt.strip() in ("...", "…")

    @property
    def is_used(self) -> bool:
        """Whether later code in the same block uses the sub-agent's answer."""
        return bool(find_uses_after(self.code, self.call))

    @property
    def is_guarded(self) -> bool:
        """Whether the call is in a `try` or a condition, or its answer is tested afterwards."""
        return is_guarded(self.code, self.call)


@memoize
def find_started_agents(skill: Skill) -> tuple[AgentCall, ...]:
    """Return the calls in the code fences of the instruction files that start a sub-agent."""
    files = (file for file in skill.instructions if may_start_agents(file.text))
    codes = ((file, code) for file in files for code in file.codes)
    return tuple(AgentCall(file, code, call) for file, code in codes for call in find_agent_calls(code))


def find_named_types(skill: Skill) -> Iterator[tuple[SkillFile, int, str]]:
    """Yield the types that the instruction files give with `subagent_type`, each with its line, outside of calls."""
    in_calls = {
        (agent.file.path, n)
        for agent in find_started_agents(skill)
        for n in range(agent.call.line, agent.call.line_end + 1)
    }
    for file in (file for file in skill.instructions if "subagent_type" in file.text):
        start = file.doc.body_start
        for number, line in enumerate(file.doc.lines[start - 1 :], start):
            if "subagent_type" in line and (file.path, number) not in in_calls:
                yield from ((file, number, type) for type in _NAMED_TYPE.findall(line))


def is_failure_covered(skill: Skill, file: SkillFile) -> bool:
    """Return whether the skill may say what to do when a step of the file fails.

    It may if the file, SKILL.md, any heading or the path of any file contains a word about failures.
    """
    return _mentions_failure(file) or _mentions_failure(skill.main) or _has_failure_section(skill)


@memoize
def _mentions_failure(file: SkillFile) -> bool:
    return _FAILURE_WORDS.search(file.text) is not None


@memoize
def _has_failure_section(skill: Skill) -> bool:
    titles = (section.title for file in skill.instructions for section in file.doc.sections)
    return any(_FAILURE_WORDS.search(text) for text in (*skill.by_path, *titles))


@memoize
def list_defined_types(skill: Skill) -> frozenset[str]:
    """Return the names of the agents that the skill defines in `agents/`.

    The name comes from the frontmatter or, if it has none, from the file name.
    """
    files = ((file, *posixpath.split(file.path)) for file in skill.files if file.is_markdown)
    agent_files = (
        (agent_file, name)
        for agent_file, folder, name in files
        if posixpath.basename(folder) == "agents" and name.lower() != "readme.md"
    )
    return frozenset(
        parse_frontmatter(agent_file.doc.lines).text("name") or posixpath.splitext(name)[0]
        for agent_file, name in agent_files
    )


def find_intended_type(skill: Skill, type: str, others: Set[str] = frozenset()) -> str | None:
    """Return the known agent type that an unknown type misspells, or None if not exactly one fits.

    Known types are built in, defined by the skill, or defined outside the skill (`others`). Returns None if Claude Code
    accepts the type as it is, or if it contains a colon. A word that only resembles a short built-in type (`Explorer`,
    `Planner`) fits none, because it may be one of the user's own agents.
    """
    defined_types = list_defined_types(skill) | others
    if ":" in type or normalize_agent_type(type) in map(normalize_agent_type, defined_types | BUILT_IN_TYPES):
        return None
    same_letters = _group_by_letters(skill).get(normalize_name(type)) or [
        known for known in others if normalize_name(known) == normalize_name(type)
    ]
    candidates = defined_types | {"general-purpose"} if len(defined_types) <= _MAX_COMPARED else ()
    similar = same_letters or [
        known for known in candidates if is_similar(known.lower(), type.lower()) or _differ_by_ending(known, type)
    ]
    return similar[0] if len(similar) == 1 else None


def _differ_by_ending(first: str, second: str) -> bool:
    """Return whether hyphenated names differ only by an ending of one or two letters: `code-review(er)`."""
    short, long = sorted((first.lower(), second.lower()), key=len)
    return "-" in short and long.startswith(short) and len(long) - len(short) <= 2


@memoize
def _group_by_letters(skill: Skill) -> Mapping[str, Sequence[str]]:
    return group_by_key((normalize_name(known), known) for known in list_defined_types(skill) | BUILT_IN_TYPES)
