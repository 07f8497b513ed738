"""Read and write files safely: durable writes, no links followed, git, the user's own folder."""
