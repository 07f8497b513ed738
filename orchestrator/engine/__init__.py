"""Scan a project for findings. The command, the editor, the MCP server, runs and fleet scans all use this engine."""
