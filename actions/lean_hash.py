"""Compute SHA-256 without OpenSSL, which `hashlib` loads in 3 ms of a hook's time. `random` does the same."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256


def hash_bytes(data: bytes) -> str:
    """Return the SHA-256 of some bytes as hexadecimal digits."""
    return str(sha256(data).hexdigest())
