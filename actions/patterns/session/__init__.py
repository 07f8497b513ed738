"""Find faults in recorded sessions.

A file `ses_NNN` proves faults in a skill, command or agent that the sessions loaded. Every other file answers one
consideration.
"""
