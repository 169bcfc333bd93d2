"""Smart-Meter Gateway: a meter's values, pushed by the gateway's own API."""

from homeassistant.const import CONF_HOST, CONF_PORT, CONF_TOKEN, Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .api import GatewayClient, GatewayError
from .const import CONF_PIN, CONF_TOKEN_ID, DOMAIN, LOGGER
from .coordinator import GatewayConfigEntry, GatewayCoordinator
from .issues import delete_issues
from .statistics import StatisticsImport

PLATFORMS = [Platform.BINARY_SENSOR, Platform.BUTTON, Platform.SENSOR, Platform.UPDATE]


def _client_of(hass: HomeAssistant, entry: GatewayConfigEntry) -> GatewayClient:
    data = entry.data
    session = async_get_clientsession(hass)
    return GatewayClient(session, data[CONF_HOST], data[CONF_PORT], data[CONF_PIN], data[CONF_TOKEN])


async def async_setup_entry(hass: HomeAssistant, entry: GatewayConfigEntry) -> bool:
    """Read the gateway once, then follow it."""
    coordinator = GatewayCoordinator(hass, entry, _client_of(hass, entry))
    await coordinator.async_config_entry_first_refresh()
    entry.runtime_data = coordinator
    _show_version(hass, coordinator)
    entry.async_on_unload(coordinator.async_add_listener(lambda: _show_version(hass, coordinator)))
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    entry.async_create_background_task(hass, coordinator.follow(), f"{DOMAIN} events")
    if "recorder" in hass.config.components:
        entry.async_on_unload(StatisticsImport(hass, entry, coordinator).start())
    return True


def _show_version(hass: HomeAssistant, coordinator: GatewayCoordinator) -> None:
    """Show a new firmware at the device."""
    registry = dr.async_get(hass)
    device = registry.async_get_device_by_identifier((DOMAIN, coordinator.serial), coordinator.config_entry.entry_id)
    if device is not None and device.sw_version != coordinator.firmware:
        registry.async_update_device(device.id, sw_version=coordinator.firmware)


async def async_unload_entry(hass: HomeAssistant, entry: GatewayConfigEntry) -> bool:
    """Unload the platforms; the tasks end by themselves."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)


async def async_remove_entry(hass: HomeAssistant, entry: GatewayConfigEntry) -> None:
    """Revoke the token; a gateway that is gone keeps it in its list."""
    delete_issues(hass, entry)
    try:
        await _client_of(hass, entry).delete(f"system/tokens/{entry.data[CONF_TOKEN_ID]}")
    except GatewayError as error:
        LOGGER.warning("%s: the token %s could not be revoked: %s", entry.title, entry.data[CONF_TOKEN_ID], error)
