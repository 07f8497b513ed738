"""Find projects on disk and read them: their roots, settings, skills and other units."""
