"""Own code: what a listener is given to have their answers deleted, or handed out, later: twelve letters that can be read out.

It is made of the session's token, so that whoever comes back is told it again; the database has its hash alone. A code has 38 bits, so that
the hash is a slow one, salted with the test's secret, and tries at the page are counted (studio/ui/listener/session_pace.py).
"""

import hashlib
import hmac
from base64 import b32encode

__all__ = ["code_hash", "completion_code", "own_code"]

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aeiou"
N_SYLLABLES, GROUP = 6, 4
SCRYPT = {"n": 1 << 12, "r": 8, "p": 1}  # some 10 ms


def own_code(token: str) -> str:
    """Such as "bado-kemu-rila"."""
    number = int.from_bytes(hmac.digest(token.encode("utf-8", "surrogatepass"), b"own code", hashlib.sha256))
    letters = ""
    for _ in range(N_SYLLABLES):
        number, consonant = divmod(number, len(CONSONANTS))
        number, vowel = divmod(number, len(VOWELS))
        letters += CONSONANTS[consonant] + VOWELS[vowel]
    return "-".join(letters[at : at + GROUP] for at in range(0, len(letters), GROUP))


def code_hash(code: str, secret: bytes) -> str:
    """secret: the test's. However the code is written: in capitals, without hyphens, with spaces."""
    plain = "".join(filter(str.isalpha, code.lower()))[:64]
    return hashlib.scrypt(plain.encode("utf-8", "surrogatepass"), salt=secret, **SCRYPT).hex()


def completion_code(session: int, secret: bytes) -> str:
    """That the studio makes for one listener, to be entered at a service: ten capitals and digits."""
    return b32encode(hmac.digest(secret, f"completion/{session}".encode(), hashlib.sha256)).decode()[:10]
