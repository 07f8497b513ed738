"""Who writes and reads which artefact, value and phase."""
