"""Ask a model: find out how to reach one, limit the cost, save the answers, and queue questions for an MCP client."""

from orchestrator.model.judge_access import KEPT_BY_RUN, JudgeAccess, choose_judge, choose_session_judge

__all__ = ["KEPT_BY_RUN", "JudgeAccess", "choose_judge", "choose_session_judge"]
