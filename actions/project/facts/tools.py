"""List the tools of Claude Code by name.

Source: the CLI 2.1.330. `claude doctor` says of any other name in a deny rule that it "matches no known tool". Names
are case-sensitive; tools of MCP servers begin with `mcp__`.
"""

TOOLS = frozenset(
    "Agent Artifact AskUserQuestion Bash Brief CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree"
    " ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LSP ListAgents ListMcpResources ListMcpResourcesTool"
    " ListPeers Monitor NotebookEdit PowerShell Projects PushNotification Read ReadMcpResource ReadMcpResourceDirTool"
    " ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage SendUserFile SendUserMessage Skill"
    " Task TaskCreate TaskGet TaskList TaskStop TaskUpdate TodoWrite ToolSearch WaitForMcpServers WebFetch WebSearch"
    " Workflow Write".split()
)
"""Tools of this version, including those that only some surfaces offer."""
READING_TOOLS = frozenset(
    "AskUserQuestion Glob Grep LSP ListMcpResources ListMcpResourcesTool Read ReadMcpResource ReadMcpResourceTool"
    " Skill TaskGet TaskList TodoWrite ToolSearch WebFetch WebSearch".split()
)
"""Tools that change no file and run no command. A skill runs with the tools of the agent that calls it."""
REMOVED = frozenset(
    "AgentOutput AgentOutputTool BashOutput BashOutputTool LS MultiEdit NotebookRead REPL SlashCommand"
    " StructuredOutput TaskOutput TeamCreate TeamDelete TodoRead".split()
)
"""Tools of older versions and internal tools, which are not reported as misspelled."""
OTHERS = frozenset(
    "google_web_search list_directory read_file read_many_files run_shell_command save_memory search_file_content"
    " web_fetch web_search write_file write_todos".split()
)
"""Tools of Gemini CLI and of other agents, which a text for several agents names on purpose."""
COPILOT = frozenset("codebase editFiles execute runCommands vscode".split())
"""Tools of GitHub Copilot in VS Code that name none of Claude Code's. A list with one of them is meant for Copilot."""
COPILOT_ALIASES = frozenset("agent edit execute read search shell todo web".split())
"""Names in lower case that GitHub Copilot accepts for its tools. Source: its documentation of custom agents."""
