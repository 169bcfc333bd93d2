"""Buttons: read the meter now, and restart the gateway."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from homeassistant.components.button import ButtonEntity, ButtonEntityDescription
from homeassistant.components.button.const import ButtonDeviceClass
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .api import GatewayClient, GatewayError
from .const import DOMAIN
from .coordinator import GatewayConfigEntry
from .entity import GatewayEntity

PARALLEL_UPDATES = 1


@dataclass(frozen=True, kw_only=True)
class Description(ButtonEntityDescription):
    """`needs_control`: the button needs a token of scope `full`."""

    press: Callable[[GatewayClient], Awaitable[object]]
    needs_control: bool = False


DESCRIPTIONS = (
    Description(key="read", translation_key="read", press=lambda client: client.read_meter()),
    Description(
        key="restart",
        device_class=ButtonDeviceClass.RESTART,
        entity_category=EntityCategory.CONFIG,
        press=lambda client: client.post("system/reboot"),
        needs_control=True,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant, entry: GatewayConfigEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add the buttons that the token allows."""
    coordinator = entry.runtime_data
    async_add_entities(
        GatewayButton(coordinator, one) for one in DESCRIPTIONS if coordinator.has_control or not one.needs_control
    )


class GatewayButton(GatewayEntity, ButtonEntity):
    """A button of the gateway."""

    entity_description: Description

    async def async_press(self) -> None:
        """Send the request, and wait for the reply."""
        try:
            await self.entity_description.press(self.coordinator.client)
        except GatewayError as error:
            raise HomeAssistantError(
                translation_domain=DOMAIN, translation_key="refused", translation_placeholders={"error": str(error)}
            ) from error
