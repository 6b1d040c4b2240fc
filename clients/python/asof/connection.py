"""Connections to a service, which stay open between requests."""

from __future__ import annotations

import base64
import http.client
import os
import threading
import urllib.parse
import urllib.request
from typing import Mapping, NamedTuple, Optional, Type

from .answers import AsofError


class Reply(NamedTuple):
    """What a service replied."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class _Kept(threading.local):
    """The connection of a thread, and the process that made it: a forked one makes its own."""

    connection: Optional[http.client.HTTPConnection] = None
    process = 0


class Connections:
    """The connections to the service at a base URL, one for each thread."""

    def __init__(self, base_url: str, key: Optional[str], timeout: float) -> None:
        address = urllib.parse.urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname or address.username is not None:
            raise AsofError(f"invalid 'base_url' {base_url!r}: use an http or https address", 2, field="base_url")
        self._base_url = base_url.rstrip("/")
        self._address = address
        self._timeout = timeout
        self._headers = {"Accept": "application/json", "User-Agent": "asof-python"}
        if key:
            self._headers["X-API-Key"] = key
        self._is_forwarded = False
        self._kept = _Kept()

    def get(self, target: str) -> Reply:
        """Gets a path and query below the base URL; follows no redirects, because the key is for this address."""
        url = self._base_url + target
        try:
            return self._get(url)
        except (OSError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise AsofError(f"cannot reach {self._base_url}: {reason}", 7, kind="unreachable") from None

    def close(self) -> None:
        """Closes the connection of this thread."""
        if self._kept.connection is not None:
            self._kept.connection.close()
            self._kept.connection = None

    def _get(self, url: str) -> Reply:
        is_kept = self._kept.connection is not None and self._kept.process == os.getpid()
        if not is_kept:
            self._kept.connection, self._kept.process = self._connected(), os.getpid()
        connection = self._kept.connection
        assert connection is not None
        target = url if self._is_forwarded else urllib.parse.urlsplit(url)._replace(scheme="", netloc="").geturl()
        try:
            connection.request("GET", target, headers=self._headers)
            reply = connection.getresponse()
            return Reply(url, reply.status, dict(reply.headers), reply.read())
        except BaseException as error:
            # What is left of an answer must not begin the next one.
            self.close()
            # The service may have closed an idle connection.
            if is_kept and isinstance(error, ConnectionError):
                return self._get(url)
            raise

    def _connected(self) -> http.client.HTTPConnection:
        scheme, host = self._address.scheme, self._address.hostname or ""
        kind: Type[http.client.HTTPConnection]
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        proxy = None if urllib.request.proxy_bypass(host) else urllib.request.getproxies().get(scheme)
        if proxy is None:
            return kind(host, self._address.port, timeout=self._timeout)
        through = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        authorization = {}
        if through.username is not None:
            words = f"{urllib.parse.unquote(through.username)}:{urllib.parse.unquote(through.password or '')}"
            authorization["Proxy-Authorization"] = f"Basic {base64.b64encode(words.encode()).decode()}"
        connection = kind(through.hostname or "", through.port, timeout=self._timeout)
        if scheme == "https":
            connection.set_tunnel(host, self._address.port, authorization)
        else:
            self._is_forwarded = True
            self._headers.update(authorization)
        return connection
