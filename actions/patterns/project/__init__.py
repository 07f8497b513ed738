"""Prove faults in the hooks, servers, manifests, agents, commands, skills and memory files of a project."""
