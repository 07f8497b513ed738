"""Read what the listing of skills in a session is made of, compute it, and compare it with Claude Code's own."""
