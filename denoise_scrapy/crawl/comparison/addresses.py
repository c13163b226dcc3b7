"""Whether a name leads to the public network only: a page must not send us into a private one."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from scrapy.utils.reactor import is_reactor_installed

Address = IPv4Address | IPv6Address
# IPv6 addresses that stand for IPv4 ones, in their last four bytes: RFC 6052.
_NAT64 = ip_network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether an address is one of the public network: not private, loopback, link-local, multicast or reserved.

    Example:
        >>> [is_public(ip_address(each)) for each in ("8.8.8.8", "10.0.0.1", "169.254.169.254", "224.0.0.1")]
        [True, False, False, False]
        >>> [is_public(ip_address(each)) for each in ("2606:4700::1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1")]
        [True, False, False, False]
    """
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def address_of(host: str) -> Address | None:
    """Return the address that a URL's host is, None where it is a name.

    Example:
        >>> address_of("::1"), address_of("a.example")
        (IPv6Address('::1'), None)
    """
    try:
        return ip_address(host)
    except ValueError:
        return None


async def leads_to_public_only(host: str, seconds: float) -> bool:
    """Whether all addresses of a host are public, as the crawl itself would find them; False where it has none.

    Args:
        host: Name or address.
        seconds: How long to wait for an answer.
    """
    literal = address_of(host)
    if literal is not None:
        return is_public(literal)
    try:
        found = await asyncio.wait_for(_resolve(host), seconds)
    except (OSError, asyncio.TimeoutError, UnicodeError):
        return False
    addresses = [address_of(each) for each in found]
    return bool(addresses) and all(address is not None and is_public(address) for address in addresses)


async def _resolve(host: str) -> list[str]:
    """Addresses of a name, by the reactor's resolver: its cache is the one that the download asks next."""
    if is_reactor_installed():
        from twisted.internet import reactor  # noqa: PLC0415 - an import would install one

        receiver = _Receiver()
        reactor.nameResolver.resolveHostName(receiver, host)
        return await receiver.done
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class _Receiver:
    """Collects what a resolver of Twisted finds (`IResolutionReceiver`)."""

    def __init__(self) -> None:
        self.done: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._found: list[str] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - the interface's name
        """Nothing is to be done then."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802 - the interface's name
        """Note an address."""
        self._found.append(str(address.host))

    def resolutionComplete(self) -> None:  # noqa: N802 - the interface's name
        """Tell what was found."""
        with suppress(asyncio.InvalidStateError):  # nobody waits any more
            self.done.set_result(self._found)
