"""Fixtures: a fake gateway, and an entry for it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from homeassistant.const import CONF_HOST, CONF_PORT, CONF_TOKEN
from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.smart_meter_gateway.const import CONF_PIN, CONF_SCOPE, CONF_TOKEN_ID, DOMAIN

from .fake_gateway import FakeGateway, pin_of

type SetUp = Callable[..., Awaitable[MockConfigEntry]]


@pytest.fixture(autouse=True)
def _custom_integrations(recorder_mock: Any, enable_custom_integrations: None) -> None:
    """Let Home Assistant load the integration; statistics need the recorder, which must be there before the rest."""


@pytest.fixture(autouse=True)
async def _resets(hass: HomeAssistant) -> None:
    """Accept that connections to the fake gateway, which runs in the same loop, end at any time."""
    handler = hass.loop.get_exception_handler()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if handler is not None and not isinstance(context.get("exception"), ConnectionResetError):
            handler(loop, context)

    hass.loop.set_exception_handler(handle)


@pytest.fixture(autouse=True)
def _sockets(socket_enabled: None) -> None:
    """Allow sockets; the fake gateway listens at the loopback address."""


@pytest.fixture(autouse=True)
def short_pauses() -> Iterator[None]:
    """Shorten pauses, so that the tests do not wait."""
    module = "custom_components.smart_meter_gateway"
    with (
        patch(f"{module}.coordinator.RETRY_S", 0.05),
        patch(f"{module}.coordinator.RETRY_LIMIT_S", 0.1),
        patch(f"{module}.update.WATCH_S", 0.02),
    ):
        yield


@pytest.fixture
async def gateway(hass: HomeAssistant, tmp_path: Path) -> AsyncIterator[FakeGateway]:
    fake = FakeGateway(tmp_path)
    fake.show("1-0:1.8.0", "12572.239", name="Active energy import total")
    fake.show("1-0:16.7.0", "-774", "W", "power_watts", "Active power net")
    fake.show("1-0:1.6.0", "5000", "W", "power_watts", "Highest power")
    fake.tell("1-0:0.0.0", "48151623")
    fake.lines += ["smartmeter_readout_timestamp_seconds 1796052751", "gateway_wifi_rssi_dbm -48"]
    await fake.start()
    yield fake
    for entry in hass.config_entries.async_loaded_entries(DOMAIN):
        await hass.config_entries.async_unload(entry.entry_id)
    await fake.stop()


def new_entry(gateway: FakeGateway, scope: str = "full", token: str = "secret0") -> MockConfigEntry:
    return MockConfigEntry(
        domain=DOMAIN,
        title=gateway.hostname,
        unique_id=gateway.serial.lower(),
        data={
            CONF_HOST: "127.0.0.1",
            CONF_PORT: gateway.port,
            CONF_PIN: pin_of(gateway.key),
            CONF_SCOPE: scope,
            CONF_TOKEN: token,
            CONF_TOKEN_ID: "id0",
        },
    )


@pytest.fixture
def set_up(hass: HomeAssistant, gateway: FakeGateway) -> SetUp:
    """Return a function that sets up an entry with a token of the scope."""

    async def set_up_entry(scope: str = "full") -> MockConfigEntry:
        gateway.tokens["id0"] = {"id": "id0", "token": "secret0", "scope": scope, "name": "Home Assistant"}
        entry = new_entry(gateway, scope)
        entry.add_to_hass(hass)
        await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        return entry

    return set_up_entry


async def settled(gateway: FakeGateway) -> None:
    """Wait until the integration follows the stream and has no request under way."""
    await until(lambda: gateway.streams)
    count = -1
    while count != len(gateway.requests):
        count = len(gateway.requests)
        await asyncio.sleep(0.2)


async def until(condition: Callable[[], object], limit_s: float = 5) -> None:
    """Wait for a condition; the requests run in real time."""
    async with asyncio.timeout(limit_s):
        while not condition():
            await asyncio.sleep(0.01)
