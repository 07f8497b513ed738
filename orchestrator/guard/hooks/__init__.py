"""Handle the hook events of Claude Code: one handler per event, and the entry of hooks that only record."""
