"""Print results. `formats/` has one file per output format. The formats share the other files."""
