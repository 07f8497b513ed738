"""Ask a model: find out how to reach one, limit the cost, save the answers, and queue questions for an MCP client."""

from orchestrator.model.judge_access import JudgeAccess, choose_judge, choose_session_judge, describe_used_limit

__all__ = ["JudgeAccess", "choose_judge", "choose_session_judge", "describe_used_limit"]
