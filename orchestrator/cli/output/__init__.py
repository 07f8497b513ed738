"""Print results. `formats/` has one file per output format; the other files are what the formats share."""
