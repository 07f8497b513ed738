"""The language server: shows an editor what the checks prove about skills. `features.py` lists its requests."""
