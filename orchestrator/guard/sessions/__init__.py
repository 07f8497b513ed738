"""Keep the state of sessions and projects: configuration, consent, cycles, breadcrumbs, notes, policies."""
