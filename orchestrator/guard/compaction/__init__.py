"""Record compactions, and check what a session lost in one."""
