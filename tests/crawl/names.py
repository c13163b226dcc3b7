"""Host names for tests: any name resolves to this machine, or to the addresses chosen by a test."""

from collections.abc import Sequence
from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address

LOCAL = "127.0.0.1"


class Names:
    """A resolver for the reactor: each look-up returns the next answer, the last one repeatedly."""

    def __init__(self) -> None:
        self.answers: list[Sequence[str] | None] = [[LOCAL]]
        self.asked: list[str] = []

    def resolveHostName(self, receiver: Any, name: str, portNumber: int = 0, *_: Any, **__: Any) -> Any:  # noqa: N802, N803
        self.asked.append(name)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        receiver.resolutionBegan(self)
        for host in answer or ():
            address = IPv6Address("TCP", host, portNumber) if ":" in host else IPv4Address("TCP", host, portNumber)
            receiver.addressResolved(address)
        if answer is not None:  # else never
            receiver.resolutionComplete()
        return self
