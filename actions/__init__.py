"""The core: pure functions on frozen records that use no disk, clock, network or model SDK."""
