"""Thousands of skills: read here, looked at by many processes, here or on other machines, kept in one store.

`run` hands batches of skills to an executor. What it submits ends in `cells`: they ask a `cell`, a process with limits.
"""
