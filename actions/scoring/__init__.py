"""Scan a skill with the patterns: findings, suppressions, issues, score and quality gate."""
