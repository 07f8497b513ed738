"""List the kinds of user complaint and the keywords for each, in English and Chinese.

Keywords only determine the kind. A model interprets the rest of the sentence.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from schemas.vocabulary import Family


class Concern(msgspec.Struct, frozen=True):
    """A kind of complaint: its label, its keywords, and the patterns that check it.

    If the kind is a family, all its patterns check the complaint, and `patterns` adds patterns of other families.
    """

    label: str
    words: tuple[str, ...]
    patterns: tuple[str, ...] = ()


def _build_concern(label: str, words: str, patterns: str = "") -> Concern:
    return Concern(label, tuple(words.split(", ")), tuple(patterns.split()))


CONCERNS: Mapping[str, Concern] = MappingProxyType(
    {
        Family.MEMORY: _build_concern(
            "rules or goals get lost",
            "forget, forgets, forgot, forgotten, memory, constraint, constraints, drift, 忘记, 遗忘, 记忆, 约束, 漂移",
            "CTX-006",
        ),
        Family.CONTEXT: _build_concern(
            "the context grows too large", "context, context window, overflow, overflows, explodes, 上下文, 爆炸, 溢出"
        ),
        Family.DATAFLOW: _build_concern(
            "data does not arrive",
            "data flow, dataflow, data gets lost, data is lost, lost data, loses data, between phases, state, schema, "
            "handoff, 数据流, 状态, 交接",
        ),
        Family.AGENT: _build_concern(
            "sub-agents fail",
            "agent, agents, sub-agent, sub-agents, subagent, subagents, delegation, timeout, 代理, 智能体, 超时",
        ),
        Family.TOKENS: _build_concern(
            "it costs too many tokens", "token, tokens, cost, costs, expensive, 令牌, 成本, 费用, 消耗"
        ),
        Family.REDUNDANCY: _build_concern(
            "the same text is repeated", "duplicate, duplicates, redundant, redundancy, repetition, 重复, 冗余"
        ),
        Family.CONFLICT: _build_concern(
            "documents contradict each other",
            "contradict, contradicts, contradiction, conflict, conflicts, inconsistent, 矛盾, 冲突, 不一致",
        ),
        Family.AUTHORING: _build_concern(
            "something is unfinished or left behind",
            "stub, stubs, unfinished, placeholder, todo, 未完成, 占位, 临时文件",
        ),
        Family.SPEC: _build_concern(
            "the skill does not load or trigger",
            "frontmatter, metadata, description, trigger, triggers, link, links, 元数据, 触发, 链接",
        ),
        "prompt_quality": _build_concern(
            "its instructions are vague or contradictory",
            "prompt, prompts, instruction, instructions, wording, vague, 提示词, 指令, 模糊",
            "APV-008 AGT-009 MEM-001 MEM-002 DOC-CON-003",
        ),
        "architecture": _build_concern(
            "it is built from the wrong parts",
            "architecture, structure, module, modules, orchestration, 架构, 结构, 模块",
            "AGT-003 AGT-004 APV-001 CTX-005 DF-001 DF-005 DF-010 TKN-007",
        ),
        "performance": _build_concern(
            "it takes too long",
            "performance, slow, speed, latency, 性能, 慢, 速度",
            "AGT-008 AGT-011 APV-001 APV-002 CTX-005 CTX-007 DF-008 TKN-005 TKN-007",
        ),
        "error_handling": _build_concern(
            "errors are not handled",
            "error, errors, error handling, exception, exceptions, recovery, retry, 错误, 异常, 重试",
            "AGT-001 AGT-002 AGT-008 AGT-010 DF-003 MEM-003 MEM-006",
        ),
        "output_quality": _build_concern(
            "its results are not good enough",
            "output, outputs, result, results, quality, 输出, 结果, 质量",
            "APV-007 APV-009 AGT-002 AGT-006 MEM-005",
        ),
        "user_experience": _build_concern(
            "it is unpleasant to work with",
            "user experience, ux, usability, interaction, interactive, 用户体验, 体验, 交互",
            "APV-010 MEM-006 SPEC-003",
        ),
    }
)
"""The kinds of complaint by name, most likely first."""
