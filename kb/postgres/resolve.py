"""The addresses of a database's hosts, looked up in bounded time.

libpq asks the system's resolver without a time-out: a name server that does not answer would hold
a request for half a minute.
"""

from __future__ import annotations

import os
import socket
import threading
import time

# How long looking up the names of all hosts may take, in seconds.
RESOLVE_TIMEOUT = 1.5
# Look-ups that have not ended, by host; others wait for the same one, so that none pile up.
_running: dict[str, _Lookup] = {}
_lock = threading.Lock()


class _Lookup:
    """A look-up in a thread of its own, which the end of the process does not wait for."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.addresses: list[str] = []
        self.done = threading.Event()
        threading.Thread(target=self._run, name="kb-resolve", daemon=True).start()

    def _run(self) -> None:
        try:
            found = socket.getaddrinfo(self.host, None, type=socket.SOCK_STREAM)
            self.addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        except (OSError, UnicodeError):
            pass
        finally:
            with _lock:
                _running.pop(self.host, None)
            self.done.set()


def with_addresses(parameters: dict[str, str]) -> dict[str, str]:
    """Return the parameters of a connection with the addresses of its hosts.

    A host that is not known is left out. Raises OSError where none is known, or none in time.
    """
    hosts = (parameters.get("host") or os.environ.get("PGHOST", "")).split(",")
    if parameters.get("hostaddr") or not any(map(_is_name, hosts)):
        return parameters
    ports = (parameters.get("port") or os.environ.get("PGPORT", "")).split(",")
    if len(ports) not in (1, len(hosts)):
        return parameters
    deadline = time.monotonic() + RESOLVE_TIMEOUT
    lookups = [_lookup(host) if _is_name(host) else None for host in hosts]
    rows: list[tuple[str, str, str]] = []
    for number, (host, lookup) in enumerate(zip(hosts, lookups, strict=True)):
        port = ports[number if len(ports) > 1 else 0]
        if lookup is None:
            rows.append((host, "", port))
        elif lookup.done.wait(max(0.0, deadline - time.monotonic())):
            rows += [(host, address, port) for address in lookup.addresses]
    if not rows:
        is_late = any(lookup and not lookup.done.is_set() for lookup in lookups)
        raise OSError("no name server has answered" if is_late else "its host is not known")
    names, addresses, ports = ([row[column] for row in rows] for column in range(3))
    joined = {"host": ",".join(names), "hostaddr": ",".join(addresses)}
    return {**parameters, **joined, **({"port": ",".join(ports)} if any(ports) else {})}


def _lookup(host: str) -> _Lookup:
    with _lock:
        lookup = _running.get(host)
        if lookup is None:
            lookup = _running[host] = _Lookup(host)
        return lookup


def _is_name(host: str) -> bool:
    """Whether a host is a name to look up, and no address, socket folder or default."""
    if not host or host.startswith(("/", "@")):
        return False
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host.partition("%")[0])
            return False
        except OSError:
            continue
    return True
