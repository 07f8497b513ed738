"""The core: pure functions on frozen records, without disk, clock, network or model SDK."""
