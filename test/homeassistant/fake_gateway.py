"""A gateway over TLS for the tests: the routes that the integration uses, with states that a test can set."""

import asyncio
import hashlib
import json
import ssl
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

type JSON = dict[str, Any]
type Key = ec.EllipticCurvePrivateKey

PASSWORD = "label-password"
SALT = "salt"
SERIAL = "0262AB1D3F2A"
READ_ROUTES = (
    "version status network/status metrics iec62056/last iec62056/read meter/history events".replace(" ", "|")
).split("|")


def new_key() -> Key:
    return ec.generate_private_key(ec.SECP256R1())


def pin_of(key: Key) -> str:
    der = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(der).hexdigest()


def _context(key: Key, folder: Path) -> ssl.SSLContext:
    """Make a new certificate for the key."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "smgw-1d3f2a")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, private)
    return context


class FakeGateway:
    """State and server of the gateway."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = new_key()
        self.port = 0
        self.serial = SERIAL
        self.hostname = "smgw-1d3f2a"
        self.firmware = "1.2.0"
        self.device_id = 1
        self.token_limit = 3
        self.tokens: dict[str, JSON] = {}
        self.sessions: set[str] = set()
        self.readings: list[JSON] = []
        self.lines: list[str] = []
        self.history: dict[str, list[JSON]] = {"months": [], "days": [], "hours": []}
        self.requests: list[str] = []
        self.uploaded = b""
        self.failures: dict[str, tuple[int, str]] = {}
        """Status and code of the refusal of a route."""
        self.has_stream_place = True
        self.on_install: Callable[[], Awaitable[None]] | None = None
        self.streams: list[asyncio.Queue[str | None]] = []
        self.readouts = 0
        self.status: JSON = {
            "battery_voltage": 0,
            "battery_status": 0,
            "clock_valid": True,
            "password_default": False,
            "storage_state": "ok",
            "meter_state": "ok",
            "ota_state": "idle",
            "ota_received": 0,
            "ota_total": 0,
            "ota_last_error": "",
            "upgrade_version": "",
        }
        self._runner: web.AppRunner | None = None
        self._count = 0
        self._installation: asyncio.Task[None] | None = None

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/api/v1/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        context = await asyncio.to_thread(_context, self.key, self.folder)
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, ssl_context=context)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        for stream in self.streams:
            stream.put_nowait(None)
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    def show(self, obis: str, number: str, unit: str = "kWh", metric: str = "energy_kwh_total", name: str = "") -> None:
        """Set a value of the meter."""
        label = f'smartmeter_{metric}{{obis="{obis}"}} '
        self.lines = [line for line in self.lines if not line.startswith(label)] + [label + number]
        self.readings = [one for one in self.readings if one["obis_long"] != obis]
        self.tell(obis, number, unit, name)

    def tell(self, obis: str, text: str, unit: str = "", name: str = "") -> None:
        """Set a reading that is no value, such as the meter's number."""
        short = obis.rpartition(":")[2]
        channel = int(obis[2]) if obis[1:2] == "-" else None
        self.readings.append(
            {"obis_long": obis, "obis": short, "value1": text, "value1_unit": unit, "medium": None, "channel": channel}
            | {"en": name or None, "de": f"{name} (de)" if name else None}
        )

    def hide(self, obis: str) -> None:
        """Let the value no longer be true."""
        self.lines = [line for line in self.lines if f'"{obis}"' not in line]

    def push(self, name: str = "state", **changes: Any) -> None:
        """Send an event."""
        self.status |= changes
        data = self.status if name == "state" else {"meter_readouts": self.readouts, "meter_id": "X"}
        for stream in self.streams:
            stream.put_nowait(f"event: {name}\ndata: {json.dumps(data)}\n\n")

    def push_readout(self) -> None:
        self.readouts += 1
        self.push("readout")

    def end_streams(self) -> None:
        for stream in self.streams:
            stream.put_nowait(None)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        self.requests.append(f"{request.method} {path}")
        if path in self.failures:
            return self._refuse(*self.failures[path])
        if path == "system/challenge":
            return web.json_response({"nonce": "n", "salt": SALT, "alg": "sha256", "expires_in_secs": 60})
        if path == "system/login":
            body = await request.json()
            inner = hashlib.sha256((SALT + PASSWORD).encode()).digest()
            if body["proof"] != hashlib.sha256(inner + b"n").hexdigest():
                return self._refuse(401, "invalid_proof")
            self._count += 1
            self.sessions.add(f"session{self._count}")
            return web.json_response({"token": f"session{self._count}"})
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        scope = "full" if token in self.sessions else ""
        for one in self.tokens.values():
            if one["token"] == token:
                scope = one["scope"]
        if not scope:
            return self._refuse(401, "unauthorized")
        is_read = path.removeprefix("system/") in READ_ROUTES or path.startswith("system/tokens/")
        if scope == "read" and not is_read:
            return self._refuse(403, "forbidden_scope")
        return await self._act(request, path, token)

    async def _act(self, request: web.Request, path: str, token: str) -> web.StreamResponse:
        match request.method, path:
            case "POST", "system/logout":
                self.sessions.discard(token)
            case "GET", "system/tokens":
                return web.json_response({"max": self.token_limit, "tokens": list(self.tokens.values())})
            case "POST", "system/tokens":
                if len(self.tokens) >= self.token_limit:
                    return self._refuse(400, "token_slots_full")
                self._count += 1
                made = await request.json() | {"id": f"id{self._count}", "token": f"secret{self._count}", "created": 0}
                self.tokens[made["id"]] = made
                return web.json_response(made)
            case "DELETE", _:
                if self.tokens.pop(path.rpartition("/")[2], None) is None:
                    return self._refuse(404, "not_found")
            case "GET", "system/version":
                return web.json_response(
                    {
                        "firmware": {"version": self.firmware},
                        "device": {
                            "serial": self.serial,
                            "model": "Bench",
                            "manufacturer": "Maker",
                            "product": "Smart-Meter Gateway",
                            "device_id": self.device_id,
                        },
                        "upgrade_url": "https://example.com/a.ota",
                    }
                )
            case "GET", "system/status":
                return web.json_response(self.status)
            case "GET", "network/status":
                return web.json_response({"hostname": self.hostname})
            case "GET", "metrics":
                return web.Response(text="# HELP x\n" + "".join(f"{line}\n" for line in self.lines))
            case "GET", "iec62056/last":
                return web.json_response({"meter_id": "ESY5", "readings": self.readings})
            case "GET", "meter/history":
                since = int(request.query.get("from", 0))
                periods = [one for one in self.history[request.query["period"]] if one["start"] >= since]
                return web.json_response({"period": request.query["period"], "periods": periods})
            case "POST", "system/ota":
                self.uploaded = await request.read()
                await self._install()
            case "POST", "system/upgrade/install":
                self._installation = asyncio.create_task(self._install())
            case "GET", "events":
                return await self._stream(request)
        return web.json_response({})

    async def _install(self) -> None:
        if self.on_install is not None:
            await self.on_install()

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        if not self.has_stream_place:
            return self._refuse(503, "busy")
        reply = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await reply.prepare(request)
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self.streams.append(queue)
        await reply.write(b"retry: 30000\n\n:\n\n")
        self.push()
        self.push("readout")
        try:
            while (event := await queue.get()) is not None:
                await reply.write(event.encode())
        except ConnectionResetError:
            pass
        finally:
            self.streams.remove(queue)
        return reply

    @staticmethod
    def _refuse(status: int, code: str) -> web.Response:
        headers = {"Retry-After": "1"} if status in (429, 503) else {}
        body = {"error": code, "message": f"refused: {code}"}
        return web.json_response(body, status=status, headers=headers)
