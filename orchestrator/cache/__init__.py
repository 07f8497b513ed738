"""What may be lost, in the user's cache folder: the rows that `diagnose` gave, and the patterns that it compiled."""
