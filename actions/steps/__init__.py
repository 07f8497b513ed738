"""The steps of a run: `act(state, case, tools) -> Outcome`. table.py says which one runs when."""
