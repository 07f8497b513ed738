"""Read and write the state of sessions and projects: configuration, consent, cycles, breadcrumbs, notes, policies."""
