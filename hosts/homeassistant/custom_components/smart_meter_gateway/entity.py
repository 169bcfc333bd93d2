"""What all entities of a gateway share."""

from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import EntityDescription
from homeassistant.helpers.update_coordinator import CoordinatorEntity

from .const import DOMAIN
from .coordinator import GatewayCoordinator


class GatewayEntity(CoordinatorEntity[GatewayCoordinator]):
    """An entity of the gateway's device."""

    _attr_has_entity_name = True

    def __init__(self, coordinator: GatewayCoordinator, description: EntityDescription) -> None:
        """Derive the unique id as the gateway's MQTT discovery does, but from the whole serial number."""
        super().__init__(coordinator)
        self.entity_description = description
        version = coordinator.version
        self._attr_unique_id = f"{coordinator.serial.lower()}_{description.key}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, coordinator.serial)},
            name=coordinator.hostname,
            manufacturer=version["device"]["manufacturer"],
            model=version["device"]["model"],
            serial_number=coordinator.serial,
            sw_version=coordinator.firmware,
            configuration_url=f"{coordinator.client.url}/",
        )
