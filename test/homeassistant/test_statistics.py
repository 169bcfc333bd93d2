"""The history as statistics: what is imported, twice with the same result, and continued."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from homeassistant.components.recorder.statistics import list_statistic_ids, statistics_during_period
from homeassistant.core import HomeAssistant
from homeassistant.helpers.recorder import get_instance
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import async_fire_time_changed
from pytest_homeassistant_custom_component.components.recorder.common import async_wait_recording_done

from custom_components.smart_meter_gateway.const import DOMAIN
from custom_components.smart_meter_gateway.statistics import (
    BASE_S,
    HOUR_S,
    REGISTERS,
    StatisticsImport,
    continue_sums,
    join_periods,
    running_sums,
)

from .conftest import SetUp, until
from .fake_gateway import SERIAL, FakeGateway

DAY_S = 24 * HOUR_S
IMPORT = f"{DOMAIN}:{SERIAL.lower()}_import"


def period(start: int, length: int, wh: int | None = None, **more: Any) -> dict[str, Any]:
    known = {} if wh is None else {"import_wh": wh}
    return {"start": start, "end": start + length, **known, **more}


def year(now: int) -> dict[str, list[dict[str, Any]]]:
    """Return a history of a year: 24 Wh a day, 1 Wh an hour; hours for two weeks, and the running ones."""
    today = now // DAY_S * DAY_S
    days = [period(today - n * DAY_S, DAY_S, 24, export_wh=12) for n in range(365, 0, -1)]
    begin = today - 14 * DAY_S
    hours = [period(at, HOUR_S, 1, export_wh=1) for at in range(begin, now // HOUR_S * HOUR_S, HOUR_S)]
    return {
        "months": [period(today - 395 * DAY_S, 30 * DAY_S, 720), period(today - 365 * DAY_S, 365 * DAY_S, 8760)],
        "days": [*days, period(today, now - today, 0, partial=True)],
        "hours": [*hours, period(now // HOUR_S * HOUR_S, 60, 0, partial=True)],
    }


async def rows_of(hass: HomeAssistant, statistic_id: str, *types: str) -> list[dict[str, Any]]:
    await async_wait_recording_done(hass)
    begin = datetime.fromtimestamp(BASE_S, UTC)
    found = await get_instance(hass).async_add_executor_job(
        statistics_during_period, hass, begin, None, {statistic_id}, "hour", None, set(types or ("sum", "change"))
    )
    return [dict(row) for row in found.get(statistic_id, [])]


async def importer(hass: HomeAssistant, set_up: SetUp) -> StatisticsImport:
    """Return the entry's importer, without its own runs."""
    with patch("custom_components.smart_meter_gateway.StatisticsImport.start", return_value=lambda: None):
        entry = await set_up("read")
    return StatisticsImport(hass, entry, entry.runtime_data)


async def test_year_twice(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    now = int(dt_util.utcnow().timestamp())
    gateway.history = year(now)
    one = await importer(hass, set_up)
    await one.run(True)
    rows = await rows_of(hass, IMPORT)
    hours = len(gateway.history["hours"]) - 1
    assert len(rows) == 1 + 1 + 351 + hours
    assert rows[0]["start"] == BASE_S
    assert rows[0]["sum"] == rows[0]["change"] == 0
    assert rows[-1]["sum"] == pytest.approx((720 + 351 * 24 + hours) / 1000)
    assert {round(row["change"], 6) for row in rows[2:353]} == {0.024}
    await one.run(True)
    assert await rows_of(hass, IMPORT) == rows
    await one.run(False)
    assert await rows_of(hass, IMPORT) == rows
    (exported,) = await get_instance(hass).async_add_executor_job(
        list_statistic_ids, hass, {IMPORT.replace("import", "export")}
    )
    assert exported["unit_class"] == "energy"
    assert exported["statistics_unit_of_measurement"] == "kWh"
    assert exported["name"] == "smgw-1d3f2a export"


async def test_next_hours(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    now = int(dt_util.utcnow().timestamp())
    gateway.history = year(now - 3 * HOUR_S)
    one = await importer(hass, set_up)
    await one.run(True)
    before = await rows_of(hass, IMPORT)
    gateway.history = year(now)
    await one.run(False)
    rows = await rows_of(hass, IMPORT)
    assert rows[: len(before)] == before
    assert len(rows) == len(before) + 3
    assert rows[-1]["sum"] == pytest.approx(before[-1]["sum"] + 0.003)
    assert gateway.requests[-1] == "GET meter/history"


async def test_long_outage(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    """Home Assistant was off for 20 days: what it missed comes as days."""
    now = int(dt_util.utcnow().timestamp())
    gateway.history = year(now - 20 * DAY_S)
    one = await importer(hass, set_up)
    await one.run(True)
    before = (await rows_of(hass, IMPORT))[-1]
    gateway.history = year(now)
    await one.run(False)
    rows = await rows_of(hass, IMPORT)
    missed = (now // HOUR_S * HOUR_S - (before["start"] + HOUR_S)) // HOUR_S
    assert rows[-1]["sum"] == pytest.approx(before["sum"] + missed / 1000)
    assert all(row["change"] >= 0 for row in rows)


async def test_filled_from_meter(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    """The gateway fills its history with older days: later sums stay, and nothing is counted twice."""
    now = int(dt_util.utcnow().timestamp())
    whole = year(now)
    gateway.history = {"months": [], "days": whole["days"][200:], "hours": whole["hours"]}
    one = await importer(hass, set_up)
    await one.run(True)
    before = await rows_of(hass, IMPORT)
    gateway.history = {"months": [], "days": whole["days"], "hours": whole["hours"]}
    await one.run(True)
    rows = await rows_of(hass, IMPORT)
    assert rows[-1]["sum"] == before[-1]["sum"]
    assert rows[0]["sum"] == pytest.approx(-200 * 0.024)
    assert {round(row["change"], 6) for row in rows[1:202]} == {0.024}


async def test_no_row_fits(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    now = int(dt_util.utcnow().timestamp())
    gateway.history = {"months": [], "days": [], "hours": year(now)["hours"][:10]}
    one = await importer(hass, set_up)
    await one.run(True)
    await async_wait_recording_done(hass)
    gateway.history = {"months": [], "days": [], "hours": year(now)["hours"][100:]}
    await one.run(True)
    rows = await rows_of(hass, IMPORT)
    assert len(rows) == 1 + len(gateway.history["hours"]) - 1
    assert rows[0]["sum"] == 0


async def test_each_hour(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    now = int(dt_util.utcnow().timestamp())
    gateway.history = year(now)
    await set_up("read")
    await until(lambda: gateway.requests.count("GET meter/history") == 3)
    gateway.failures["meter/history"] = (503, "busy")
    with patch("custom_components.smart_meter_gateway.statistics.WHOLE_HOUR", -1):
        later = dt_util.utcnow().replace(minute=5, second=0) + timedelta(hours=1)
        async_fire_time_changed(hass, later)
        await until(lambda: gateway.requests.count("GET meter/history") == 4)
        await hass.async_block_till_done()


def sums_of(periods: Sequence[Any], key: str = "import") -> dict[int, int]:
    (register,) = (one for one in REGISTERS if one.key == key)
    return running_sums(register, periods)


def test_joining() -> None:
    hours = [period(at * HOUR_S, HOUR_S, 1) for at in range(30, 60)]
    days = [period(at * DAY_S, DAY_S, 24) for at in range(4)]
    # The hours begin within day 1: it is dropped from there on, and day 2 begins with hour 48.
    joined = join_periods([], days, hours)
    assert [one["start"] // HOUR_S for one in joined[:3]] == [0, 24, 48]
    assert joined[-1] == hours[-2]
    assert join_periods([], [], []) == []
    assert join_periods([], days, []) == days[:-1]
    # A new gateway: everything began within this day.
    young = [period(100, HOUR_S - 100, 1), period(HOUR_S, 10, 0)]
    assert join_periods([period(100, HOUR_S, 1)], [period(100, HOUR_S, 1)], young) == young[:1]


def test_registers() -> None:
    periods = [period(0, HOUR_S, 10, import_t2_wh=4), period(HOUR_S, HOUR_S), period(2 * HOUR_S, HOUR_S, 5)]
    assert sums_of(periods) == {0: 10, 2 * HOUR_S: 15}
    assert sums_of(periods, "import_t1") == {0: 6, 2 * HOUR_S: 11}
    assert sums_of(periods, "import_t2") == {0: 4}
    # Time zones with half hours: a row is that of the hour in which the period ends.
    assert sums_of([period(1800, DAY_S, 3)]) == {DAY_S: 3}


def test_continuing() -> None:
    assert continue_sums({0: 1, 1: 3}, {0: 11}) == {0: 11, 1: 13}
    assert continue_sums({0: 1}, {5: 1}) is None


async def test_tariffs(hass: HomeAssistant, gateway: FakeGateway, set_up: SetUp) -> None:
    now = int(dt_util.utcnow().timestamp()) // HOUR_S * HOUR_S
    hours = [period(now - n * HOUR_S, HOUR_S, 10, import_t2_wh=n) for n in range(5, 0, -1)]
    gateway.history = {"months": [], "days": [], "hours": [*hours, period(now, 9, 0)]}
    one = await importer(hass, set_up)
    await one.run(True)
    assert [row["sum"] for row in await rows_of(hass, f"{IMPORT}_t1")] == [0, 0.005, 0.011, 0.018, 0.026, 0.035]
    assert len(await rows_of(hass, f"{IMPORT}_t2")) == 6
