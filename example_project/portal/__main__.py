"""Serves the portal to a browser: python -m example_project.portal [--port N]."""

from __future__ import annotations

import argparse
import sys

from example_project.portal.server import make_server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m example_project.portal", description=__doc__)
    parser.add_argument("--port", type=int, default=8808)
    port = parser.parse_args().port
    try:
        server = make_server(port)
    except (OSError, OverflowError) as error:  # port in use, not permitted, or invalid
        sys.exit(f"{parser.prog}: port {port}: {error}; give another: --port 8809")
    print(f"The portal is at http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C stops it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
