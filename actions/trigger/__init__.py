"""Determine which prompts call the right skill, find the causes of faults, and check new descriptions."""
