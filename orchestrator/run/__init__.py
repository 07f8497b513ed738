"""Drive a run through its states: create it, act, save, move to the next state, pause and resume."""
