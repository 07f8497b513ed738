"""Replace programs that use a service by strict stubs with a state file. Only the standard library is imported."""
