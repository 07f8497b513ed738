"""Serve an MCP client: its model answers the questions of a run, and its user decides."""
