"""Provide stubs: programs that stand in for others that use a service (gh, curl). Their data is in a state file.

They use only the standard library.
"""
