"""Set-up, values, silence and return, unloading, removal, diagnostics and repairs."""

import time
from typing import Any
from unittest.mock import patch

import pytest
from homeassistant.config_entries import SOURCE_REAUTH, ConfigEntryState
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.smart_meter_gateway.const import DOMAIN
from custom_components.smart_meter_gateway.coordinator import POLL, POLL_WITHOUT_STREAM
from custom_components.smart_meter_gateway.diagnostics import async_get_config_entry_diagnostics

from .conftest import SetUp, new_entry, settled, until
from .fake_gateway import SERIAL, FakeGateway, new_key

ENERGY = "sensor.smgw_1d3f2a_active_energy_import_total"
POWER = "sensor.smgw_1d3f2a_active_power_net"


def shown(hass: HomeAssistant, entity_id: str) -> str:
    state = hass.states.get(entity_id)
    assert state is not None, sorted(hass.states.async_entity_ids())
    return state.state


async def test_values(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up("read")
    energy = hass.states.get(ENERGY)
    assert energy is not None
    assert energy.state == "12572.239"
    attributes = energy.attributes
    assert attributes["unit_of_measurement"] == "kWh"
    assert attributes["device_class"] == "energy"
    assert attributes["state_class"] == "total_increasing"
    assert attributes["obis"] == "1-0:1.8.0"
    assert shown(hass, POWER) == "-774"
    highest = hass.states.get("sensor.smgw_1d3f2a_highest_power")
    assert highest is not None
    assert "state_class" not in highest.attributes
    assert shown(hass, "sensor.smgw_1d3f2a_meter_number") == "48151623"
    assert shown(hass, "sensor.smgw_1d3f2a_wi_fi_signal") == "-48.0"
    assert shown(hass, "binary_sensor.smgw_1d3f2a_meter") == "on"
    assert shown(hass, "binary_sensor.smgw_1d3f2a_problem") == "off"
    assert "button.smgw_1d3f2a_restart" not in hass.states.async_entity_ids()
    device = dr.async_get(hass).async_get_device_by_identifier((DOMAIN, SERIAL), entry.entry_id)
    assert device is not None
    assert device.serial_number == SERIAL
    assert device.sw_version == "1.2.0"
    assert device.configuration_url == f"https://{gateway.host}/"
    registry = er.async_get(hass)
    assert registry.async_get(ENERGY).unique_id == f"{SERIAL.lower()}_1_0_1_8_0"
    temperature = registry.async_get_entity_id("sensor", DOMAIN, f"{SERIAL.lower()}_temperature")
    assert temperature is None, "this board has no temperature"


async def test_net_power(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.hide("1-0:16.7.0")
    gateway.show("1-0:1.7.0", "100", "W", "power_watts", "Active power import")
    gateway.show("1-0:2.7.0", "30", "W", "power_watts", "Active power export")
    await set_up()
    assert shown(hass, "sensor.smgw_1d3f2a_active_power_net_import_export") == "70"


async def test_german_names(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    hass.config.language = "de"
    await set_up()
    assert shown(hass, "sensor.smgw_1d3f2a_active_energy_import_total_de") == "12572.239"
    assert shown(hass, "sensor.smgw_1d3f2a_zahlernummer") == "48151623"


async def test_other_language(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    hass.config.language = "fr"
    await set_up()
    assert shown(hass, ENERGY) == "12572.239"


async def test_pushed_values(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up()
    await until(lambda: entry.runtime_data.update_interval == POLL)
    for watts in range(5):
        gateway.show("1-0:16.7.0", str(watts), "W", "power_watts", "Active power net")
        gateway.push_readout()
        await until(lambda watts=watts: shown(hass, POWER) == str(watts))
    # A new value gets an entity.
    gateway.show("1-0:32.7.0", "230.5", "V", "voltage_volts", "Voltage L1")
    gateway.push_readout()
    await until(lambda: hass.states.get("sensor.smgw_1d3f2a_voltage_l1"))


async def test_silence_and_return(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    await set_up()
    await settled(gateway)
    gateway.hide("1-0:16.7.0")
    gateway.push(meter_state="meter/silent")
    await until(lambda: shown(hass, POWER) == "unavailable")
    assert shown(hass, ENERGY) == "12572.239"
    assert shown(hass, "binary_sensor.smgw_1d3f2a_meter") == "off"
    problem = hass.states.get("binary_sensor.smgw_1d3f2a_problem")
    assert problem.state == "on"
    assert problem.attributes["meter"] == "meter/silent"
    # An attempt to read the meter changes nothing yet.
    gateway.push(meter_state="reading")
    await hass.async_block_till_done()
    assert shown(hass, "binary_sensor.smgw_1d3f2a_meter") == "off"
    gateway.show("1-0:16.7.0", "5", "W", "power_watts", "Active power net")
    gateway.push(meter_state="ok")
    gateway.push_readout()
    await until(lambda: shown(hass, POWER) == "5")
    assert shown(hass, "binary_sensor.smgw_1d3f2a_meter") == "on"


async def test_gateway_gone_and_back(
    hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, caplog: pytest.LogCaptureFixture
) -> None:
    entry = await set_up()
    await settled(gateway)
    await gateway.stop()
    await until(lambda: shown(hass, ENERGY) == "unavailable")
    assert caplog.text.count("Error fetching smgw-1d3f2a data") == 1
    gateway.firmware = "1.3.0"
    await gateway.start()
    await until(lambda: shown(hass, ENERGY) == "12572.239")
    device = dr.async_get(hass).async_get_device_by_identifier((DOMAIN, SERIAL), entry.entry_id)
    assert device.sw_version == "1.3.0"
    assert entry.state is ConfigEntryState.LOADED


async def test_refused_stream(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    """Another client has the only place: the integration polls."""
    gateway.has_stream_place = False
    entry = await set_up()
    await until(lambda: "GET events" in gateway.requests)
    assert entry.runtime_data.update_interval == POLL_WITHOUT_STREAM
    gateway.show("1-0:16.7.0", "99", "W", "power_watts")
    async_fire_time_changed(hass, dt_util.utcnow() + POLL_WITHOUT_STREAM * 2)
    await until(lambda: shown(hass, POWER) == "99")
    assert gateway.requests.count("GET events") == 1
    gateway.has_stream_place = True
    await until(lambda: entry.runtime_data.update_interval == POLL)


async def test_stream_ends(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    await set_up()
    await settled(gateway)
    gateway.end_streams()
    await until(lambda: gateway.requests.count("GET events") == 2)


async def test_set_up_again(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    await gateway.stop()
    entry = await set_up()
    assert entry.state is ConfigEntryState.SETUP_RETRY


@pytest.mark.parametrize("cause", ["token", "key"])
async def test_reauthentication_begins(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, cause: str) -> None:
    entry = await set_up()
    await settled(gateway)
    if cause == "token":
        gateway.tokens.clear()
    else:
        gateway.key = new_key()
    await gateway.restart()
    await until(lambda: shown(hass, ENERGY) == "unavailable")
    await until(lambda: list(entry.async_get_active_flows(hass, {SOURCE_REAUTH})))


async def test_new_certificate(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    """A new certificate for the same key changes nothing."""
    entry = await set_up()
    await settled(gateway)
    await gateway.restart()
    await until(lambda: gateway.requests.count("GET events") >= 2)
    await until(lambda: shown(hass, ENERGY) == "12572.239")
    assert not list(entry.async_get_active_flows(hass, {SOURCE_REAUTH}))


async def test_unload_and_remove(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.status["password_default"] = True
    entry = await set_up("read")
    await settled(gateway)
    assert await hass.config_entries.async_unload(entry.entry_id)
    assert entry.state is ConfigEntryState.NOT_LOADED
    assert gateway.tokens
    await hass.config_entries.async_remove(entry.entry_id)
    assert not gateway.tokens
    assert not ir.async_get(hass).issues


async def test_remove_without_gateway(
    hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, caplog: pytest.LogCaptureFixture
) -> None:
    entry = await set_up()
    await gateway.stop()
    await hass.config_entries.async_remove(entry.entry_id)
    assert "could not be revoked" in caplog.text


async def test_two_gateways(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, tmp_path: Any) -> None:
    await set_up()
    folder = tmp_path / "second"
    folder.mkdir()
    second = FakeGateway(folder)
    second.serial, second.hostname = "0262AB000001", "smgw-000001"
    await settled(gateway)
    second.show("1-0:1.8.0", "1", name="Import")
    await second.start()
    second.tokens["id0"] = {"id": "id0", "token": "secret0", "scope": "read"}
    entry = new_entry(second, "read")
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert shown(hass, ENERGY) == "12572.239"
    assert shown(hass, "sensor.smgw_000001_import") == "1"
    await settled(second)
    assert await hass.config_entries.async_unload(entry.entry_id)
    await second.stop()


async def test_buttons(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    await set_up()
    for name, request in (("read_now", "GET iec62056/read"), ("restart", "POST system/reboot")):
        entity = {"entity_id": f"button.smgw_1d3f2a_{name}"}
        await hass.services.async_call("button", "press", entity, blocking=True)
        assert request in gateway.requests
    gateway.failures["iec62056/read"] = (500, "meter_timeout")
    with pytest.raises(HomeAssistantError, match="meter_timeout"):
        await hass.services.async_call("button", "press", {"entity_id": "button.smgw_1d3f2a_read_now"}, blocking=True)


async def test_battery_and_peaks(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.status |= {"battery_voltage": 4.2, "battery_status": 80, "peak_w": 3000, "storage_state": "damaged"}
    await set_up()
    await settled(gateway)
    assert shown(hass, "sensor.smgw_1d3f2a_battery") == "80"
    assert shown(hass, "sensor.smgw_1d3f2a_peak_of_the_month") == "3000"
    assert hass.states.get("binary_sensor.smgw_1d3f2a_problem").attributes["storage"] == "damaged"
    gateway.push(peak_mean_w=100, peak_forecast_w=200)
    await until(lambda: hass.states.get("sensor.smgw_1d3f2a_forecast_of_the_interval"))


@pytest.mark.parametrize(("key", "state"), [("last_readout", "2026-11-30T15:32:31+00:00"), ("temperature", "25.0")])
async def test_disabled_at_first(
    hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, key: str, state: str
) -> None:
    """An entity that few owners want is there, and has its state as soon as it is enabled."""
    gateway.lines.append("gateway_temperature_celsius 25")
    entry = await set_up()
    registry = er.async_get(hass)
    entity_id = registry.async_get_entity_id("sensor", DOMAIN, f"{SERIAL.lower()}_{key}")
    assert entity_id is not None
    found = registry.async_get(entity_id)
    assert found.disabled_by is er.RegistryEntryDisabler.INTEGRATION
    assert found.entity_category is EntityCategory.DIAGNOSTIC
    assert hass.states.get(entity_id) is None
    await settled(gateway)
    registry.async_update_entity(entity_id, disabled_by=None)
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert shown(hass, entity_id) == state


async def test_diagnostics(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    entry = await set_up()
    text = str(await async_get_config_entry_diagnostics(hass, entry))
    assert "12572.239" in text
    for secret in ("secret0", SERIAL, entry.data["pin"], "127.0.0.1", "48151623"):
        assert secret not in text, secret


async def test_repairs(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.status |= {"clock_valid": False, "password_default": True, "meter_state": "meter/silent"}
    gateway.token_limit = 1
    entry = await set_up()
    issues = ir.async_get(hass).issues

    def keys() -> set[str]:
        return {issue_id.removesuffix(f"_{entry.entry_id}") for _, issue_id in issues}

    assert keys() == {"password_default", "tokens_full"}
    later = time.monotonic() + 601
    with patch("custom_components.smart_meter_gateway.issues.time.monotonic", return_value=later):
        await entry.runtime_data.async_refresh_all()
    assert keys() == {"password_default", "tokens_full", "clock_wrong", "meter_failed"}
    gateway.status |= {"clock_valid": True, "password_default": False, "meter_state": "ok"}
    gateway.token_limit = 3
    await entry.runtime_data.async_refresh_all()
    assert keys() == set()


async def test_not_a_gateway(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.failures["metrics"] = (404, "not_found")
    entry = await set_up()
    assert entry.state is ConfigEntryState.SETUP_RETRY
