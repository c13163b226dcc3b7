"""Start a command under limits: `limited.py [--file-bytes N] [--obey] [--small-disk FOLDER BYTES] COMMAND …`."""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import subprocess
import sys

PR_CAPBSET_DROP = 24  # of <linux/prctl.h>
OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH of <linux/capability.h>: root may write what is read-only
MOUNT = 'mount -t tmpfs -o size="$2" tmpfs "$1" && shift 2 && exec "$@"'


def in_small_disk(folder: str, nbytes: str, command: list[str]) -> list[str]:
    """Return the command line that runs a command with its own file system in a folder, invisible to others."""
    return ["unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT, "sh", folder, nbytes, *command]


def may_mount(folder: str) -> bool:
    """Return whether this machine permits us to create a file system."""
    try:
        return subprocess.run(in_small_disk(folder, "100k", ["true"]), capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def main() -> None:
    """Replace this process by the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file-bytes", type=int, help="no file grows beyond it")
    parser.add_argument("--obey", action="store_true", help="permissions hold for root too")
    parser.add_argument("--small-disk", nargs=2, metavar=("FOLDER", "BYTES"), help="a file system of that size there")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if args.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (args.file_bytes, args.file_bytes))
    for override in OVERRIDES if args.obey and os.geteuid() == 0 else ():
        if ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, override, 0, 0, 0) != 0:
            sys.exit("the process cannot give up its capabilities")
    command = in_small_disk(args.small_disk[0], args.small_disk[1], args.command) if args.small_disk else args.command
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
