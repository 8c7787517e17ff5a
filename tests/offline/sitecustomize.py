"""Refuse the network, in every Python process that has this folder on its PYTHONPATH.

Only loopback stays open: a notebook's kernel talks to pytest over it. An audit hook sees every
socket call of the process, whichever library makes it, and cannot be taken out again.
"""

import ipaddress
import sys

ADDRESS_COMES_SECOND = ("socket.connect", "socket.sendto", "socket.sendmsg")
NAME_COMES_FIRST = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def is_loopback(host: str | bytes | None) -> bool:
    """Return whether `host`, a name or an address, is this machine; None stands for it as well."""
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def refuse(event: str, arguments: tuple) -> None:
    """Raise OSError when the audited `event` reaches for another machine."""
    if event in ADDRESS_COMES_SECOND:
        address = arguments[1]
        if not isinstance(address, tuple):  # a Unix socket's path, or a connected datagram socket
            return
        host = address[0]
    elif event in NAME_COMES_FIRST:
        host = arguments[0]
    else:
        return
    if not is_loopback(host):
        raise OSError(f"the tests run without a network, and something asked for {host}")


sys.addaudithook(refuse)
