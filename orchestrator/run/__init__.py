"""Drive a run through its states: create it, do its steps, save its state, pause it and resume it."""
