"""Serve findings and runs to other programs: editors (LSP) and agents (MCP)."""
