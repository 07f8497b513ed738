"""Change a skill's folder so that changes can be undone and survive crashes; see `workspace.Workspace`."""
