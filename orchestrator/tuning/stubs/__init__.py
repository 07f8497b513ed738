"""Stand in for command lines that reach a service: strict programs on a state file. Standard library only."""
