"""The gateway's history as statistics of Home Assistant, for its energy dashboard (docs/history.md).

The gateway keeps hours for two weeks, days for 800 days and months for ten years. Each period becomes a row of the
hour in which it ends. Its `sum` is the consumption since the oldest row, so a row that is imported again is replaced by
an equal one. Rows that Home Assistant already has tell where the sums continue.

One row is dated 1 January 2000: its `sum` is that before the oldest period. Home Assistant takes the first sum for
consumption; without this row, periods that the gateway fills in later would be counted there.
"""

import asyncio
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from homeassistant.components.recorder.models import StatisticData, StatisticMeanType, StatisticMetaData
from homeassistant.components.recorder.statistics import async_add_external_statistics, statistics_during_period
from homeassistant.const import UnitOfEnergy, UnitOfVolume
from homeassistant.core import CALLBACK_TYPE, HomeAssistant
from homeassistant.helpers.event import async_track_time_change
from homeassistant.helpers.recorder import get_instance
from homeassistant.helpers.translation import async_get_translations

from .api import JSON, GatewayError
from .const import DOMAIN, LOGGER
from .coordinator import GatewayConfigEntry, GatewayCoordinator

HOUR_S = 3600
BASE_S = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp())
"""Hour of the row that has the sum before the oldest period, Unix time."""
RECENT_S = 2 * 86_400
"""Age of the hours that are imported each hour."""
WHOLE_HOUR = 3
"""Hour of the day in which the whole history is imported again."""


@dataclass(frozen=True)
class Register:
    """A register of the history, and the member of a period that has its amount. `less` is subtracted."""

    key: str
    member: str
    unit: str = UnitOfEnergy.KILO_WATT_HOUR
    unit_class: str = "energy"
    less: str = ""

    def amount_of(self, period: JSON) -> int | None:
        """Return the amount, Wh or l; None if unknown."""
        amount: int | None = period.get(self.member)
        return amount if amount is None or not self.less else amount - period.get(self.less, 0)


REGISTERS = (
    Register("import", "import_wh"),
    Register("import_t1", "import_wh", less="import_t2_wh"),
    Register("import_t2", "import_t2_wh"),
    Register("export", "export_wh"),
    Register("gas", "gas_l", UnitOfVolume.CUBIC_METERS, "volume"),
    Register("water", "water_l", UnitOfVolume.CUBIC_METERS, "volume"),
    Register("heat", "heat_wh"),
)


def join_periods(months: Sequence[JSON], days: Sequence[JSON], hours: Sequence[JSON]) -> list[JSON]:
    """Return one list without overlaps: the finest periods that are kept, oldest first, without the running hour."""
    hours = hours[:-1]
    older = _before(days[:-1], hours)
    newer = [one for one in hours if not older or one["start"] >= older[-1]["end"]]
    oldest = _before(months[:-1], older or newer)
    older = [one for one in older if not oldest or one["start"] >= oldest[-1]["end"]]
    return oldest + older + newer


def _before(coarse: Sequence[JSON], fine: Sequence[JSON]) -> list[JSON]:
    """Return the coarse periods up to the first one that the fine periods cover from its start."""
    if not fine:
        return list(coarse)
    starts = {one["start"] for one in fine}
    cut = next((one["start"] for one in coarse if one["start"] in starts), fine[0]["start"])
    return [one for one in coarse if one["end"] <= cut]


def running_sums(register: Register, periods: Iterable[JSON]) -> dict[int, int]:
    """Return the sum, Wh or l, from the first period on, by the Unix time of the row's hour."""
    sums: dict[int, int] = {}
    total = 0
    for period in periods:
        if (amount := register.amount_of(period)) is not None:
            total += amount
            sums[(period["end"] - 1) // HOUR_S * HOUR_S] = total
    return sums


def continue_sums(sums: dict[int, int], existing: dict[int, int]) -> dict[int, int] | None:
    """Return the sums so that the newest row which is in both lists stays as it is; None if there is no such row."""
    if (anchor := max(sums.keys() & existing.keys(), default=None)) is None:
        return None
    offset = existing[anchor] - sums[anchor]
    return {start: total + offset for start, total in sums.items()}


class StatisticsImport:
    """Imports the history of one gateway: the whole of it at the start and once a day, otherwise each hour."""

    def __init__(self, hass: HomeAssistant, entry: GatewayConfigEntry, coordinator: GatewayCoordinator) -> None:
        """Prepare; `start` begins."""
        self._hass = hass
        self._entry = entry
        self._coordinator = coordinator
        self._lock = asyncio.Lock()

    def start(self) -> CALLBACK_TYPE:
        """Import the whole history in the background, and continue each hour. Returns what ends it."""
        self._entry.async_create_background_task(self._hass, self.run(True), f"{DOMAIN} statistics")

        async def each_hour(now: datetime) -> None:
            await self.run(now.hour == WHOLE_HOUR)

        # Several gateways, and several homes, spread over some minutes.
        minute, second = random.randint(2, 4), random.randint(0, 59)
        return async_track_time_change(self._hass, each_hour, minute=minute, second=second)

    async def run(self, is_whole: bool) -> None:
        """Import the whole history, or the last two days if Home Assistant has rows of them."""
        async with self._lock:
            if not await self._run(is_whole):
                await self._run(True)

    async def _run(self, is_whole: bool) -> bool:
        """Return False if the recent rows do not continue those of Home Assistant."""
        client = self._coordinator.client
        try:
            if is_whole:
                months = (await client.get("meter/history", period="months"))["periods"]
                days = (await client.get("meter/history", period="days"))["periods"]
                hours = (await client.get("meter/history", period="hours"))["periods"]
            else:
                since = int(datetime.now(UTC).timestamp()) - RECENT_S
                months, days = [], []
                hours = (await client.get("meter/history", period="hours", **{"from": since}))["periods"]
        except GatewayError as error:
            LOGGER.debug("%s: the history could not be read: %s", self._coordinator.name, error)
            return True
        periods = join_periods(months, days, hours)
        has_tariffs = any("import_t2_wh" in one for one in periods)
        names = await async_get_translations(self._hass, self._hass.config.language, "selector", [DOMAIN])
        for register in REGISTERS:
            if (register.less and not has_tariffs) or not (sums := running_sums(register, periods)):
                continue
            if not await self._import(register, sums, is_whole, names):
                return False
        return True

    async def _import(self, register: Register, sums: dict[int, int], is_whole: bool, names: dict[str, str]) -> bool:
        """Import one register; return False if the recent rows do not continue those of Home Assistant."""
        statistic_id = f"{DOMAIN}:{self._coordinator.serial.lower()}_{register.key}"
        existing = await self._existing(statistic_id, BASE_S if is_whole else min(sums))
        continued = continue_sums(sums, existing)
        if continued is None:
            if not is_whole:
                return False
            if existing:
                LOGGER.warning("%s: no row fits the history of the gateway; all are imported anew", statistic_id)
                get_instance(self._hass).async_clear_statistics([statistic_id])
                existing = {}
            continued = sums
        if is_whole:
            first = min(sums)
            continued = {BASE_S: continued[first] - sums[first]} | continued
        name = names[f"component.{DOMAIN}.selector.statistic.options.{register.key}"]
        metadata = StatisticMetaData(
            has_sum=True,
            mean_type=StatisticMeanType.NONE,
            name=f"{self._coordinator.hostname} {name}",
            source=DOMAIN,
            statistic_id=statistic_id,
            unit_class=register.unit_class,
            unit_of_measurement=register.unit,
        )
        changed = {start: total for start, total in continued.items() if existing.get(start) != total}
        rows = [
            StatisticData(start=datetime.fromtimestamp(start, UTC), state=total / 1000, sum=total / 1000)
            for start, total in sorted(changed.items())
        ]
        async_add_external_statistics(self._hass, metadata, rows)
        return True

    async def _existing(self, statistic_id: str, since: int) -> dict[int, int]:
        """Return the sums that Home Assistant has, Wh or l, by the Unix time of their hour."""
        begin = datetime.fromtimestamp(since, UTC)
        found = await get_instance(self._hass).async_add_executor_job(
            statistics_during_period, self._hass, begin, None, {statistic_id}, "hour", None, {"sum"}
        )
        return {
            int(row["start"]): round((row["sum"] or 0) * 1000) for row in found.get(statistic_id, ()) if "sum" in row
        }
