"""Names and heads as Claude Code wants them."""
