"""The words in which users complain of a skill, by the kind of fault, English and Chinese."""

from collections.abc import Mapping
from types import MappingProxyType

from schemas.vocabulary import Family

KEYWORDS: Mapping[Family, tuple[str, ...]] = MappingProxyType(
    {
        Family.CONTEXT: (
            "context", "explod*", "overflow*", "context window", "too long", "grows", "history", "huge prompt*",
            "上下文", "爆炸", "溢出", "太长", "历史", "越来越长",
        ),
        Family.MEMORY: (
            "forget*", "forgot*", "forgotten", "lost", "loses", "losing", "memory", "remember*", "constraint*",
            "drift*", "ignores the rules", "compaction", "resume", "halfway", "original goal",
            "忘记", "遗忘", "丢失", "记忆", "约束", "漂移", "跑偏", "恢复", "目标",
        ),
        Family.DATAFLOW: (
            "data flow", "dataflow", "state", "state.json", "inconsisten* state", "missing file*", "not found",
            "schema", "handoff*", "wrong file", "phase* read*", "output* of", "intermediate", "undefined",
            "数据流", "状态", "找不到", "文件缺失", "交接", "中间文件", "格式不一致",
        ),
        Family.AGENT: (
            "agent*", "sub-agent*", "subagent*", "delegat*", "worker*", "fails silently", "timeout*", "times out",
            "hang*", "stuck", "endless*", "infinite*", "retry*", "retries", "parallel",
            "代理", "子代理", "智能体", "超时", "卡住", "死循环", "重试", "失败",
        ),
        Family.TOKENS: (
            "token*", "cost*", "expensive", "verbose", "slow", "bloat*", "wasteful", "waste*", "burn*",
            "令牌", "成本", "费用", "太贵", "冗长", "浪费", "消耗", "慢",
        ),
        Family.REDUNDANCY: (
            "duplicate*", "redundan*", "repeat*", "repetit*", "copy*", "copies",
            "重复", "冗余", "多处定义",
        ),
        Family.CONFLICT: (
            "contradict*", "conflict*", "disagree*", "inconsisten*", "mismatch*", "different values",
            "矛盾", "冲突", "不一致", "相互抵触",
        ),
        Family.AUTHORING: (
            "todo*", "stub*", "unfinished", "placeholder*", "debug", "temp file*", "temporary",
            "临时文件", "未完成", "占位", "调试",
        ),
        Family.SPEC: (
            "frontmatter", "metadata", "description", "trigger*", "not found by claude", "not loaded", "link*", "name",
            "触发", "元数据", "描述", "链接",
        ),
    }
)  # fmt: skip

NAMES: Mapping[Family, str] = MappingProxyType(
    {
        Family.MEMORY: "rules or goals get lost",
        Family.CONTEXT: "the context grows too large",
        Family.DATAFLOW: "data does not arrive",
        Family.AGENT: "sub-agents fail",
        Family.TOKENS: "it costs too many tokens",
        Family.REDUNDANCY: "the same thing is said twice",
        Family.CONFLICT: "documents contradict each other",
        Family.AUTHORING: "something is unfinished or left over",
        Family.SPEC: "the skill does not load or trigger",
    }
)
"""Each kind of fault in a user's words, the likeliest first."""

CONFLICTING = (
    ("too long", "too short"),
    ("shorter", "more detail*"),
    ("shorten*", "more detail*"),
    ("fewer agents", "more agents"),
    ("太长", "太短"),
    ("精简", "更详细"),
)
"""Wishes that pull in opposite directions."""
