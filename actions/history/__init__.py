"""Join recorded sessions with the text of a skill, command or agent, to find out how each line did."""
