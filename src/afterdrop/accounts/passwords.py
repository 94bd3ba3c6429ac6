"""Passwords: argon2id hashes. Each takes some 50 ms of CPU and 64 MiB, so requests use `run_hashing`."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_LENGTH = 10
MAX_LENGTH = 200
hasher = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=2)
# Two at a time, however many passwords are sent: 128 MiB at most, and other threads stay free for other work.
_threads = ThreadPoolExecutor(2, "passwords")
Given = ParamSpec("Given")
Result = TypeVar("Result")


async def run_hashing(work: Callable[Given, Result], *args: Given.args, **more: Given.kwargs) -> Result:
    """Run `hash_password` or `password_fits` in a thread, a few at a time."""
    return await asyncio.get_running_loop().run_in_executor(_threads, lambda: work(*args, **more))


def password_fault(password: str) -> str | None:
    """The fault of a new password in words, or None. Characters are counted in NFC, as they are hashed."""
    length = len(_composed(password))
    if length < MIN_LENGTH:
        return f"must have at least {MIN_LENGTH} characters"
    if length > MAX_LENGTH:
        return f"must have at most {MAX_LENGTH} characters"
    return None


def hash_password(password: str) -> str:
    """A salted argon2id hash, in its standard text form, of the password in NFC (RFC 8265, section 4.2)."""
    return hasher.hash(_composed(password))


def password_fits(stored: str | None, password: str) -> bool:
    """Whether the password is the stored one, in NFC (RFC 8265, section 4.2) or as it was typed.

    Accounts made before 2.0 have a hash of what was typed. Where the two differ both hashes are computed, else one.
    The stored hash, or none, never changes how many.
    """
    spellings = dict.fromkeys(text[: MAX_LENGTH + 1] for text in (_composed(password), password))
    fits = [_verified(stored or _hash_of_nobody(), each) for each in spellings]
    return any(fits) and stored is not None


def _verified(stored: str, password: str) -> bool:
    try:
        return hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


def _composed(password: str) -> str:
    """The password in NFC, one that is far too long cut first: composing takes quadratic time for a run of accents.

    A character of NFC comes from at most four (Unicode Standard Annex 15), so what is cut is still too long.
    """
    return unicodedata.normalize("NFC", password[: 4 * MAX_LENGTH + 1])


@lru_cache(maxsize=1)
def _hash_of_nobody() -> str:
    return hasher.hash("nobody has this password")
