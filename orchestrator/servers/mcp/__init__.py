"""tune-skill as an MCP server: the client's model answers the questions of a run, the client's user decides."""
