"""Config flow: address, discovery, password, reauthentication, reconfiguration."""

from ipaddress import ip_address
from typing import Any

import pytest
from homeassistant.config_entries import SOURCE_IGNORE, SOURCE_USER, SOURCE_ZEROCONF, ConfigEntryState, ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.smart_meter_gateway.const import DOMAIN

from .conftest import SetUp, new_entry
from .fake_gateway import PASSWORD, SERIAL, FakeGateway, new_key, pin_of

ANSWER = {"password": PASSWORD, "allow_control": False}


def announcement(gateway: FakeGateway, end: str = "1d3f2a") -> ZeroconfServiceInfo:
    return ZeroconfServiceInfo(
        ip_address=ip_address("127.0.0.1"),
        ip_addresses=[ip_address("127.0.0.1")],
        port=gateway.port,
        hostname=f"{gateway.hostname}.local.",
        type="_smgw._tcp.local.",
        name=f"Smart-Meter Gateway {end}._smgw._tcp.local.",
        properties={"api": "v1", "path": "/api/v1", "model": "Bench", "id": end},
    )


async def start(hass: HomeAssistant, source: str, data: Any = None) -> ConfigFlowResult:
    return await hass.config_entries.flow.async_init(DOMAIN, context={"source": source}, data=data)


async def answer(hass: HomeAssistant, flow: ConfigFlowResult, **data: Any) -> ConfigFlowResult:
    result = await hass.config_entries.flow.async_configure(flow["flow_id"], data)
    await hass.async_block_till_done()
    return result


@pytest.mark.parametrize(("allow", "scope"), [(False, "read"), (True, "full")])
async def test_address(hass: HomeAssistant, gateway: FakeGateway, allow: bool, scope: str) -> None:
    flow = await start(hass, SOURCE_USER)
    assert flow["step_id"] == "user"
    flow = await answer(hass, flow, host=f"https://{gateway.host}/")
    assert flow["step_id"] == "authenticate"
    assert len(flow["description_placeholders"]["fingerprint"].split(":")) == 32
    result = await answer(hass, flow, password=PASSWORD, allow_control=allow)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == gateway.hostname
    entry = result["result"]
    assert entry.unique_id == SERIAL.lower()
    assert entry.data["pin"] == pin_of(gateway.key)
    (token,) = gateway.tokens.values()
    assert (token["name"], token["scope"]) == ("Home Assistant", scope)
    assert entry.data["token"] == token["token"]
    assert not gateway.sessions, "the session is closed"
    assert PASSWORD not in str(entry.data)
    assert entry.state is ConfigEntryState.LOADED


@pytest.mark.parametrize(
    ("host", "error"),
    [("", "invalid_host"), ("a b", "invalid_host"), ("gateway:x", "invalid_host"), ("127.0.0.1:1", "cannot_connect")],
)
async def test_wrong_address(hass: HomeAssistant, gateway: FakeGateway, host: str, error: str) -> None:
    flow = await answer(hass, await start(hass, SOURCE_USER), host=host)
    assert error in flow["errors"].values()
    flow = await answer(hass, flow, host=gateway.host)
    assert (await answer(hass, flow, **ANSWER))["type"] is FlowResultType.CREATE_ENTRY


async def test_other_server(hass: HomeAssistant, gateway: FakeGateway) -> None:
    gateway.failures["system/challenge"] = (404, "not_found")
    flow = await answer(hass, await start(hass, SOURCE_USER), host=gateway.host)
    assert flow["errors"] == {"base": "cannot_connect"}


async def test_wrong_password(hass: HomeAssistant, gateway: FakeGateway) -> None:
    flow = await answer(hass, await start(hass, SOURCE_USER), host=gateway.host)
    flow = await answer(hass, flow, password="wrong", allow_control=False)
    assert flow["errors"] == {"base": "invalid_auth"}
    assert (await answer(hass, flow, **ANSWER))["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(
    ("path", "status", "code", "error"),
    [
        ("system/login", 429, "too_many_attempts", "too_many_attempts"),
        ("system/tokens", 400, "token_slots_full", "tokens_full"),
        ("system/tokens", 500, "internal", "unknown"),
    ],
)
async def test_refusals(
    hass: HomeAssistant, gateway: FakeGateway, path: str, status: int, code: str, error: str
) -> None:
    flow = await answer(hass, await start(hass, SOURCE_USER), host=gateway.host)
    gateway.failures[path] = (status, code)
    flow = await answer(hass, flow, **ANSWER)
    assert flow["errors"] == {"base": error}
    gateway.failures.clear()
    assert (await answer(hass, flow, **ANSWER))["type"] is FlowResultType.CREATE_ENTRY


async def test_key_changes_meanwhile(hass: HomeAssistant, gateway: FakeGateway) -> None:
    """Another server takes the gateway's place after the first contact: it gets no proof of the password."""
    flow = await answer(hass, await start(hass, SOURCE_USER), host=gateway.host)
    gateway.key = new_key()
    await gateway.restart()
    gateway.requests.clear()
    flow = await answer(hass, flow, **ANSWER)
    assert flow["errors"] == {"base": "key_changed"}
    assert not gateway.requests


async def test_twice(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    await set_up()
    flow = await answer(hass, await start(hass, SOURCE_USER), host=gateway.host)
    result = await answer(hass, flow, **ANSWER)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "already_configured")
    assert list(gateway.tokens) == ["id0"], "no token was made"
    assert not gateway.sessions


async def test_discovery(hass: HomeAssistant, gateway: FakeGateway) -> None:
    flow = await start(hass, SOURCE_ZEROCONF, announcement(gateway))
    assert flow["step_id"] == "authenticate"
    result = await answer(hass, flow, **ANSWER)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    again = await start(hass, SOURCE_ZEROCONF, announcement(gateway))
    assert (again["type"], again["reason"]) == (FlowResultType.ABORT, "already_configured")


async def test_discovery_of_ignored(hass: HomeAssistant, gateway: FakeGateway) -> None:
    MockConfigEntry(domain=DOMAIN, unique_id="1d3f2a", source=SOURCE_IGNORE, data={}).add_to_hass(hass)
    result = await start(hass, SOURCE_ZEROCONF, announcement(gateway))
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "already_configured")


@pytest.mark.parametrize("end", ["", "1d3f2a"])
async def test_discovery_of_nothing(hass: HomeAssistant, gateway: FakeGateway, end: str) -> None:
    await gateway.stop()
    result = await start(hass, SOURCE_ZEROCONF, announcement(gateway, end))
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "cannot_connect")


async def test_discovery_of_new_address(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up()
    await gateway.stop()
    former, gateway.port = gateway.port, 0
    await gateway.start()
    assert gateway.port != former
    result = await start(hass, SOURCE_ZEROCONF, announcement(gateway))
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "already_configured")
    await hass.async_block_till_done()
    assert entry.data["port"] == gateway.port
    assert entry.state is ConfigEntryState.LOADED


async def test_forged_announcement(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, tmp_path: Any) -> None:
    """An announcement with the gateway's id but another key does not move the entry."""
    entry = await set_up()
    folder = tmp_path / "forged"
    folder.mkdir()
    forger = FakeGateway(folder)
    await forger.start()
    result = await start(hass, SOURCE_ZEROCONF, announcement(forger))
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "already_configured")
    assert entry.data["port"] == gateway.port
    await forger.stop()


@pytest.mark.parametrize("with_new_key", [False, True])
async def test_reauthentication(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, with_new_key: bool) -> None:
    entry = await set_up("read")
    if with_new_key:
        gateway.key = new_key()
        await gateway.restart()
    else:
        gateway.tokens.clear()
    flow = await entry.start_reauth_flow(hass)
    assert flow["step_id"] == "reauth_confirm"
    flow = await answer(hass, flow, password="wrong", allow_control=True)
    assert flow["errors"] == {"base": "invalid_auth"}
    result = await answer(hass, flow, password=PASSWORD, allow_control=True)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "reauth_successful")
    (token,) = gateway.tokens.values()
    assert token["scope"] == entry.data["scope"] == "full"
    assert entry.data["token"] == token["token"]
    assert entry.data["pin"] == pin_of(gateway.key)
    assert entry.state is ConfigEntryState.LOADED


async def test_reauthentication_by_another(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up()
    gateway.serial = "0262AB000001"
    flow = await entry.start_reauth_flow(hass)
    result = await answer(hass, flow, **ANSWER)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "wrong_device")
    assert list(gateway.tokens) == ["id0"]


async def test_reauthentication_without_gateway(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up()
    await gateway.stop()
    flow = await entry.start_reauth_flow(hass)
    assert flow["errors"] == {"base": "cannot_connect"}


async def test_reconfiguration(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up("read")
    flow = await entry.start_reconfigure_flow(hass)
    assert flow["step_id"] == "reconfigure"
    flow = await answer(hass, flow, host="a b", allow_control=False)
    assert flow["errors"] == {"host": "invalid_host"}
    # What Home Assistant may do changes only with the password.
    flow = await answer(hass, flow, host=gateway.host, allow_control=True)
    assert flow["errors"] == {"password": "password_needed"}
    result = await answer(hass, flow, host=gateway.host, allow_control=True, password=PASSWORD)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "reconfigure_successful")
    assert "id0" not in gateway.tokens, "the former token is revoked"
    assert entry.data["scope"] == "full"
    assert entry.state is ConfigEntryState.LOADED


async def test_reconfiguration_of_address(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up("read")
    await gateway.stop()
    gateway.port = 0
    await gateway.start()
    flow = await entry.start_reconfigure_flow(hass)
    result = await answer(hass, flow, host=gateway.host, allow_control=False)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "reconfigure_successful")
    assert entry.data["port"] == gateway.port
    assert list(gateway.tokens) == ["id0"]


async def test_reconfiguration_to_another(
    hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, tmp_path: Any
) -> None:
    entry = await set_up("read")
    folder = tmp_path / "other"
    folder.mkdir()
    other = FakeGateway(folder)
    other.serial = "0262AB000001"
    await other.start()
    flow = await entry.start_reconfigure_flow(hass)
    flow = await answer(hass, flow, host=other.host, allow_control=False)
    assert flow["errors"] == {"base": "key_changed"}
    result = await answer(hass, flow, host=other.host, allow_control=False, password=PASSWORD)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "wrong_device")
    assert not other.tokens
    await other.stop()


async def test_standard_port(hass: HomeAssistant, gateway: FakeGateway) -> None:
    entry = new_entry(gateway)
    entry.add_to_hass(hass)
    hass.config_entries.async_update_entry(entry, data=entry.data | {"port": 443, "host": "smgw.local"})
    flow = await entry.start_reconfigure_flow(hass)
    suggested = {str(key): key.description for key in flow["data_schema"].schema}
    assert suggested["host"]["suggested_value"] == "smgw.local"
