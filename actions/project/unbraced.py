"""Find `$CLAUDE_PLUGIN_ROOT` where only `${CLAUDE_PLUGIN_ROOT}` is replaced.

Source: the CLI 2.1.330. It replaces only the braced form in bodies, in server commands and in hooks with `args`.
The variable is in the environment of hooks and servers, but not of the Bash tool or of a command after `!`.
"""

import re
from collections.abc import Iterator, Sequence

from actions.project.hooks_file import find_hooks
from actions.project.mcp_file import find_servers
from actions.project.project import Project
from actions.project.units import Unit
from actions.regex import regex
from actions.skill.skill import SkillFile

_UNBRACED = regex(r"\$CLAUDE_PLUGIN_ROOT\b")
_SETS_VARIABLE = regex(
    r"\bCLAUDE_PLUGIN_ROOT(?:=|\W{1,3}(?:is )?(?:not set|unset|empty)\b)|-[nz] \"?\$CLAUDE_PLUGIN_ROOT"
)
"""Text that sets the variable, tests it, or says that it is not set."""
_FALLBACK = regex(r"\$\{CLAUDE_PLUGIN_ROOT:?[-+=?]")
"""An expansion by which a line handles a variable that is not set."""
_STARTED_COMMAND = regex(r"(?:^|(?<=\s))!`[^`]*\$CLAUDE_PLUGIN_ROOT\b[^`]*`")
"""A command after `!`, which Claude Code runs before the model reads the text."""
_COMMAND_SPAN = regex(
    r"(?:(?:bash|sh|node|python3?|bun|uv run) +)?[\"']?\$CLAUDE_PLUGIN_ROOT/[\w./-]*\.\w+[\"']?(?: .*)?"
)
"""A code span that is a command, not only a path."""
_HOOK_COMMAND = regex(r"[\"']command[\"']\s*:")
_SHELL_OPTION = regex(r"-\w*c|/c|-Command", re.IGNORECASE)


def find_unbraced_words(project: Project, unit: Unit) -> Iterator[tuple[int, str]]:
    """Yield (line, word) for each word with the unbraced variable in hooks with `args` and in MCP servers."""
    for hook in project.list_for_unit(find_hooks, unit.path):
        if hook.args is not None:
            yield from _list_unbraced_words([(hook.line, word) for word in (hook.command, *hook.args)])
    for server in project.list_for_unit(find_servers, unit.path):
        yield from _list_unbraced_words(server.words)


def find_unbraced_in_code(file: SkillFile) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each line with the unbraced variable in a shell command.

    Yields nothing if the text sets or tests the variable itself.
    """
    if not file.is_markdown or not _UNBRACED.search(file.text) or _SETS_VARIABLE.search(file.text):
        return
    doc = file.doc
    for fence in doc.fences:
        first = doc.line(fence.start + 1).strip()
        is_script = first.startswith("#!")  # the agent writes it to a file, perhaps for a hook
        is_command = fence.lang == "" and " " in first and _COMMAND_SPAN.fullmatch(first)
        is_run = (fence.is_shell or fence.lang == "!" or is_command) and not is_script
        for line, text in doc.code(fence) if is_run else ():
            is_excused = _HOOK_COMMAND.search(text) or _FALLBACK.search(text) or doc.is_counterexample(line)
            if _UNBRACED.search(text) and not is_excused:
                yield line, text.strip()
    spans = {span.line: span.text for span in doc.spans if _COMMAND_SPAN.fullmatch(span.text) and " " in span.text}
    commands = {line: text for line, text in spans.items() if "hook" not in doc.sentence(line).lower()}
    started_commands = {line: text for line, text in doc.prose if _STARTED_COMMAND.search(text)}
    yield from ((line, text) for line, text in (commands | started_commands).items() if not doc.is_counterexample(line))


def _list_unbraced_words(words: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    if not any(_SHELL_OPTION.fullmatch(word) for _, word in words):
        yield from ((line, word) for line, word in words if _UNBRACED.search(word))
