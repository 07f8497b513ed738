"""The MCP server: the client's model answers the questions of a run, and the client's user decides."""
