"""Define the steps of a run: pure functions `act(state, case, tools) -> Outcome`, which `table.py` lists in order."""
