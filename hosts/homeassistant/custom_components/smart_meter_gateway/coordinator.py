"""Reads one gateway: its event stream says when something is new, and a slow poll finds what the stream does not say.

The gateway has one place for a stream. If another client has it, the gateway refuses (503), and the integration polls
more often until the place is free.
"""

import asyncio
import time
from dataclasses import dataclass, field, replace
from datetime import timedelta

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed
from homeassistant.helpers.update_coordinator import DataUpdateCoordinator, UpdateFailed

from .api import JSON, BusyError, GatewayClient, GatewayError, KeyChangedError, UnauthorizedError
from .const import CONF_SCOPE, DOMAIN, LANGUAGES, LOGGER, SCOPE_FULL
from .issues import CLOCK_WRONG, METER_FAILED, PASSWORD_DEFAULT, TOKENS_FULL, IssueTimes, update_issues
from .values import Descriptions, Exposition, Value, describe, parse_metrics

POLL = timedelta(seconds=60)
POLL_WITHOUT_STREAM = timedelta(seconds=10)
STATUS_AGE_S = 60
"""Age at which `system/status` is read again, although the events tell what changes quickly."""
DESCRIPTIONS_AGE_S = 3600
RETRY_S = 5
RETRY_LIMIT_S = 60
METER_STATES = frozenset(("ok", "idle", "reading"))
"""Values of `meter_state` that are not the code of a failure."""

type GatewayConfigEntry = ConfigEntry[GatewayCoordinator]


@dataclass(frozen=True)
class GatewayData:
    """The gateway's state. `status` has the members of `system/status`, with those of the last event."""

    status: JSON
    exposition: Exposition
    descriptions: Descriptions = field(default_factory=Descriptions)
    failure: str | None = None
    """Code of the meter's failure; empty if the last attempt was good; None before the first attempt."""
    tokens_full: bool = False

    @property
    def values(self) -> dict[str, Value]:
        """Values of the meter that are true now, by key."""
        return self.exposition.values


class GatewayCoordinator(DataUpdateCoordinator[GatewayData]):
    """State of one gateway for all of its entities."""

    config_entry: GatewayConfigEntry

    def __init__(self, hass: HomeAssistant, entry: GatewayConfigEntry, client: GatewayClient) -> None:
        """Prepare the poll; `follow` starts the stream."""
        super().__init__(hass, LOGGER, config_entry=entry, name=entry.title, update_interval=POLL_WITHOUT_STREAM)
        self.client = client
        self.version: JSON = {}
        self.hostname = entry.title
        self._status: JSON = {}
        self._status_at = float("-inf")
        self._descriptions = Descriptions()
        self._described_at = float("-inf")
        self._readouts = -1
        self._times = IssueTimes()

    @property
    def serial(self) -> str:
        """Serial number of the gateway, which identifies it."""
        serial: str = self.version["device"]["serial"]
        return serial

    @property
    def firmware(self) -> str:
        """Version of the running firmware."""
        version: str = self.version["firmware"]["version"]
        return version

    @property
    def has_control(self) -> bool:
        """True if the token allows more than reading."""
        return bool(self.config_entry.data[CONF_SCOPE] == SCOPE_FULL)

    async def _async_update_data(self) -> GatewayData:
        try:
            return await self._read()
        except (UnauthorizedError, KeyChangedError) as error:
            raise ConfigEntryAuthFailed(
                translation_domain=DOMAIN,
                translation_key=error.code if isinstance(error, KeyChangedError) else "unauthorized",
            ) from error
        except GatewayError as error:
            # After a gap the status is of another time, and maybe of another firmware.
            self._status_at = float("-inf")
            raise UpdateFailed(
                translation_domain=DOMAIN, translation_key="no_answer", translation_placeholders={"error": str(error)}
            ) from error

    async def _read(self) -> GatewayData:
        now = time.monotonic()
        tokens_full = self.data.tokens_full if self.data else False
        if now - self._status_at >= STATUS_AGE_S:
            self.version = await self.client.get("system/version")
            self.hostname = (await self.client.get("network/status"))["hostname"]
            self._status |= await self.client.get("system/status")
            if self.has_control:
                tokens = await self.client.get("system/tokens")
                tokens_full = len(tokens["tokens"]) >= tokens["max"]
            self._status_at = now
        exposition = parse_metrics(await self.client.metrics())
        unnamed = any(one.obis and one.obis not in self._descriptions.names for one in exposition.values.values())
        if unnamed or now - self._described_at >= DESCRIPTIONS_AGE_S:
            language = self.hass.config.language.split("-")[0]
            language = language if language in LANGUAGES else "en"
            self._descriptions = describe(await self.client.get("iec62056/last", lang=language), language)
            self._described_at = now
        failure = self.data.failure if self.data else None
        data = GatewayData(self._status, exposition, self._descriptions, failure, tokens_full)
        return self._judged(data)

    def _judged(self, data: GatewayData) -> GatewayData:
        """Take the state of the meter from the status; `reading` changes nothing."""
        state = data.status["meter_state"]
        if state == "reading":
            return data
        data = replace(data, failure={"ok": "", "idle": None}.get(state, state))
        problems = {
            METER_FAILED: self._times.lasts(METER_FAILED, bool(data.failure)),
            CLOCK_WRONG: self._times.lasts(CLOCK_WRONG, not data.status["clock_valid"]),
            PASSWORD_DEFAULT: bool(data.status["password_default"]),
            TOKENS_FULL: data.tokens_full,
        }
        update_issues(self.hass, self.config_entry, problems, data.failure or "")
        return data

    async def async_refresh_all(self) -> None:
        """Refresh also what is read rarely."""
        self._status_at = float("-inf")
        await self.async_refresh()

    async def follow(self) -> None:
        """Follow the event stream for ever."""
        retry_s = RETRY_S
        while True:
            try:
                async for name, event in self.client.events():
                    retry_s = RETRY_S
                    await self._take(name, event)
                LOGGER.debug("%s: the event stream has ended", self.name)
            except BusyError as error:
                retry_s = error.retry_s
                LOGGER.debug("%s: another client follows the events; polling", self.name)
            except GatewayError as error:
                LOGGER.debug("%s: %s", self.name, error)
            self.update_interval = POLL_WITHOUT_STREAM
            await self.async_refresh_all()
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, RETRY_LIMIT_S)

    async def _take(self, name: str, event: JSON) -> None:
        self.update_interval = POLL
        if name == "readout":
            if event["meter_readouts"] != self._readouts:
                self._readouts = event["meter_readouts"]
                await self.async_refresh()
            return
        before = self._status.get("meter_state")
        self._status = self._status | event
        if (
            self.data is None
            or not self.last_update_success
            or (event["meter_state"] != before and event["meter_state"] not in METER_STATES)
        ):
            # A failure may be the moment at which momentary values become invalid.
            await self.async_refresh()
        else:
            self.async_set_updated_data(self._judged(replace(self.data, status=self._status)))
