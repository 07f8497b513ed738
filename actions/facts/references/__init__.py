"""What a skill sends to and does not have: files, phases, sections, steps."""
