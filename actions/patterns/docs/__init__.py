"""Find repetitions and contradictions in the text of a skill."""
