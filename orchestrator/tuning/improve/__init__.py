"""Improve a skill by running it. Practice runs show what fails, small edits are tried, and unseen tasks decide.

Start reading with `actions/improve/table.py`, then `stages.py`.
"""
