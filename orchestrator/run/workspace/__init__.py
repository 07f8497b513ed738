"""Change a skill's folder so that every change can be undone, even after a crash; see `workspace.Workspace`."""
