"""Improve a skill by runs: practice shows what fails, a bounded edit is tried, a sealed exam decides.

Start reading with `actions/improve/table.py`, then `improving.py`.
"""
