"""Compare recorded sessions with the text of a skill, command or agent, to find out what happened at each line."""
