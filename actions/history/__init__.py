"""Join recorded sessions with the text of a skill, command or agent: the results of each line."""
