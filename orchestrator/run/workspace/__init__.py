"""Change a skill's folder in such a way that every change can be undone, even after a crash.

The entry point is `workspace.Workspace`.
"""
