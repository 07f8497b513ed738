"""List the strategies without a module, whose changes a model drafts or a person makes."""

from collections.abc import Mapping
from types import MappingProxyType

DRAFTED: Mapping[str, str] = MappingProxyType(
    {
        "bound_loop": "Give a loop, a wait or a retry a limit, and say what happens when it is reached.",
        "centralize_mapping_config": "Keep a mapping in the one file that defines it, and refer to it elsewhere.",
        "checkpoint_restore": "Save the progress after each stage, and continue from it in a new session.",
        "consolidate_to_ssot": "Keep a definition in one place, and refer to it elsewhere.",
        "constraint_injection": (
            "Repeat a constraint where it must be obeyed: in the later phase, in the sub-agent's prompt."
        ),
        "context_passing": "Pass a value in the context instead of through a file.",
        "context_summarization": "Pass on a summary instead of the whole text.",
        "custom": "An edit that fits only this finding.",
        "deduplicate_storage": "Keep a value in one field.",
        "describe_occasion": "Let the description say when to use the skill, in the words of its users.",
        "drop_contradicted_rule": "Remove a rule that another rule overrides.",
        "error_wrapping": "Say what happens when a sub-agent or a command fails.",
        "field_normalization": "Use one name for each concept.",
        "flatten_nesting": "Start all sub-agents from the main conversation, none from a sub-agent.",
        "goal_embedding": "Keep the user's own words in the state, and check the result against them.",
        "instruction_clarification": "Say what is wanted and how it is measured instead of a vague word.",
        "lazy_loading": "Read a text when it is needed, not at the start.",
        "minimize_state": "Remove the fields of the state that nothing uses.",
        "orchestrator_refactor": "Choose the next step in one place.",
        "output_minimization": "Let an agent return a path and a short result instead of a long text.",
        "output_specification": "Show the format of the result once, with the criteria for checking it.",
        "parallel_execution": "Start independent work in parallel.",
        "path_reference": "Pass the path of a file instead of its contents.",
        "prompt_compression": "Say the same in fewer words.",
        "repeat_rule": "Repeat the rule in the part that survives a compaction.",
        "result_validation": "Check a result before it is used.",
        "schema_enforcement": "Give the state a schema, and check what is read against it.",
        "sliding_window": "Keep only the last entries of a history.",
        "split_to_references": "Move text that is rarely needed into a file that is read on demand.",
        "state_centralization": "Keep the state in one file.",
        "state_field_reduction": "Keep fewer fields in the state.",
        "structured_state": "Keep the state as a record of named fields.",
        "user_checkpoint": "Ask the user before an action that cannot be undone, and report what was done.",
    }
)
"""The strategies by name, each with a description of its draft."""
