"""Find faults in the data that phases pass to each other."""
