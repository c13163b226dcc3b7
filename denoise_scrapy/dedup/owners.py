"""Owners of claims: the name of an index, and what tells that its process has ended.

A name is `host:process:random`. `host` is the machine since it was started, as this process sees its processes: two
containers of one host have different ones, and so has a machine started anew.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import uuid
from functools import cache
from pathlib import Path

CLAIM_SECONDS = 15.0
"""An owner not heard of for so long is dead. It is to be heard of every third of it, so that a pause of some seconds,
by a slow page or a busy machine, costs no claim; and a copy of a text whose owner died waits no longer."""

_ENDED = frozenset("ZXx")  # states of a process that has ended, while its parent has not asked for it


def new_owner() -> str:
    """Give a name for an index of this process.

    Example:
        >>> has_ended(new_owner())
        False

    """
    return f"{_host()}:{_process(os.getpid())}:{secrets.token_hex(4)}"


def has_ended(owner: str) -> bool:
    """Whether an owner is a process of this machine that has ended; False where only its age can tell."""
    host, process, *_ = (*owner.split(":"), "", "")
    if host != _host():
        return False
    pid = process.partition("-")[0]
    return pid.isdecimal() and process != _process(int(pid))


def _process(pid: int) -> str:
    """A process and when it started, where the system tells, for numbers come back; "" for one that has ended."""
    try:
        state, *more = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (OSError, ValueError):
        return str(pid) if _is_there(pid) else ""
    return "" if state in _ENDED else f"{pid}-{more[18]}"


def _is_there(pid: int) -> bool:
    """Whether there is such a process, where the system has no files that tell."""
    if Path("/proc/self/stat").exists():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # of another user, or not to be asked in this way: age decides
        return True
    return True


@cache
def _host() -> str:
    """The machine: its name is not enough, for copies of machines share it."""
    name = socket.gethostname().replace(":", "-")
    parts = [name]
    try:
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text())
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        parts.append(str(uuid.getnode()))
    return f"{name}-{hashlib.blake2b(''.join(parts).encode(), digest_size=6).hexdigest()}"
