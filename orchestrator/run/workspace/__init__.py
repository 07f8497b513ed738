"""Change a skill folder reversibly and crash-safely; see `workspace.Workspace`."""
