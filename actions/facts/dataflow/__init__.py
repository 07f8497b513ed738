"""Who writes and reads which artefact, state field, file and phase."""
