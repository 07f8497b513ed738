"""Scan a project for findings: one engine for the command, editor, MCP server, run and fleet."""
