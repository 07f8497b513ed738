"""The shell: everything that touches disk, clock, network or terminal."""
