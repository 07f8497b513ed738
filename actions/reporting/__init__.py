"""What a report tells, worked out of the state of a run; the templates only write it down."""
