"""Read and write data on sessions and projects: configuration, consent, cycles, breadcrumbs, policies."""
