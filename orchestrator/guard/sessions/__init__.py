"""Read and write what is known of sessions and projects: configuration, consent, cycles, breadcrumbs, policies."""
