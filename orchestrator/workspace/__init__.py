"""Changing a skill folder reversibly and crash-safely; see `Workspace`."""

from orchestrator.workspace.recovery import Pending, Recovery, inspect, verified_fixes
from orchestrator.workspace.workspace import RolledBack, Verified, Workspace

__all__ = ["Pending", "Recovery", "RolledBack", "Verified", "Workspace", "inspect", "verified_fixes"]
