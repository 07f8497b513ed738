"""Compare the Claude Code tools that a skill's code calls with the tools that its frontmatter allows."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from actions.code.calls import AGENT_CALLS, Call, find_defined_names, find_tool_calls
from actions.code.languages import JAVASCRIPT
from actions.code.literals import read_string
from actions.code.tree import Code
from actions.grouping import group_by_key
from actions.memo import memoize
from actions.regex import regex
from actions.skill.skill import Skill, SkillFile
from actions.skill.text import is_item, split_sentences

KEY = "allowed-tools"
PERMISSION_FREE_TOOLS = frozenset(
    "Agent AskUserQuestion BashOutput ExitPlanMode Glob Grep KillShell LS NotebookRead Read Task TaskOutput TodoRead"
    " TodoWrite".split()
)
"""Tools that need no permission, listed or not."""
_SKILL_TOOLS = {"Skill", "SlashCommand"}
_SAME_TOOLS = (
    AGENT_CALLS,
    {"Edit", "MultiEdit"},
    _SKILL_TOOLS,
    {"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate"},
    {"Bash", "BashOutput", "KillShell", "TaskOutput"},
)
"""Groups of names for the same tool, or for tools that are allowed together."""
_NAME = regex(r"[A-Za-z_*][\w*.-]*")
_CALL = regex(r"(?:[A-Z][A-Za-z]+|mcp__\w+)\(.{1,200}\)")
_PROHIBITION = regex(
    r"(?i)\b(?:never|not|no|without|avoid|instead|cannot|forbid\w*|allow\w*|replac\w*)\b|n['’]t\b|[不禁勿]"
)
_AGENT_WORDS = regex(r"(?i)\bsub-?agents?\b|\bagents\b|\bagent(?:'s)? (?:prompt|instructions?)\b")
"""Words in a table header, paragraph or label about sub-agents."""
_PLACEHOLDER_ARGUMENT = regex(r"\(\s*[\"']?<[^<>]*>[\"']?\s*\)")
"""Arguments that consist of a placeholder, which only shows the syntax of the call."""
_PLAIN_NAME_ARGUMENT = regex(r"\((?:name|pattern|path|command|url|domain|query|skill|server|tool)(?:[ :]?\*)?\)")
"""A general word as the argument, which in a table shows the form of a call or of a permission rule."""
_PLACEHOLDER = regex(r"[\[{<$…]|\.\.\.")
_LATER_SESSION = regex(
    r"(?i)\b(?:next|later|following|subsequent|future|another|separate) (?:session|conversation|run)s?\b"
)
"""Words about another session, in which this skill is not active."""
_IN_BRACKETS = regex(r"\([^()]*\)")


def list_allowed_tools(skill: Skill) -> frozenset[str] | None:
    """Return the names in `allowed-tools`, without the text in parentheses, or None if the key is missing."""
    if (value := skill.frontmatter.values.get(KEY)) is None:
        return None
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return frozenset(_NAME.findall(_IN_BRACKETS.sub(" ", text)))


def is_allowed(tool: str, allowed: frozenset[str]) -> bool:
    """Return whether a list of allowed names covers a tool.

    It is covered by its name, an alias, the name of its MCP server, or a matching wildcard.
    """
    names = {tool}.union(*(group for group in _SAME_TOOLS if tool in group))
    if names & allowed or any(tool.startswith(name.rstrip("*")) for name in allowed if name.endswith("*")):
        return True
    return tool.startswith("mcp__") and "__".join(tool.split("__")[:2]) in allowed


@memoize
def find_unlisted_tools(skill: Skill) -> Mapping[str, Sequence[tuple[SkillFile, int]]]:
    """Map each called tool that is missing in `allowed-tools` to the (file, line number) of its calls."""
    allowed = list_allowed_tools(skill)
    calls = _find_calls(skill) if allowed is not None else ()
    return group_by_key(
        (tool, (file, line)) for tool, file, line in calls if not is_allowed(tool, allowed or frozenset())
    )


def _find_calls(skill: Skill) -> Iterator[tuple[str, SkillFile, int]]:
    """Yield (tool, file, line) of each tool call in instruction files, unless the skill's code defines the name."""
    files = [file for file in skill.instructions if "agents" not in posixpath.dirname(file.path).split("/")]
    found_calls: list[tuple[str, SkillFile, int]] = []
    for file in files:
        calls = ((code, call) for code in file.codes for call in find_tool_calls(code) if call.args or call.named)
        direct_calls = ((code, call) for code, call in calls if not _is_for_agents(file, call.line))
        direct_calls = ((code, call) for code, call in direct_calls if not _is_special_edit(skill, code, call))
        found_calls += (
            (call.name, file, call.line) for code, call in direct_calls if not _calls_itself(skill, code, call)
        )
        found_calls += ((tool, file, line) for tool, line in _find_calls_in_spans(file))
    names = {name for name, _, _ in found_calls}
    codes = (code for file in skill.sources for code in file.codes if any(name in code.text for name in names))
    own_names = {name for code in codes for name in find_defined_names(code)}
    return (found_call for found_call in found_calls if found_call[0] not in own_names)


def _find_calls_in_spans(file: SkillFile) -> Iterator[tuple[str, int]]:
    """Yield (tool, line) of each call in a code span, such as `WebFetch(url)`, that the text does not forbid."""
    for span in file.doc.spans:
        if not _CALL.fullmatch(span.text) or _PLACEHOLDER_ARGUMENT.search(span.text):
            continue
        if _PLAIN_NAME_ARGUMENT.search(span.text) and file.doc.line(span.line).lstrip().startswith("|"):
            continue
        text = _get_passage(file, span.line)
        sentences = [sentence for sentence in split_sentences(text) if span.text in sentence]
        if any(_PROHIBITION.search(part) for part in (*sentences, file.doc.line(span.line))):
            continue
        if any(map(_LATER_SESSION.search, sentences)):
            continue
        code = Code(JAVASCRIPT, span.text, span.line)
        tool_calls = [] if code.root.has_error or file.doc.is_counterexample(span.line) else list(find_tool_calls(code))
        if len(tool_calls) == 1 and tool_calls[0].args and not tool_calls[0].named:
            name = tool_calls[0].name
            if name in AGENT_CALLS or not _AGENT_WORDS.search(f"{text} {_get_table_header(file, span.line)}"):
                yield name, span.line


def _get_passage(file: SkillFile, line: int) -> str:
    """Return the table row, list item or paragraph that contains a line."""
    doc = file.doc
    if doc.line(line).lstrip().startswith("|"):
        return doc.line(line)
    passage = doc.passage_at(line)
    start = next((number for number in range(line, passage.start, -1) if is_item(doc.line(number))), passage.start)
    end = next((number for number in range(line + 1, passage.stop) if is_item(doc.line(number))), passage.stop)
    return " ".join(doc.line(number).strip() for number in range(start, end))


def _get_table_header(file: SkillFile, line: int) -> str:
    """Return the header of the table that contains a line, or "" outside tables."""
    rows = [row for row in file.doc.rows if row.line <= line]
    if not rows or rows[-1].line != line:
        return ""
    return next((" ".join(row.cells) for row in reversed(rows) if row.is_head), "")


def _is_for_agents(file: SkillFile, line: int) -> bool:
    """Return whether the line above a fence labels it as the prompt of a sub-agent."""
    fence = file.doc.fence_at(line)
    numbers_above = range(fence.start - 1, max(fence.start - 3, 0), -1) if fence else ()
    label = next((text for number in numbers_above if (text := file.doc.line(number).strip())), "")
    return "prompt" in label.lower() and "agent" in label.lower()


def _calls_itself(skill: Skill, code: Code, call: Call) -> bool:
    return call.name in _SKILL_TOOLS and skill.name in (read_string(code, call.argument(0, "skill", "command")) or "")


def _is_special_edit(skill: Skill, code: Code, call: Call) -> bool:
    """Return whether a call edits the skill's own files, or is a sample: path and both texts are fixed."""
    if call.name != "Edit":
        return False
    path, *texts = (read_string(code, call.named.get(key)) for key in ("file_path", "old_string", "new_string"))
    is_fixed = all(text and not _PLACEHOLDER.search(text) for text in (path, *texts))
    return is_fixed or f"skills/{skill.name}/" in (path or "")
