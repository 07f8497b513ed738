"""Scan a project for findings, with one engine for the command, the editor, the MCP server, runs and fleet scans."""
