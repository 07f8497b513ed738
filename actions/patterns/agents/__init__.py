"""Sub-agents: calls, results, bounds."""
