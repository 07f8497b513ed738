"""List the frontmatter keys that Claude Code reads in agents and commands.

Source: the table of keys in the CLI 2.1.330, without keys that only plugins, settings or skills have.
"""

READ_KEYS = frozenset(
    "name description model allowed-tools argument-hint arguments disable-model-invocation user-invocable effort shell"
    " version when_to_use paths hooks context agent mcpServers skills metadata tools disallowedTools color"
    " permissionMode maxTurns initialPrompt memory background omitClaudeMd isolation".split()
)
