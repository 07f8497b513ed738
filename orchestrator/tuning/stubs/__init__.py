"""Replace programs that use a service with strict stubs that keep a state file. Standard library only."""
