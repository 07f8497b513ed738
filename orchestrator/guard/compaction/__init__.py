"""Record compactions and check what a session lost at one."""
