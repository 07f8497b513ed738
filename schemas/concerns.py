"""What a user may complain of: a plain table of kinds, with the words that name each, in English and Chinese.

The words only name a kind, as a heading would; what a sentence means beyond them is for a model to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Concern:
    """A kind of complaint: how it is told, the words that name it, and the patterns that look for it.

    Where the kind is a family, all of the family do, and `patterns` are those of others.
    """

    told: str
    words: tuple[str, ...]
    patterns: tuple[str, ...] = ()


def _kind(told: str, words: str, patterns: str = "") -> Concern:
    return Concern(told, tuple(words.split(", ")), tuple(patterns.split()))


CONCERNS: Mapping[str, Concern] = MappingProxyType(
    {
        "memory_loss": _kind(
            "rules or goals get lost",
            "forget, forgets, forgot, forgotten, memory, constraint, constraints, drift, 忘记, 遗忘, 记忆, 约束, 漂移",
            "CTX-006",
        ),
        "context_explosion": _kind(
            "the context grows too large", "context, context window, overflow, overflows, explodes, 上下文, 爆炸, 溢出"
        ),
        "dataflow_break": _kind(
            "data does not arrive", "data flow, dataflow, state, schema, handoff, 数据流, 状态, 交接"
        ),
        "agent_failure": _kind(
            "sub-agents fail",
            "agent, agents, sub-agent, sub-agents, subagent, subagents, delegation, timeout, 代理, 智能体, 超时",
        ),
        "token_consumption": _kind(
            "it costs too many tokens", "token, tokens, cost, costs, expensive, 令牌, 成本, 费用, 消耗"
        ),
        "doc_redundancy": _kind(
            "the same thing is said twice", "duplicate, duplicates, redundant, redundancy, repetition, 重复, 冗余"
        ),
        "doc_conflict": _kind(
            "documents contradict each other",
            "contradict, contradicts, contradiction, conflict, conflicts, inconsistent, 矛盾, 冲突, 不一致",
        ),
        "authoring_violation": _kind(
            "something is unfinished or left over", "stub, stubs, unfinished, placeholder, todo, 未完成, 占位, 临时文件"
        ),
        "spec_violation": _kind(
            "the skill does not load or trigger",
            "frontmatter, metadata, description, trigger, triggers, link, links, 元数据, 触发, 链接",
        ),
        "prompt_quality": _kind(
            "its instructions are vague or contradictory",
            "prompt, prompts, instruction, instructions, wording, vague, 提示词, 指令, 模糊",
            "APV-008 AGT-009 MEM-001 MEM-002 DOC-CON-003",
        ),
        "architecture": _kind(
            "it is built of the wrong parts",
            "architecture, structure, module, modules, orchestration, 架构, 结构, 模块",
            "AGT-003 AGT-004 APV-001 CTX-005 DF-001 DF-005 DF-010 TKN-007",
        ),
        "performance": _kind(
            "it takes too long",
            "performance, slow, speed, latency, 性能, 慢, 速度",
            "AGT-008 AGT-011 APV-001 APV-002 CTX-005 CTX-007 DF-008 TKN-005 TKN-007",
        ),
        "error_handling": _kind(
            "what goes wrong is not caught",
            "error, errors, error handling, exception, exceptions, recovery, retry, 错误, 异常, 重试",
            "AGT-001 AGT-002 AGT-008 AGT-010 DF-003 MEM-003 MEM-006",
        ),
        "output_quality": _kind(
            "what it delivers is not good enough",
            "output, outputs, result, results, quality, 输出, 结果, 质量",
            "APV-007 APV-009 AGT-002 AGT-006 MEM-005",
        ),
        "user_experience": _kind(
            "it is unpleasant to work with",
            "user experience, ux, usability, interaction, interactive, 用户体验, 体验, 交互",
            "APV-010 MEM-006 SPEC-003",
        ),
    }
)
"""Each kind of complaint by its name, the likeliest first."""
