"""Define the steps of a run, pure functions `act(state, case, tools) -> Outcome`. `table.py` decides which is next."""
