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

_ENDED = frozenset("ZXx")  # states in /proc of a process that has ended


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
    pid = process.partition("-")[0]
    if os.name != "posix" or host != _host() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # of another user
        return False
    now = _process(int(pid))
    return not now or ("-" in now and "-" in process and now != process)


def _process(pid: int) -> str:
    """A process and when it started, for numbers come back; only its number where the system does not tell.

    "" for one that has ended, though its parent has not asked for it yet.
    """
    try:
        state, *more = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (OSError, ValueError):
        return str(pid)
    return "" if state in _ENDED else f"{pid}-{more[18]}"


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
