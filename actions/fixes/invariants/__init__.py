"""The proof that a fix is one. Read prove.py first: each of its questions has a file of its own here."""
