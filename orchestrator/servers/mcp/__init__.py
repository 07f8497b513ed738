"""Serve an MCP client. The client's model answers the questions of a run, and its user makes the decisions."""
