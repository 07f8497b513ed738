"""Find faults in the use of sub-agents: calls, results, limits."""
