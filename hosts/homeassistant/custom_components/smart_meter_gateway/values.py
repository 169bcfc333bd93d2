"""Values of the gateway in Home Assistant's terms.

The source is `metrics` of the API (docs/metrics.md): the gateway's own choice of values in fixed units, without
simulated, unconfirmed and outdated ones. Keys, units and classes are those of the gateway's other outputs
(modules/publish/values.ts), so that entities keep their ids when an owner changes from one to the other.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from homeassistant.components.sensor import SensorDeviceClass, SensorStateClass
from homeassistant.const import (
    UnitOfApparentPower,
    UnitOfElectricCurrent,
    UnitOfElectricPotential,
    UnitOfEnergy,
    UnitOfFrequency,
    UnitOfPower,
    UnitOfReactiveEnergy,
    UnitOfReactivePower,
    UnitOfVolume,
)

from .api import JSON


@dataclass(frozen=True)
class Kind:
    """Unit and class of a metric; `places` to show; `exponent`: power of ten to the unit."""

    unit: str
    device_class: SensorDeviceClass | None
    is_counter: bool
    places: int
    exponent: int = 0


_METRICS = {
    "smartmeter_energy_kwh_total": Kind(UnitOfEnergy.KILO_WATT_HOUR, SensorDeviceClass.ENERGY, True, 2),
    "smartmeter_reactive_energy_kvarh_total": Kind(
        UnitOfReactiveEnergy.KILO_VOLT_AMPERE_REACTIVE_HOUR, SensorDeviceClass.REACTIVE_ENERGY, True, 2
    ),
    "smartmeter_apparent_energy_kvah_total": Kind("kVAh", None, True, 2),
    "smartmeter_energy_joules_total": Kind(UnitOfEnergy.GIGA_JOULE, SensorDeviceClass.ENERGY, True, 2, -9),
    "smartmeter_power_watts": Kind(UnitOfPower.WATT, SensorDeviceClass.POWER, False, 0),
    "smartmeter_reactive_power_vars": Kind(
        UnitOfReactivePower.VOLT_AMPERE_REACTIVE, SensorDeviceClass.REACTIVE_POWER, False, 0
    ),
    "smartmeter_apparent_power_voltamperes": Kind(
        UnitOfApparentPower.VOLT_AMPERE, SensorDeviceClass.APPARENT_POWER, False, 0
    ),
    "smartmeter_voltage_volts": Kind(UnitOfElectricPotential.VOLT, SensorDeviceClass.VOLTAGE, False, 1),
    "smartmeter_current_amperes": Kind(UnitOfElectricCurrent.AMPERE, SensorDeviceClass.CURRENT, False, 2),
    "smartmeter_frequency_hertz": Kind(UnitOfFrequency.HERTZ, SensorDeviceClass.FREQUENCY, False, 2),
    "smartmeter_volume_cubic_meters_total": Kind(UnitOfVolume.CUBIC_METERS, SensorDeviceClass.VOLUME, True, 2),
}
_POWER = _METRICS["smartmeter_power_watts"]
_VOLUME = _METRICS["smartmeter_volume_cubic_meters_total"]

_LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_CODE = re.compile(r"^(?:(\d+)-)?(?:(\d+):)?(\d+|[CFLP])\.(\d+)(?:\.(\d+))?$")
_LETTERS = {"C": 96, "F": 97, "L": 98, "P": 99}

_MOMENTARY = frozenset((4, 5, 7, 14, 15, 24, 25, 27, 28))
"""Values of group D for momentary and average values (IEC 62056-6-1)."""
_NET = frozenset((16, 36, 56, 76))
"""Values of group C for import minus export, of all phases and of each."""
_GROUP_MBUS = 24
_FLUIDS = {7: SensorDeviceClass.GAS, 8: SensorDeviceClass.WATER, 9: SensorDeviceClass.WATER}
"""Class of a volume by its medium, group A (IEC 62056-6-1)."""
_MBUS_FLUIDS = {"3": 7, "6": 9, "7": 8, "21": 8, "22": 8}
"""Medium by type of a meter on M-Bus (EN 13757-3, table 3)."""
_METER_NUMBERS = ("0.0.0", "C.1.0", "96.1.0", "96.1.1")
_HEX_MINIMUM = 20
"""A number that is not in hexadecimal digits is never this long (modules/readout/meter-number.ts)."""

NET_POWER = "power_net"


@dataclass(frozen=True)
class Value:
    """A number of the meter. `obis` is empty for one that is calculated."""

    key: str
    obis: str
    number: Decimal
    kind: Kind

    @property
    def groups(self) -> tuple[int, int, int, int, int]:
        """Groups A to E of the code; -1 for one that is missing."""
        if not (found := _CODE.match(self.obis)):
            return -1, -1, -1, -1, -1
        a, b, c, d, e = found.groups()
        return int(a or -1), int(b or -1), _LETTERS.get(c) or int(c), int(d), int(e or -1)

    @property
    def state_class(self) -> SensorStateClass | None:
        """None for highest values."""
        _, _, c, d, _ = self.groups
        if self.kind.is_counter:
            return SensorStateClass.TOTAL if c in _NET else SensorStateClass.TOTAL_INCREASING
        return SensorStateClass.MEASUREMENT if self.key == NET_POWER or d in _MOMENTARY else None


@dataclass(frozen=True)
class Exposition:
    """What `metrics` says: values by key, and the gateway's own numbers by metric."""

    values: dict[str, Value]
    own: dict[str, float]

    @property
    def readout(self) -> datetime | None:
        """Time of the last good readout; None if unknown."""
        at = self.own.get("smartmeter_readout_timestamp_seconds", 0)
        return datetime.fromtimestamp(at, UTC) if at else None


def parse_metrics(text: str) -> Exposition:
    """Read the text for Prometheus; lines of other programs' kinds are skipped."""
    values: dict[str, Value] = {}
    own: dict[str, float] = {}
    for line in text.splitlines():
        if not (found := _LINE.match(line)):
            continue
        metric, labels, number = found.groups()
        if (kind := _METRICS.get(metric)) is None:
            if labels is None:
                own[metric] = float(number)
            continue
        obis = dict(_LABEL.findall(labels or "")).get("obis", "")
        try:
            value = Value(_key_of(obis), obis, Decimal(number).scaleb(kind.exponent), kind)
        except InvalidOperation:
            continue
        if value.key:
            values.setdefault(value.key, value)
    if (net := _net_power(values)) is not None:
        values[NET_POWER] = Value(NET_POWER, "", net, _POWER)
    return Exposition(values, own)


def _key_of(obis: str) -> str:
    """Return the permanent key of a code, `1_0_1_8_0`; empty for an address that is not a code."""
    if not (found := _CODE.match(obis)):
        return ""
    a, b, c, d, e = found.groups()
    quantity = f"c{_LETTERS[c]}" if c in _LETTERS else str(int(c))
    return "_".join(str(int(part)) if part.isdigit() else part for part in (a, b, quantity, d, e) if part)


def _net_power(values: dict[str, Value]) -> Decimal | None:
    """Return import minus export, W, if the meter sends both but not their difference."""
    powers: dict[int, Decimal] = {}
    for value in values.values():
        _, b, c, d, e = value.groups
        if value.kind is _POWER and d == 7 and b <= 1 and e <= 0:
            powers.setdefault(c, value.number)
    if 16 in powers or 1 not in powers or 2 not in powers:
        return None
    return powers[1] - powers[2]


@dataclass
class Descriptions:
    """What `iec62056/last` says of the values: their names, what flows through pipes, and the meter's number."""

    names: dict[str, str] = field(default_factory=dict)
    media: dict[int, int] = field(default_factory=dict)
    meter_number: str | None = None

    def name_of(self, value: Value) -> str:
        """Return the gateway's name of the value; its code without one."""
        return self.names.get(value.obis, value.obis)

    def device_class_of(self, value: Value) -> SensorDeviceClass | None:
        """Return gas or water for a volume if it is known."""
        if value.kind is not _VOLUME:
            return value.kind.device_class
        a, b, c, _, _ = value.groups
        return _FLUIDS.get(self.media.get(b, 0) if c == _GROUP_MBUS and a == 0 else a, value.kind.device_class)


def describe(last: JSON, language: str) -> Descriptions:
    """Collect the descriptions in this language of the gateway's."""
    found = Descriptions(meter_number=last["meter_id"] or None)
    for reading in reversed(last["readings"]):
        obis, code = reading["obis_long"], reading["obis"]
        found.names[obis] = reading.get(language) or reading.get("en") or obis
        if code == "24.1.0" and reading["channel"]:
            found.media[reading["channel"]] = _MBUS_FLUIDS.get(reading["value1"].lstrip("0"), 0)
    numbers = {one["obis"]: one["value1"] for one in last["readings"] if not one["channel"]}
    if number := next((numbers[code] for code in _METER_NUMBERS if numbers.get(code)), None):
        found.meter_number = _plain(number)
    return found


def _plain(number: str) -> str:
    """Return the characters of a meter's number in hexadecimal digits (P1), and any other number unchanged."""
    try:
        plain = bytes.fromhex(number).decode("ascii") if len(number) >= _HEX_MINIMUM else ""
    except ValueError:
        return number
    return plain if plain and all(" " <= character <= "Z" for character in plain) else number
