"""Serves the portal for looking at in a browser: python -m example_project.portal [--port N]."""

from __future__ import annotations

import argparse

from example_project.portal.server import make_server


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m example_project.portal", description=__doc__)
    parser.add_argument("--port", type=int, default=8808)
    server = make_server(parser.parse_args().port)
    print(f"The portal is at http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C stops it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
