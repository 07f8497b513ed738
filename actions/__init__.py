"""The core: pure steps over (state, case). actions/steps/table.py says which one runs when."""
