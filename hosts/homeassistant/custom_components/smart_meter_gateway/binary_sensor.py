"""Binary sensors: whether the meter answers, and whether something has failed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from homeassistant.components.binary_sensor import BinarySensorEntity, BinarySensorEntityDescription
from homeassistant.components.binary_sensor.const import BinarySensorDeviceClass
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import GatewayConfigEntry, GatewayData
from .entity import GatewayEntity

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class Description(BinarySensorEntityDescription):
    """`codes`: codes of what is wrong, for automations."""

    is_on: Callable[[GatewayData], bool | None]
    codes: Callable[[GatewayData], dict[str, Any]] | None = None


def _problems(data: GatewayData) -> dict[str, str]:
    """Return the code of each failure, by what has failed."""
    status = data.status
    storage = status.get("storage_state", "ok")
    problems = {
        "meter": data.failure or "",
        "update": status["ota_last_error"],
        "storage": "" if storage == "ok" else storage,
        "safe_mode": status.get("safe_mode", ""),
    }
    return {key: code for key, code in problems.items() if code}


DESCRIPTIONS = (
    Description(
        key="meter",
        translation_key="meter",
        device_class=BinarySensorDeviceClass.CONNECTIVITY,
        entity_category=EntityCategory.DIAGNOSTIC,
        is_on=lambda data: None if data.failure is None else data.failure == "",
    ),
    Description(
        key="problem",
        device_class=BinarySensorDeviceClass.PROBLEM,
        entity_category=EntityCategory.DIAGNOSTIC,
        is_on=lambda data: bool(_problems(data)),
        codes=_problems,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: GatewayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add both."""
    async_add_entities(GatewayBinarySensor(entry.runtime_data, one) for one in DESCRIPTIONS)


class GatewayBinarySensor(GatewayEntity, BinarySensorEntity):
    """A binary sensor of the gateway's own."""

    entity_description: Description

    @property
    def is_on(self) -> bool | None:
        """None if unknown."""
        return self.entity_description.is_on(self.coordinator.data)

    @property
    def extra_state_attributes(self) -> dict[str, Any] | None:
        """Codes of the failures."""
        codes = self.entity_description.codes
        return codes(self.coordinator.data) if codes else None
