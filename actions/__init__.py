"""The core: pure steps over (state, case). actions/table.py says which action runs when."""
