"""Sub-agents: their calls, prompts, results, loops and tools."""
