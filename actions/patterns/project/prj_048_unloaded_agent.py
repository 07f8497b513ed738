"""An agent in `.claude/agents` lacks what Claude Code needs to load it.

It is:
- frontmatter of an agent in `.claude/agents` without `name` or `description`, or with an empty one (proven)
- a `name` that contains `:`, begins with `-`, or is a number (proven)
- a text without frontmatter that a README or CLAUDE.md lists with two loaded agents, or that a unit calls: medium (proven)
- a text without frontmatter in a list below a heading with the word "agents" that names two of the folder: medium (proven)
- the same in a list of names below or beside a label such as **Agents** (`.claude/agents/`): medium (proven)
- a text without frontmatter whose title, up to a dash, a colon or a bracket, is its file's name and "agent", beside two loaded agents, or where none is loaded and no text gives its path: medium (proven)
- a text without frontmatter whose title is its file's name, if a loaded agent's name ends with the same word: medium (proven)
It is not:
- an agent of a plugin: Claude Code uses the name of its file, and `Agent from … plugin` as its description
- frontmatter that cannot be read or is not at the beginning of the file (PRJ-005), or a text for people, such as a README or `_notes.md`
Low when:
- the file with the list also gives the path of the text: the model may read it
Why it is bad: Claude Code silently does not load the agent, and no call can start it.
Instead: Give the agent a `name`, such as the name of its file, and a `description` that says when to use it.
"""

from collections.abc import Iterator

from actions.case import Case
from actions.patterns.pattern import Finding, Pattern, Severity, UnitKind
from actions.project.agent_faults import find_agent_fault
from actions.project.unmarked_agents import find_list_of_agent, has_title_of_agent, may_be_read

PATTERN = Pattern(id="PRJ-048", impact=("blocks", "easy"), asks_model=False, kinds=(UnitKind.AGENT,))
_AGENT = "---\n%s\n---\n\nCount the birds.\n"
_PATH = ".claude/agents/counter.md"
BAD = (
    {_PATH: _AGENT % "description: Counts birds.\nallowed-tools: [Read]"},
    {_PATH: _AGENT % "name: counter\ntools: Read"},
    {_PATH: _AGENT % "name: counter\ndescription:"},
    {_PATH: _AGENT % "name: birds:counter\ndescription: Counts birds."},
    {_PATH: _AGENT % "name: counter\nhooks:\n  on_error: echo {{message}}"},
    {
        _PATH: "# Counter\n\nCount the birds.\n",
        ".claude/agents/sorter.md": _AGENT % "name: sorter\ndescription: Sorts.",
        "CLAUDE.md": "Task(subagent_type='counter')\n",
    },
    {
        _PATH: "# Bird counter\n",
        ".claude/agents/sorter.md": "# Sorter\n",
        "CLAUDE.md": "## Agents (`.claude/agents/`)\n\n- `counter` counts birds\n- `sorter` sorts them\n",
    },
    {
        ".claude/agents/bird-counter.md": "# Bird Counter Agent\n\nCount the birds.\n",
        ".claude/agents/sorter.md": _AGENT % "name: sorter\ndescription: Sorts.",
        ".claude/agents/walker.md": _AGENT % "name: walker\ndescription: Walks.",
    },
    {".claude/agents/bird-counter.md": "# Bird Counter Agent\n\nCount the birds.\n"},
)
GOOD = (
    {_PATH: _AGENT % "name: counter\ndescription: Counts birds: gulls [and] terns"},
    {".claude-plugin/plugin.json": '{"name": "birds"}', "agents/counter.md": _AGENT % "tools: Read"},
    {".claude/agents/README.md": _AGENT % "description: Lists our agents."},
    {".claude/agents/notes.md": _AGENT % "title: Notes"},
    {".claude/agents/counter.md": _AGENT % "name: '{{name}}'\ntools: Read"},
    {_PATH: "# Counter Agent\n", "CLAUDE.md": "First read `.claude/agents/counter.md`.\n"},
    {_PATH: "# Counter\n"},
    {_PATH: "# Counting\n", ".claude/agents/sorter.md": _AGENT % "name: sorter\ndescription: Sorts."},
    {
        ".claude/agents/house-rules.md": "# House Rules\n\nWhat all agents heed.\n",
        ".claude/agents/sorter.md": _AGENT % "name: sorter\ndescription: Sorts.",
        ".claude/agents/walker.md": _AGENT % "name: walker\ndescription: Walks.",
    },
)


def check(case: Case) -> Iterator[Finding]:
    """Yield the fault because of which this agent is not loaded."""
    if fault := find_agent_fault(case.unit, case.skill):
        key, problem = fault
        line = case.skill.frontmatter.lines.get(key, 1)
        yield Finding(case.unit.path, line, f"Claude Code does not load this agent: {problem}.")
    elif path := find_list_of_agent(case.project, case.unit, case.skill):
        is_given = may_be_read(case.project, case.unit, path)
        yield _report_unmarked(case, f"`{path}` names it as one", Severity.LOW if is_given else Severity.MEDIUM)
    elif has_title_of_agent(case.project, case.unit, case.skill):
        yield _report_unmarked(case, "it has the title of one")


def _report_unmarked(case: Case, reason: str, severity: Severity = Severity.MEDIUM) -> Finding:
    message = f"Claude Code does not load this text as an agent, because it has no frontmatter; {reason}."
    cause = f"agents without frontmatter in {case.unit.folder}"
    return Finding(case.unit.path, 1, message, severity=severity, cause=cause)
