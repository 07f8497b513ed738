"""Parse fences and scripts, and find calls, loops, options, files and fields in them. Independent of skills."""
