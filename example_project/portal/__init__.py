"""A small web portal generated from a seed, with known text for every page and known copies."""

from example_project.portal.build import build
from example_project.portal.model import Portal, PortalPage
from example_project.portal.server import serve

__all__ = ["Portal", "PortalPage", "build", "serve"]
