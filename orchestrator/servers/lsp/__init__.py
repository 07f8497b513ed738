"""The language server: an editor shows what is proven of skills. `features.py` says what it can be asked."""
