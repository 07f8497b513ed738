"""Prove faults in the hooks, servers, manifests, agents and commands of a project."""
