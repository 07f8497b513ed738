"""Compute the steps of a run, without side effects. actions/steps/table.py says which one runs when."""
