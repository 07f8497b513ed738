"""How skills speak of sub-agents, English and Chinese: who works, how one is set to work, how it fails.

The other constants are parts of a regex without a case of its own; the patterns of a concept share them.
"""

from actions.skill.stems import Stems

WORKERS = Stems("agent", "worker", "teammate", "helper", "assistant", "代理", "智能体", "队友", "帮手", "助手")
"""One of them stands in each text that speaks of a sub-agent."""
NAMED_WORKER = r"(?:`[\w:-]{2,40}`\s+(?:sub-?)?(?:agents?|workers?)|agents?\s+`[\w:-]{2,40}`)"
SURE_WORKER = (
    r"(?:sub-?agents?|teammates?|worker agents?|(?:background|parallel|child|separate|fresh|specialist) agents?"
    r"|(?:general-purpose|Explore|Plan|helper|reader|further|second|another|new) (?:sub-?)?agents?"
    rf"|{NAMED_WORKER})"
)
"""A name that only a sub-agent bears."""
WORKER = rf"(?:{SURE_WORKER}|\bagents?\b|\bworkers?\b)"
WORKER_CHINESE = r"(?:子代理|子智能体|子\s?[Aa]gents?|代理|智能体|队友|\bagents?\b|\bworkers?\b)"
LAUNCH = (
    r"(?:launch|spawn|dispatch|delegate|kick off|fan out|spin up|fire off|fire up|farm out|hand off|hand over"
    r"|bring in)"
)
"""What is done to sub-agents and to little else."""
HAND = r"(?:get|start|run|invoke|create|call|use|ask|have|let|hand|give|pass|send|assign|task|deploy|engage)"
"""What is done to sub-agents and to everything else: needs a name that only a sub-agent bears."""
LAUNCHED = (
    r"(?:launched|spawned|dispatched|started|invoked|kicked off|fanned out|spun up|handed|sent|given|assigned|run)"
)
LAUNCH_CHINESE = r"(?:启动|派发|派遣|调用|创建|生成|委派|委托|分派|分发|交给|交由|指派|派出|开启|另起|另派|派)"
HAND_CHINESE = (
    r"(?:请|让|叫|用|找|起)[^。；，\n]{0,6}?(?:[一二两三四五几多\d]+\s*个|若干|各)"
    r"[^。；，\n]{0,24}?(?:子代理|子智能体|代理|智能体)"
)
NOT = (
    r"(?:do not|don['’]t|does not|doesn['’]t|never|not|no|without|instead of|rather than|cannot|can['’]t|must not"
    r"|avoid)"
)
NOT_CHINESE = r"(?:不要|禁止|不得|不能|不可|请勿|切勿|避免|而不是|无需|不必|不再|无法)"
ANSWER = (
    r"(?:answers?|repl(?:y|ies)|responses?|outputs?|results?|findings|verdicts?|returns?|returned|sends? back"
    r"|sent back)"
)
ANSWER_CHINESE = r"(?:返回|回来|带回|交回|给出|结果|回复|回答|输出|响应)"
CHECKED = (
    r"(?:\bvalidat|\bverif(?:y|ies|ied)|\bcheck(?:s|ed|ing)? (?:that|whether|if|for|its|the|each|it)\b"
    r"|\bnot (?:a )?(?:valid )?(?:json|yaml)|\binvalid|\bmalformed|\bschema\b|\bfail\w* to parse"
    r"|\bpars(?:e|ing) (?:error|fail)|\b(?:cannot|can['’]t|does not|doesn['’]t) (?:be )?pars"
    r"|\bif (?:that|it|this|parsing) fails|\bdiscard|\bdamaged|\bcorrupt|\bmissing|\bunless\b"
    r"|\bask (?:it )?(?:again|once more)"
    r"|校验|验证|核对|检查|解析失败|不是(?:合法|有效)|不合法|无效|损坏|缺失|缺少|不合格)"
)
"""Somebody looks at an answer, or says what holds when it is no good."""
