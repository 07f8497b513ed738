"""Keep the state of sessions and projects: breadcrumbs, cycles, drives, configuration, notes."""
