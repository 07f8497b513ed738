"""Scan a skill with its patterns: findings, suppressions, issues, score and gate."""
