"""A small web portal, made up from a seed, of which the text of every page and every copy is known."""

from example_project.portal.build import build
from example_project.portal.model import Portal, PortalPage
from example_project.portal.server import serve

__all__ = ["Portal", "PortalPage", "build", "serve"]
