"""Repairs: what the owner should know, and can do something about."""

import time

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .const import DOMAIN

METER_FAILED = "meter_failed"
CLOCK_WRONG = "clock_wrong"
PASSWORD_DEFAULT = "password_default"
TOKENS_FULL = "tokens_full"
ISSUES = (METER_FAILED, CLOCK_WRONG, PASSWORD_DEFAULT, TOKENS_FULL)

PATIENCE_S = 600
"""How long the meter may fail and the clock be wrong: both are usual for a while after a restart."""


class IssueTimes:
    """When each problem began, on the monotonic clock."""

    def __init__(self) -> None:
        """Begin without problems."""
        self._since: dict[str, float] = {}

    def lasts(self, key: str, is_there: bool) -> bool:
        """Return True if the problem has lasted for PATIENCE_S."""
        if not is_there:
            self._since.pop(key, None)
            return False
        return time.monotonic() - self._since.setdefault(key, time.monotonic()) >= PATIENCE_S


def update_issues(hass: HomeAssistant, entry: ConfigEntry, problems: dict[str, bool], failure: str) -> None:
    """Create the issues that are there, and delete the others."""
    for key in ISSUES:
        issue_id = f"{key}_{entry.entry_id}"
        if problems[key]:
            ir.async_create_issue(
                hass,
                DOMAIN,
                issue_id,
                is_fixable=False,
                severity=ir.IssueSeverity.WARNING,
                translation_key=key,
                translation_placeholders={"name": entry.title, "error": failure},
            )
        else:
            ir.async_delete_issue(hass, DOMAIN, issue_id)


def delete_issues(hass: HomeAssistant, entry: ConfigEntry) -> None:
    """Delete all issues of the gateway."""
    update_issues(hass, entry, dict.fromkeys(ISSUES, False), "")
