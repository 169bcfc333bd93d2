"""Multicast DNS with python-zeroconf, on one address of this computer; prints tab-separated lines.

browse_mdns.py ADDRESS types           the types of service, sorted; then ends
browse_mdns.py ADDRESS service NAME    host, address, port and the TXT entries of an instance; then ends
browse_mdns.py ADDRESS host NAME       its address; then ends
browse_mdns.py ADDRESS claim NAME HOST registers that instance: "registered", until standard input ends, or "taken"
browse_mdns.py ADDRESS watch TYPE      "added" and "removed", each with the instance, until standard input ends
"""

import socket
import sys

from zeroconf import (
    AddressResolverIPv4,
    IPVersion,
    NonUniqueNameException,
    ServiceBrowser,
    ServiceInfo,
    Zeroconf,
    ZeroconfServiceTypes,
)

LIMIT_MS = 5000
# Address of a claimed host, used by none (RFC 5737).
FOREIGN_ADDRESS = "198.51.100.1"


def emit(*parts):
    print(*parts, sep="\t", flush=True)


def show_service(zeroconf, name):
    info = ServiceInfo(name.split(".", 1)[1], name)
    if not info.request(zeroconf, LIMIT_MS):
        return emit("nobody")
    addresses = info.parsed_addresses(IPVersion.V4Only)
    texts = [f"{key.decode()}={(value or b'').decode()}" for key, value in info.properties.items() if key]
    emit(info.server, *addresses, info.port, *texts)


def show_host(zeroconf, name):
    resolver = AddressResolverIPv4(name)
    emit(*resolver.parsed_addresses() if resolver.request(zeroconf, LIMIT_MS) else ["nobody"])


def claim(zeroconf, name, host):
    addresses = [socket.inet_aton(FOREIGN_ADDRESS)]
    info = ServiceInfo(name.split(".", 1)[1], name, port=9, addresses=addresses, server=host)
    try:
        zeroconf.register_service(info)
    except NonUniqueNameException:
        return emit("taken")
    emit("registered")
    sys.stdin.read()


class Watcher:
    """Interface of a ServiceBrowser's listener."""

    def add_service(self, zeroconf, kind, name):
        emit("added", name)

    def remove_service(self, zeroconf, kind, name):
        emit("removed", name)

    def update_service(self, zeroconf, kind, name):
        pass


address, what, *names = sys.argv[1:]
zeroconf = Zeroconf(interfaces=[address], ip_version=IPVersion.V4Only)
try:
    if what == "types":
        emit(*sorted(ZeroconfServiceTypes.find(zc=zeroconf, timeout=2)))
    elif what == "service":
        show_service(zeroconf, *names)
    elif what == "host":
        show_host(zeroconf, *names)
    elif what == "claim":
        claim(zeroconf, *names)
    else:
        ServiceBrowser(zeroconf, names[0], Watcher())
        sys.stdin.read()
finally:
    zeroconf.close()
