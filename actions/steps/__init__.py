"""Define the steps of a run: pure functions `act(state, case, tools) -> Outcome`. `table.py` lists their order."""
