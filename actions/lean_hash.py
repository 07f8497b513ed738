"""Compute SHA-256 without `hashlib`, which loads OpenSSL and costs a hook 3 ms. The module `random` does the same."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256


def hash_bytes(data: bytes) -> str:
    """Return the SHA-256 hash of bytes as hexadecimal digits."""
    return str(sha256(data).hexdigest())
