"""Addresses that a crawl may request by itself: public ones only, since pages choose the hosts of their links."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from types import SimpleNamespace
from typing import Any

from scrapy.utils.reactor import is_reactor_installed

Address = IPv4Address | IPv6Address

# IPv6 addresses that carry an IPv4 address in their last four bytes: RFC 6052.
_NAT64 = ip_network("64:ff9b::/96")
# Private, though older Pythons, or all of them, count them as public: protocol assignments, where some clouds have
# the metadata of their machines (RFC 6890); the address by which machines of another reach their host.
_PRIVATE = (ip_network("192.0.0.0/24"), ip_network("168.63.129.16/32"))


def is_public(address: Address) -> bool:
    """Return whether an address is public: not private, loopback, link-local, multicast or reserved."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    if any(address in network for network in _PRIVATE):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def address_of(host: str) -> Address | None:
    """Return a URL's host as an IP address, None if it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


async def leads_to_public_only(host: str, seconds: float) -> bool:
    """Return whether all addresses that a host resolves to in the crawl are public; False if there are none."""
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
    """Return the addresses of a name from the reactor's resolver, whose cache the download uses next."""
    loop = asyncio.get_running_loop()
    if not is_reactor_installed():
        return [str(entry[4][0]) for entry in await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    from twisted.internet import reactor  # noqa: PLC0415 - an import would install one

    done: asyncio.Future[list[str]] = loop.create_future()
    found: list[str] = []

    def complete() -> None:
        if not done.done():  # as it is after a time-out
            done.set_result(found)

    def add(address: Any) -> None:
        found.append(str(address.host))

    receiver = SimpleNamespace(  # an `IResolutionReceiver`
        resolutionBegan=lambda _: None, addressResolved=add, resolutionComplete=complete
    )
    reactor.nameResolver.resolveHostName(receiver, host)
    return await done
