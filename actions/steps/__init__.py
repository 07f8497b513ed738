"""Define the steps of a run, each a pure function `act(state, case, tools) -> Outcome`; table.py says which is next."""
