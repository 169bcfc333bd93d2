"""The gateway's firmware: what is newer, and its installation with progress.

The gateway itself looks for newer firmware at its `upgrade_url` and downloads it. A file in the folder
`smart_meter_gateway` of Home Assistant's configuration is uploaded instead, if it is newer than what the gateway has
found. In both cases the gateway checks the signature.
"""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

from homeassistant.components.update import (
    UpdateDeviceClass,
    UpdateEntity,
    UpdateEntityDescription,
    UpdateEntityFeature,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_track_time_interval

from .api import GatewayError
from .const import DOMAIN
from .coordinator import GatewayConfigEntry, GatewayCoordinator
from .entity import GatewayEntity
from .firmware import FOLDER, FirmwareFile, find_firmware, order_of

PARALLEL_UPDATES = 1

LOOK = timedelta(minutes=10)
"""Interval in which the folder is read."""
INSTALL_LIMIT_S = 1200
"""A transfer takes up to 15 minutes; then the gateway restarts."""
WATCH_S = 2
BEGIN_TURNS = 15
"""Turns of WATCH_S in which a download must begin; usually two seconds after the request."""

RUNNING = frozenset(("receiving", "verifying", "restarting"))
DESCRIPTION = UpdateEntityDescription(
    key="update", device_class=UpdateDeviceClass.FIRMWARE, entity_category=EntityCategory.CONFIG
)


async def async_setup_entry(
    hass: HomeAssistant, entry: GatewayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the update."""
    async_add_entities([GatewayUpdate(entry.runtime_data)])


class GatewayUpdate(GatewayEntity, UpdateEntity):
    """The firmware of the gateway."""

    def __init__(self, coordinator: GatewayCoordinator) -> None:
        """Offer the installation only if the token allows it."""
        super().__init__(coordinator, DESCRIPTION)
        self._attr_title = coordinator.version["device"]["product"]
        self._file: FirmwareFile | None = None
        if coordinator.has_control:
            self._attr_supported_features = UpdateEntityFeature.INSTALL | UpdateEntityFeature.PROGRESS

    async def async_added_to_hass(self) -> None:
        """Look into the folder now and then."""
        await super().async_added_to_hass()
        await self._look()
        self.async_on_remove(async_track_time_interval(self.hass, self._look, LOOK))

    async def _look(self, *_: Any) -> None:
        folder = Path(self.hass.config.path(FOLDER))
        device_id = self.coordinator.version["device"]["device_id"]
        self._file = await self.hass.async_add_executor_job(find_firmware, folder, device_id)
        self.async_write_ha_state()

    @property
    def installed_version(self) -> str:
        """Version of the running firmware."""
        return self.coordinator.firmware

    @property
    def latest_version(self) -> str:
        """The newest of what runs, what the gateway has found, and what is in the folder."""
        versions = [self.installed_version, self._offered]
        if self._file is not None:
            versions.append(self._file.version)
        return max(versions, key=order_of)

    @property
    def in_progress(self) -> bool:
        """True while a file is received, checked and started, also one from another sender."""
        return self.coordinator.data.status["ota_state"] in RUNNING

    @property
    def update_percentage(self) -> float | None:
        """Progress; None while it is not known."""
        status = self.coordinator.data.status
        if not self.in_progress or not status["ota_total"]:
            return None
        return float(min(100, round(100 * status["ota_received"] / status["ota_total"])))

    @property
    def _offered(self) -> str:
        version: str = self.coordinator.data.status["upgrade_version"]
        return version

    async def async_install(self, version: str | None, backup: bool, **kwargs: Any) -> None:
        """Install the newest version, and wait until it runs."""
        latest = self.latest_version
        client = self.coordinator.client
        watch = self.coordinator.config_entry.async_create_background_task(
            self.hass, self._watch(), f"{DOMAIN} progress"
        )
        try:
            async with asyncio.timeout(INSTALL_LIMIT_S):
                if self._file is not None and self._file.version == latest:
                    await client.upload(await self.hass.async_add_executor_job(self._file.path.read_bytes))
                else:
                    await client.post("system/upgrade/install")
                    await self._until_downloaded(latest)
                while self.coordinator.firmware != latest:
                    await asyncio.sleep(WATCH_S)
                    self._raise_last_error()
        except (GatewayError, TimeoutError, OSError) as error:
            raise self._failed(str(error) or "timeout") from error
        finally:
            watch.cancel()
            await self.coordinator.async_request_refresh()

    async def _watch(self) -> None:
        """Read the progress, also while another client has the event stream."""
        while True:
            await asyncio.sleep(WATCH_S)
            await self.coordinator.async_refresh_all()

    async def _until_downloaded(self, version: str) -> None:
        """Wait until the download has begun and ended. An error of an earlier attempt stays until it begins."""
        for _ in range(BEGIN_TURNS):
            if self.in_progress or self.coordinator.firmware == version:
                break
            await asyncio.sleep(WATCH_S)
        while self.in_progress:
            await asyncio.sleep(WATCH_S)
        self._raise_last_error()

    def _raise_last_error(self) -> None:
        if code := self.coordinator.data.status["ota_last_error"]:
            raise self._failed(code)

    def _failed(self, code: str) -> HomeAssistantError:
        return HomeAssistantError(
            translation_domain=DOMAIN, translation_key="update_failed", translation_placeholders={"error": code}
        )
