"""The model behind the Judge protocol of the core: who judges, within which budget, and what is kept of it."""

from orchestrator.model.budget import Budget
from orchestrator.model.judge_access import JudgeAccess, choose_judge, choose_session_judge

__all__ = ["Budget", "JudgeAccess", "choose_judge", "choose_session_judge"]
