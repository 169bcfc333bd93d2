"""Firmware: what is newer, installation by the gateway's own download or from a file, with progress."""

import struct
from pathlib import Path
from typing import Any

import pytest
from homeassistant.core import HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError

from custom_components.smart_meter_gateway.firmware import find_firmware, order_of

from .conftest import SetUp, settled, until
from .fake_gateway import FakeGateway

UPDATE = "update.smgw_1d3f2a_firmware"


def firmware_file(version: str, device_id: int = 1) -> bytes:
    head = struct.pack("<IHHHHHIH32sI", 0x0BEEF11E, 0x0100, 56, 0, 0xFFF1, device_id, 1, 2, b"name", 1000)
    metadata = b"\1\0" + struct.pack("<H", device_id) + b"smart-meter-gw\0\0" + bytes(20) + version.encode()
    return head + struct.pack("<HI", 0xF001, 220) + metadata.ljust(220, b"\0") + b"image"


@pytest.fixture
def folder(hass: HomeAssistant, tmp_path: Path) -> Path:
    hass.config.config_dir = str(tmp_path)
    made = tmp_path / "smart_meter_gateway"
    made.mkdir()
    return made


def update_of(hass: HomeAssistant) -> State:
    state = hass.states.get(UPDATE)
    assert state is not None
    return state


async def install(hass: HomeAssistant) -> None:
    await hass.services.async_call("update", "install", {"entity_id": UPDATE}, blocking=True)


def restarting(gateway: FakeGateway, version: str, percentages: list[Any], hass: HomeAssistant) -> Any:
    """Return what a good installation does in the gateway."""

    async def run() -> None:
        for received in (250, 1000):
            gateway.push(ota_state="receiving", ota_received=received, ota_total=1000, ota_last_error="")
            await until(lambda received=received: update_of(hass).attributes["update_percentage"] == received / 10)
            percentages.append(update_of(hass).attributes["update_percentage"])
        gateway.firmware = version
        gateway.push(ota_state="trial", ota_received=0, ota_total=0, upgrade_version="")

    return run


async def test_nothing_newer(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    await set_up("read")
    state = update_of(hass)
    assert state.state == "off"
    assert state.attributes["latest_version"] == state.attributes["installed_version"] == "1.2.0"
    assert state.attributes["title"] == "Smart-Meter Gateway"
    assert state.attributes["supported_features"] == 0, "a token of scope read installs nothing"


async def test_download(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, folder: Path) -> None:
    gateway.status["upgrade_version"] = "1.10.0"
    (folder / "old.ota").write_bytes(firmware_file("1.9.0"))
    await set_up()
    await settled(gateway)
    assert update_of(hass).state == "on"
    assert update_of(hass).attributes["latest_version"] == "1.10.0"
    percentages: list[Any] = []
    gateway.on_install = restarting(gateway, "1.10.0", percentages, hass)
    await install(hass)
    assert percentages == [25, 100]
    assert "POST system/upgrade/install" in gateway.requests
    assert not gateway.uploaded
    assert update_of(hass).state == "off"


async def test_file(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, folder: Path) -> None:
    file = firmware_file("1.3.0-release")
    (folder / "new.ota").write_bytes(file)
    (folder / "other-board.ota").write_bytes(firmware_file("9.0.0", 2))
    (folder / "damaged.ota").write_bytes(b"short")
    (folder / "other.ota").write_bytes(bytes(500))
    (folder / "folder.ota").mkdir()
    await set_up()
    await settled(gateway)
    assert update_of(hass).attributes["latest_version"] == "1.3.0-release"
    percentages: list[Any] = []
    gateway.on_install = restarting(gateway, "1.3.0-release", percentages, hass)
    await install(hass)
    assert percentages == [25, 100]
    assert gateway.uploaded == file
    assert update_of(hass).state == "off"
    assert update_of(hass).attributes["in_progress"] is False


async def test_refused_file(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp, folder: Path) -> None:
    (folder / "new.ota").write_bytes(firmware_file("1.3.0"))
    await set_up()
    gateway.failures["system/ota"] = (500, "ota_bad_signature")
    with pytest.raises(HomeAssistantError, match="ota_bad_signature"):
        await install(hass)
    assert update_of(hass).state == "on"


async def test_failed_download(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.status["upgrade_version"] = "1.3.0"
    await set_up()

    async def fail() -> None:
        gateway.push(ota_last_error="ota_unreachable")

    gateway.on_install = fail
    with pytest.raises(HomeAssistantError, match="ota_unreachable"):
        await install(hass)
    problem = hass.states.get("binary_sensor.smgw_1d3f2a_problem")
    assert problem.attributes["update"] == "ota_unreachable"


async def test_rolled_back(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    gateway.status["upgrade_version"] = "1.3.0"
    await set_up()

    async def roll_back() -> None:
        gateway.push(ota_state="receiving", ota_total=0)
        await until(lambda: update_of(hass).attributes["in_progress"])
        assert update_of(hass).attributes["update_percentage"] is None
        gateway.push(ota_state="restarting")
        gateway.push(ota_state="idle", ota_last_error="rolled_back")

    gateway.on_install = roll_back
    with pytest.raises(HomeAssistantError, match="rolled_back"):
        await install(hass)


def test_versions(tmp_path: Path) -> None:
    assert order_of("1.10.0") > order_of("1.9.9-release")
    assert order_of("1.x.0") == (1, 0, 0)
    assert find_firmware(tmp_path / "missing", 1) is None
