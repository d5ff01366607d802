"""Public addresses: decides which internet addresses a stranger's URL may lead to, and looks names up. It knows no HTTP."""

import socket
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

__all__ = ["Resolve", "addresses_of", "is_of_this_machine", "is_public"]

Resolve = Callable[[str, int], tuple[str, ...]]  # (host, port) -> addresses, in the order in which to dial them

# IANA's IPv4 special-purpose registry, without regard to what it calls reachable: none of these blocks holds a web server of the public.
# (`ipaddress.is_global` follows the registry of its Python's day and has missed blocks of it: CVE-2024-4032.)
_NOT_PUBLIC_V4 = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network; 0.0.0.0 reaches loopback
            "10.0.0.0/8",  # RFC 1918
            "100.64.0.0/10",  # carrier-grade NAT, RFC 6598; some clouds' metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's wire server: a public number that only its virtual machines reach
            "169.254.0.0/16",  # link-local; most clouds' metadata
            "172.16.0.0/12",  # RFC 1918
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # multicast tunnelling, RFC 7450
            "192.88.99.0/24",  # 6to4 relays, RFC 7526
            "192.168.0.0/16",  # RFC 1918
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks, RFC 2544
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
# All of IPv6 that is handed out to the public (RFC 4291 section 2.4). Outside of it are loopback, unspecified, IPv4-mapped and
# IPv4-compatible addresses, unique local (fc00::/7), link-local (fe80::/10), site-local, multicast and local NAT64 (64:ff9b:1::/48).
_GLOBAL_V6 = ip_network("2000::/3")
_NOT_PUBLIC_V6 = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocol assignments, Teredo (2001::/32) among them, which carries any IPv4 address
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: carries any IPv4 address
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64 = ip_network("64:ff9b::/96")  # RFC 6052: how a network with IPv6 alone reaches IPv4; the last 32 bits are the IPv4 address
_SOME_PORT = 9  # discard; nothing is sent to it


def addresses_of(host: str, port: int) -> tuple[str, ...]:
    """The addresses that the system knows for a host. Blocks as long as the system's resolver likes. Raises OSError, UnicodeError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(socket_address[0]) for *_, socket_address in found))


def is_public(address: str) -> bool:
    """Whether this is an address of the public internet, and not one of this machine's own, where a firewall would be behind us."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return _is_handed_out(parsed) and not is_of_this_machine(address)


def is_of_this_machine(address: str) -> bool:
    """The system reaches an address of this machine from that address itself. Connecting a datagram socket sends nothing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, _SOME_PORT))
            return ip_address(probe.getsockname()[0]) == ip_address(address)
    except OSError:  # no way there, so not here either
        return False


def _is_handed_out(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _NOT_PUBLIC_V4)
    if address in _NAT64:
        return _is_handed_out(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in _GLOBAL_V6 and not any(address in block for block in _NOT_PUBLIC_V6)
