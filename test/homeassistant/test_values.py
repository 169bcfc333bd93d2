"""Values from the gateway's metrics, and the client's own rules."""

from decimal import Decimal
from typing import Any

import pytest
from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass

from custom_components.smart_meter_gateway.api import split_address
from custom_components.smart_meter_gateway.values import describe, parse_metrics


def lines(*values: str) -> str:
    return "# TYPE\n" + "\n".join(f"smartmeter_{value}" for value in values)


@pytest.mark.parametrize(
    ("line", "key", "number", "unit", "state_class"),
    [
        ('energy_kwh_total{obis="1-0:1.8.0"} 12.5', "1_0_1_8_0", "12.5", "kWh", SensorStateClass.TOTAL_INCREASING),
        ('energy_kwh_total{obis="1.8.1"} 0012.50', "1_8_1", "12.50", "kWh", SensorStateClass.TOTAL_INCREASING),
        ('energy_kwh_total{obis="1-0:16.8.0"} -1', "1_0_16_8_0", "-1", "kWh", SensorStateClass.TOTAL),
        (
            'energy_joules_total{obis="6-0:1.0.0"} 1500000000',
            "6_0_1_0_0",
            "1.5",
            "GJ",
            SensorStateClass.TOTAL_INCREASING,
        ),
        ('power_watts{obis="16.7.0"} -774', "16_7_0", "-774", "W", SensorStateClass.MEASUREMENT),
        ('power_watts{obis="1.6.0"} 774', "1_6_0", "774", "W", None),
        ('volume_cubic_meters_total{obis="C.7.1"} 3', "c96_7_1", "3", "m³", SensorStateClass.TOTAL_INCREASING),
        ('voltage_volts{obis="32.7"} 230.0', "32_7", "230.0", "V", SensorStateClass.MEASUREMENT),
    ],
)
def test_value(line: str, key: str, number: str, unit: str, state_class: Any) -> None:
    (value,) = parse_metrics(lines(line)).values.values()
    assert (value.key, value.number, value.kind.unit) == (key, Decimal(number), unit)
    assert value.state_class == state_class


def test_others() -> None:
    found = parse_metrics(lines('power_watts{obis="name"} 1', 'power_watts{obis="1.7.0"} x', "readouts_total 3"))
    assert not found.values
    assert found.own == {"smartmeter_readouts_total": 3}
    assert found.readout is None


def power(code: str, watts: int) -> str:
    return f'power_watts{{obis="{code}"}} {watts}'


@pytest.mark.parametrize(
    ("powers", "net"),
    [
        ([power("1-0:1.7.0", 100), power("1-0:2.7.0", 30)], 70),
        ([power("1.7", 0), power("2.7", 30)], -30),
        ([power("1-0:1.7.0", 100), power("1-0:2.7.0", 30), power("1-0:16.7.0", 70)], None),
        ([power("1-0:1.7.0", 100)], None),
        ([power("1-2:1.7.0", 100), power("1-2:2.7.0", 30)], None),
        ([power("1-0:1.7.1", 100), power("1-0:2.7.1", 30)], None),
    ],
)
def test_net_power(powers: list[str], net: int | None) -> None:
    value = parse_metrics(lines(*powers)).values.get("power_net")
    assert (None if value is None else value.number) == net
    if value is not None:
        assert value.state_class is SensorStateClass.MEASUREMENT


def reading(obis: str, value: str = "1", channel: int | None = None) -> dict[str, Any]:
    return {"obis_long": obis, "obis": obis.rpartition(":")[2], "value1": value, "channel": channel, "en": None}


@pytest.mark.parametrize(
    ("obis", "kind", "expected"),
    [
        ("0-1:24.2.1", "003", SensorDeviceClass.GAS),
        ("0-1:24.2.1", "007", SensorDeviceClass.WATER),
        ("0-1:24.2.1", "004", SensorDeviceClass.VOLUME),
        ("7-0:3.0.0", "", SensorDeviceClass.GAS),
        ("8-0:1.0.0", "", SensorDeviceClass.WATER),
        ("6-0:2.0.0", "", SensorDeviceClass.VOLUME),
    ],
)
def test_volumes(obis: str, kind: str, expected: SensorDeviceClass) -> None:
    (value,) = parse_metrics(lines(f'volume_cubic_meters_total{{obis="{obis}"}} 1')).values.values()
    readings = [reading("0-1:24.1.0", kind, 1)] if kind else []
    assert describe({"meter_id": "", "readings": readings}, "en").device_class_of(value) is expected


@pytest.mark.parametrize(
    ("readings", "number"),
    [
        ([reading("0.0.0", "48151623")], "48151623"),
        ([reading("0-0:96.1.1", "4530303132333435363738393031323334")], "E0012345678901234"),
        ([reading("0-0:96.1.1", "00" * 10)], "00" * 10),
        ([reading("0.0.0", "not hexadecimal but long")], "not hexadecimal but long"),
        ([reading("0-1:96.1.0", "gas", 1)], "ESY5"),
    ],
)
def test_meter_number(readings: list[dict[str, Any]], number: str) -> None:
    assert describe({"meter_id": "ESY5", "readings": readings}, "en").meter_number == number


@pytest.mark.parametrize(
    ("address", "expected"),
    [("smgw.local", ("smgw.local", 443)), (" 10.0.0.1:8443 ", ("10.0.0.1", 8443)), ("https://a/x", ("a", 443))],
)
def test_address(address: str, expected: tuple[str, int]) -> None:
    assert split_address(address) == expected
