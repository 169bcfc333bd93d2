"""Client of the gateway's HTTP API (docs/api.md), which knows nothing of Home Assistant.

The gateway's certificate is its own, so no authority vouches for it. The client compares the SHA-256 of the
certificate's public key instead (RFC 7469, 2.4), which stays when the gateway's name, address or certificate change.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509 import load_der_x509_certificate

type JSON = dict[str, Any]

REQUEST_LIMIT_S = 20
METER_LIMIT_S = 75
"""A readout takes up to 60 s."""
UPLOAD_LIMIT_S = 960
"""A transfer of firmware may take 15 minutes."""
SILENCE_S = 40
"""The event stream says something each 15 s at least."""
HTTPS_PORT = 443


class GatewayError(Exception):
    """A request failed; `code` is a stable code of the API, or one of this module."""

    def __init__(self, code: str, message: str = "") -> None:
        """Keep the code, for programs, apart from the sentence for people."""
        super().__init__(message or code)
        self.code = code


class ConnectionFailedError(GatewayError):
    """The gateway does not answer."""


class KeyChangedError(GatewayError):
    """The server has another key than the gateway."""


class UnauthorizedError(GatewayError):
    """The token or the password is not valid."""


class BusyError(GatewayError):
    """The gateway has no room for the request now; try again after `retry_s`."""

    def __init__(self, code: str, message: str, retry_s: int) -> None:
        """Keep the pause that the gateway wants, seconds."""
        super().__init__(code, message)
        self.retry_s = retry_s


class KeyCheck(aiohttp.Fingerprint):
    """Checks the public key of a server after the TLS handshake, before anything is sent.

    Without a pin it accepts any key. `key` and `certificate` are then the SHA-256 of what the server has shown.
    """

    def __init__(self, pin: str | None = None) -> None:
        """Take the pin, 64 hexadecimal digits."""
        super().__init__(bytes.fromhex(pin) if pin else bytes(32))
        self._is_pinned = pin is not None
        self.key = ""
        self.certificate = ""

    def __repr__(self) -> str:
        """Return what aiohttp shows in messages about failed connections."""
        return "pinned" if self._is_pinned else "any key"

    def check(self, transport: asyncio.Transport) -> None:
        """Raise ServerFingerprintMismatch if the key differs; aiohttp then closes the connection."""
        der = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        public_key = load_der_x509_certificate(der).public_key()
        digest = hashlib.sha256(public_key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
        self.key = digest.hex()
        self.certificate = hashlib.sha256(der).digest().hex(":").upper()
        if self._is_pinned and digest != self.fingerprint:
            host, port, *_ = transport.get_extra_info("peername")
            raise aiohttp.ServerFingerprintMismatch(self.fingerprint, digest, host, port)


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of `host`, `host:port`, or the address of the gateway's page. Raise ValueError otherwise."""
    authority = address.strip().removeprefix("https://").split("/")[0]
    host, _, port = authority.partition(":")
    if not host or any(character.isspace() for character in host):
        raise ValueError(address)
    return host, int(port) if port else HTTPS_PORT


class GatewayClient:
    """Requests to one gateway, one at a time, and its event stream."""

    def __init__(
        self, session: aiohttp.ClientSession, host: str, port: int, pin: str | None = None, token: str = ""
    ) -> None:
        """Without a pin, any key is accepted: only for the first contact."""
        self._session = session
        self._lock = asyncio.Lock()
        self.url = f"https://{host}" if port == HTTPS_PORT else f"https://{host}:{port}"
        self.check = KeyCheck(pin)
        self.token = token

    async def get(self, path: str, limit_s: int = REQUEST_LIMIT_S, **query: str | int) -> JSON:
        """Return the JSON reply."""
        return await self._json("GET", path, limit_s, params=query)

    async def post(self, path: str, body: JSON | None = None) -> JSON:
        """Return the JSON reply; empty for an empty one."""
        return await self._json("POST", path, REQUEST_LIMIT_S, json=body or {})

    async def delete(self, path: str) -> None:
        """Send a DELETE."""
        await self._request("DELETE", path, REQUEST_LIMIT_S)

    async def metrics(self) -> str:
        """Return the gateway's values as text for Prometheus (docs/metrics.md)."""
        return await self._request("GET", "metrics", REQUEST_LIMIT_S)

    async def read_meter(self) -> None:
        """Make the gateway read its meter now."""
        await self._request("GET", "iec62056/read", METER_LIMIT_S)

    async def upload(self, file: bytes) -> None:
        """Install a firmware file. The gateway answers when it has verified it, and then restarts.

        Other requests do not wait for the transfer.
        """
        headers = {"Content-Type": "application/octet-stream"}
        await self._send("POST", "system/ota", UPLOAD_LIMIT_S, data=file, headers=headers)

    async def log_in(self, password: str) -> None:
        """Open a session by the challenge; the password itself is never sent (docs/api.md, Authentication 3)."""
        challenge = await self.get("system/challenge")
        inner = hashlib.sha256((challenge["salt"] + password).encode()).digest()
        proof = hashlib.sha256(inner + challenge["nonce"].encode()).hexdigest()
        body = {"username": "admin", "nonce": challenge["nonce"], "proof": proof}
        self.token = (await self.post("system/login", body))["token"]

    async def log_out(self) -> None:
        """End the session."""
        await self.post("system/logout")
        self.token = ""

    async def events(self) -> AsyncIterator[tuple[str, JSON]]:
        """Yield name and data of each event until the stream ends (WHATWG HTML, 9.2.6); BusyError without a place."""
        limit = aiohttp.ClientTimeout(total=None, connect=REQUEST_LIMIT_S, sock_read=SILENCE_S)
        try:
            async with self._session.get(
                f"{self.url}/api/v1/events", ssl=self.check, headers=self._headers, timeout=limit
            ) as reply:
                await _check(reply)
                name = ""
                async for line in reply.content:
                    field, _, value = line.decode().rstrip("\r\n").partition(": ")
                    if field == "event":
                        name = value
                    elif field == "data":
                        yield name, json.loads(value)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _failure(error) from error

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def _json(self, method: str, path: str, limit_s: int, **options: Any) -> JSON:
        text = await self._request(method, path, limit_s, **options)
        result: JSON = json.loads(text) if text else {}
        return result

    async def _request(self, method: str, path: str, limit_s: int, **options: Any) -> str:
        async with self._lock:
            return await self._send(method, path, limit_s, **options)

    async def _send(self, method: str, path: str, limit_s: int, **options: Any) -> str:
        headers = self._headers | options.pop("headers", {})
        limit = aiohttp.ClientTimeout(total=limit_s)
        try:
            async with self._session.request(
                method, f"{self.url}/api/v1/{path}", ssl=self.check, headers=headers, timeout=limit, **options
            ) as reply:
                await _check(reply)
                return await reply.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise _failure(error) from error


async def _check(reply: aiohttp.ClientResponse) -> None:
    """Raise the error that the reply tells."""
    if reply.status < 400:
        return
    try:
        body = await reply.json(content_type=None)
        code, message = str(body["error"]), str(body["message"])
    except ValueError, KeyError, TypeError:
        code, message = "not_a_gateway", f"HTTP {reply.status}"
    if reply.status == 401:
        raise UnauthorizedError(code, message)
    if reply.status in (429, 503):
        raise BusyError(code, message, int(reply.headers.get("Retry-After", "5")))
    raise GatewayError(code, message)


def _failure(error: Exception) -> GatewayError:
    if isinstance(error, aiohttp.ServerFingerprintMismatch):
        return KeyChangedError("key_changed", "the key is not the gateway's")
    return ConnectionFailedError("cannot_connect", f"{type(error).__name__}: {error}")
