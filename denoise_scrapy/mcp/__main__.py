"""Serve tools to agents over standard input and output: `python -m denoise_scrapy.mcp [--private]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from denoise_scrapy.mcp.tools import Tools
from denoise_scrapy.shown import say

_NO_EXTRA = "needs mcp 2, which is not installed: pip install denoise-scrapy[mcp]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until its input ends; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m denoise_scrapy.mcp", description=__doc__.partition(":")[0])
    private = "also fetch pages from private addresses, as those of this machine and its network"
    parser.add_argument("--private", action="store_true", help=private)
    args = parser.parse_args(arguments)
    try:
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - an extra
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415
    except ImportError:
        say(f"{parser.prog}: {_NO_EXTRA}", file=sys.stderr)
        return 1
    tools = Tools(private=args.private, error=ToolError)
    server = MCPServer("denoise_scrapy", instructions=tools.__doc__)
    for tool in (tools.extract, tools.compare, tools.dedup):
        server.add_tool(tool)
    server.run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
