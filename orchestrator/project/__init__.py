"""Find a project on disk and read it: its root, its settings and its skills."""
