"""Find rules and goals that get lost during a run."""
