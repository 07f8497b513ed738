"""The model behind the Judge protocol of the core: who judges, within which budget, and what is kept of it."""

from orchestrator.model.budget import Budget
from orchestrator.model.choice import Bench, bench_for, session_bench

__all__ = ["Bench", "Budget", "bench_for", "session_bench"]
