"""Diagnostics of a gateway, without secrets and without what identifies the home."""

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_HOST, CONF_TOKEN
from homeassistant.core import HomeAssistant

from .const import CONF_PIN, CONF_TOKEN_ID
from .coordinator import GatewayConfigEntry

REDACTED = {CONF_HOST, CONF_PIN, CONF_TOKEN, CONF_TOKEN_ID, "serial", "title", "unique_id", "upgrade_url"}


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: GatewayConfigEntry) -> dict[str, Any]:
    """Return settings, state and values."""
    coordinator = entry.runtime_data
    data = coordinator.data
    return {
        "entry": async_redact_data(dict(entry.data), REDACTED),
        "is_reachable": coordinator.last_update_success,
        "poll_seconds": coordinator.update_interval and coordinator.update_interval.total_seconds(),
        "version": async_redact_data(coordinator.version, REDACTED),
        "status": async_redact_data(data.status, REDACTED),
        "values": {key: str(value.number) for key, value in data.values.items()},
        "own": data.exposition.own,
    }
