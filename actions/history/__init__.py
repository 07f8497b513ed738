"""Join recorded sessions with the text of a skill, command or agent: what each line of it led to."""
