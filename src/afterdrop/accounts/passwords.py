"""Passwords: argon2id hashes. Each takes some 50 ms of CPU and 64 MiB, so requests use `run_hashing`."""

from __future__ import annotations

import asyncio
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
    """What is wrong with a new password in words, or None."""
    if len(password) < MIN_LENGTH:
        return f"must have at least {MIN_LENGTH} characters"
    if len(password) > MAX_LENGTH:
        return f"must have at most {MAX_LENGTH} characters"
    return None


def hash_password(password: str) -> str:
    """A salted argon2id hash in its standard text form."""
    return hasher.hash(password)


def password_fits(stored: str | None, password: str) -> bool:
    """Whether the password is the stored one. Without a stored hash it takes as long and gives False."""
    try:
        return hasher.verify(stored or _hash_of_nobody(), password[: MAX_LENGTH + 1]) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


@lru_cache(maxsize=1)
def _hash_of_nobody() -> str:
    return hasher.hash("nobody has this password")
