"""Improve a skill by running it. Practice runs show what fails, small edits are tried, and a sealed exam decides.

Start reading with `actions/improve/table.py`, then `stages.py`.
"""
