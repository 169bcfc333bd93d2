"""Sensors: the meter's values, and what the gateway says of itself."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import (
    PERCENTAGE,
    SIGNAL_STRENGTH_DECIBELS_MILLIWATT,
    EntityCategory,
    UnitOfPower,
    UnitOfTemperature,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .coordinator import GatewayConfigEntry, GatewayCoordinator, GatewayData
from .entity import GatewayEntity
from .values import NET_POWER, Value

PARALLEL_UPDATES = 0

type State = str | int | float | Decimal | datetime | None


@dataclass(frozen=True, kw_only=True)
class OwnDescription(SensorEntityDescription):
    """A sensor of the gateway's own. It exists if its value was known once, or `is_always`."""

    value: Callable[[GatewayData], State]
    is_always: bool = False


def _peak(key: str) -> OwnDescription:
    return OwnDescription(
        key=key,
        translation_key=key,
        device_class=SensorDeviceClass.POWER,
        native_unit_of_measurement=UnitOfPower.WATT,
        state_class=SensorStateClass.MEASUREMENT,
        value=lambda data: data.status.get(f"{key}_w"),
    )


OWN = (
    OwnDescription(
        key="last_readout",
        translation_key="last_readout",
        device_class=SensorDeviceClass.TIMESTAMP,
        entity_category=EntityCategory.DIAGNOSTIC,
        # Each readout changes it, for some meters each second.
        entity_registry_enabled_default=False,
        value=lambda data: data.exposition.readout,
        is_always=True,
    ),
    OwnDescription(
        key="meter_number",
        translation_key="meter_number",
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda data: data.descriptions.meter_number,
    ),
    OwnDescription(
        key="rssi",
        translation_key="rssi",
        device_class=SensorDeviceClass.SIGNAL_STRENGTH,
        native_unit_of_measurement=SIGNAL_STRENGTH_DECIBELS_MILLIWATT,
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda data: data.exposition.own.get("gateway_wifi_rssi_dbm"),
    ),
    OwnDescription(
        key="temperature",
        device_class=SensorDeviceClass.TEMPERATURE,
        native_unit_of_measurement=UnitOfTemperature.CELSIUS,
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=EntityCategory.DIAGNOSTIC,
        entity_registry_enabled_default=False,
        value=lambda data: data.exposition.own.get("gateway_temperature_celsius"),
    ),
    OwnDescription(
        key="battery",
        device_class=SensorDeviceClass.BATTERY,
        native_unit_of_measurement=PERCENTAGE,
        state_class=SensorStateClass.MEASUREMENT,
        entity_category=EntityCategory.DIAGNOSTIC,
        value=lambda data: data.status["battery_status"] if data.status["battery_voltage"] > 0 else None,
    ),
    _peak("peak"),
    _peak("peak_mean"),
    _peak("peak_forecast"),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: GatewayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add a sensor for each value, also for those that come later."""
    coordinator = entry.runtime_data
    known: set[str] = set()

    @callback
    def add_new() -> None:
        data = coordinator.data
        new: list[SensorEntity] = [
            OwnSensor(coordinator, one)
            for one in OWN
            if one.key not in known and (one.is_always or one.value(data) is not None)
        ]
        new += [MeterSensor(coordinator, value) for key, value in data.values.items() if key not in known]
        known.update(one.entity_description.key for one in new)
        if new:
            async_add_entities(new)

    add_new()
    entry.async_on_unload(coordinator.async_add_listener(add_new))


class OwnSensor(GatewayEntity, SensorEntity):
    """A sensor of the gateway's own."""

    entity_description: OwnDescription

    @property
    def available(self) -> bool:
        """False while the value is not known."""
        return super().available and self.native_value is not None

    @property
    def native_value(self) -> State:
        """The value; None if unknown."""
        return self.entity_description.value(self.coordinator.data)


class MeterSensor(GatewayEntity, SensorEntity):
    """A value of the meter. It is unavailable as soon as the gateway no longer vouches for it."""

    def __init__(self, coordinator: GatewayCoordinator, value: Value) -> None:
        """Name it as the gateway does, in Home Assistant's language if the gateway has it."""
        descriptions = coordinator.data.descriptions
        kind = value.kind
        description = SensorEntityDescription(
            key=value.key,
            device_class=descriptions.device_class_of(value),
            native_unit_of_measurement=kind.unit,
            state_class=value.state_class,
            suggested_display_precision=kind.places,
        )
        super().__init__(coordinator, description)
        if value.key == NET_POWER:
            self._attr_translation_key = NET_POWER
        else:
            self._attr_name = descriptions.name_of(value)
            self._attr_extra_state_attributes = {"obis": value.obis}

    @property
    def available(self) -> bool:
        """False while the value is old, unconfirmed, or no longer sent."""
        return super().available and self.native_value is not None

    @property
    def native_value(self) -> Decimal | None:
        """The meter's own digits."""
        value = self.coordinator.data.values.get(self.entity_description.key)
        return None if value is None else value.number
