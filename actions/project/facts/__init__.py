"""State facts about Claude Code that checks rely on: one table per module, each with its source.

`tests/e2e/facts` compares the tables with the Claude Code of the SDK's wheel.
"""
