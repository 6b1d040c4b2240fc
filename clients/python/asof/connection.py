"""Connections to a service, which stay open between requests."""

from __future__ import annotations

import base64
import functools
import gzip
import http.client
import io
import os
import socket
import threading
import time
import urllib.parse
import urllib.request
import zlib
from typing import Any, Mapping, NamedTuple, Optional, Type

from .answers import AsofError


#: The media type of answers with the types of columns and notes, as `asof lines` gives them.
answer_type = "application/vnd.asof.answer+json"


class Reply(NamedTuple):
    """What a service replied; the URL is without its query."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


class _Kept(threading.local):
    """The connection of a thread, and the process that made it: a forked one makes its own."""

    connection: Optional[http.client.HTTPConnection] = None
    process = 0
    #: When the try of a request is given up, on the monotonic clock.
    deadline = 0.0


class _TimedStream(io.RawIOBase):
    """What a socket receives until the deadline of its thread; its own timeout begins anew with each byte."""

    def __init__(self, stream: io.RawIOBase, received: socket.socket, kept: _Kept) -> None:
        self._stream, self._socket, self._kept = stream, received, kept

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        left = self._kept.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(left)
        return self._stream.readinto(buffer)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _TimedReply(http.client.HTTPResponse):
    """A reply that is read until the deadline of its thread."""

    def __init__(self, kept: _Kept, received: socket.socket, *args: Any, **named: Any) -> None:
        super().__init__(received, *args, **named)
        self.fp: Any = io.BufferedReader(_TimedStream(self.fp.detach(), received, kept))


class Connections:
    """The connections to the service at a base URL, one for each thread."""

    def __init__(self, base_url: str, key: Optional[str], timeout: float) -> None:
        self._base_url = checked_url(base_url)
        self._address = urllib.parse.urlsplit(self._base_url)
        self._timeout = timeout
        self._headers = {"Accept": answer_type, "Accept-Encoding": "gzip", "User-Agent": "asof-python"}
        if key:
            self._headers["X-API-Key"] = key
        self._is_forwarded = False
        self._kept = _Kept()
        self._reply_class = functools.partial(_TimedReply, self._kept)

    def get(self, target: str) -> Reply:
        """Gets a path and query below the base URL; follows no redirects, because the key is for this address."""
        url = self._base_url + target
        try:
            return self._get(url)
        except (OSError, http.client.HTTPException, EOFError, zlib.error) as error:
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
        self._kept.deadline = time.monotonic() + self._timeout
        try:
            if connection.sock is not None:
                connection.sock.settimeout(self._timeout)
            connection.request("GET", target, headers=self._headers)
            reply = connection.getresponse()
            body = reply.read()
            shown = url.partition("?")[0]
            return Reply(shown, reply.status, reply.headers, gzip.decompress(body) if _is_zipped(reply) else body)
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
            return self._timed(kind(host, self._address.port, timeout=self._timeout))
        through = urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if _port(through) is None or not through.hostname:
            raise AsofError("the proxy that the environment names is no address", 2, field="base_url")
        authorization = {}
        if through.username is not None:
            words = f"{urllib.parse.unquote(through.username)}:{urllib.parse.unquote(through.password or '')}"
            authorization["Proxy-Authorization"] = f"Basic {base64.b64encode(words.encode()).decode()}"
        connection = self._timed(kind(through.hostname or "", through.port, timeout=self._timeout))
        if scheme == "https":
            connection.set_tunnel(host, self._address.port, authorization)
        else:
            self._is_forwarded = True
            self._headers.update(authorization)
        return connection

    def _timed(self, connection: http.client.HTTPConnection) -> http.client.HTTPConnection:
        connection.response_class = self._reply_class  # type: ignore[assignment]
        return connection


def checked_url(base_url: str) -> str:
    """Returns the base URL of a service; refuses one that is no address, or has a password, and never shows that."""
    try:
        address = urllib.parse.urlsplit(base_url)
        has_port = _port(address) is not None
    except (ValueError, TypeError, AttributeError):
        raise AsofError("invalid 'base_url': use an http or https address", 2, field="base_url") from None
    if address.username is not None or address.query or address.fragment:
        reason = "use an address without user, password and query; key= is for the key"
        raise AsofError(f"invalid 'base_url' at {address.hostname}: {reason}", 2, field="base_url")
    is_plain = base_url.isprintable() and " " not in base_url and address.path.isascii()
    if address.scheme not in ("http", "https") or not address.hostname or not has_port or not is_plain:
        raise AsofError(f"invalid 'base_url' {base_url!r}: use an http or https address", 2, field="base_url")
    return base_url.rstrip("/")


def _port(address: urllib.parse.SplitResult) -> Optional[int]:
    """Returns the port of an address, 0 for the usual one; None if it is none."""
    try:
        return address.port or 0
    except ValueError:
        return None


def _is_zipped(reply: http.client.HTTPResponse) -> bool:
    return reply.headers.get("Content-Encoding") == "gzip"
