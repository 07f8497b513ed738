"""Read and write files safely, without following links: durable writes, append-only logs, git, trusted folders."""
