"""Read and write files safely: durable writes, append-only logs, no links followed, git, the user's own folders."""
