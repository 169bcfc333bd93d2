"""Firmware files in Home Assistant's configuration folder (docs/firmware-files.md)."""

import struct
from dataclasses import dataclass
from pathlib import Path

FOLDER = "smart_meter_gateway"
"""Folder in Home Assistant's configuration folder for firmware files."""

_MAGIC = 0x0BEEF11E
_HEADER = struct.Struct("<IHHHHHIH32sI")
_ELEMENT = struct.Struct("<HI")
_METADATA_TAG = 0xF001
_VERSION_AT = 40
_VERSION_LENGTH = 32
_SIZE_LIMIT = 8 << 20
"""No board has more flash."""


@dataclass(frozen=True)
class FirmwareFile:
    """A firmware file, as its header describes it. Only the gateway checks the signature."""

    path: Path
    device_id: int
    version: str


def find_firmware(folder: Path, device_id: int) -> FirmwareFile | None:
    """Return the file for this board with the highest version; None without one."""
    found = [
        file for path in sorted(folder.glob("*.ota")) if (file := read_header(path)) and file.device_id == device_id
    ]
    return max(found, key=lambda file: order_of(file.version), default=None)


def read_header(path: Path) -> FirmwareFile | None:
    """Return what the file says of itself; None if it is no firmware file."""
    size = _HEADER.size + _ELEMENT.size + _VERSION_AT + _VERSION_LENGTH
    try:
        with path.open("rb") as file:
            head = file.read(size)
        if len(head) < size or path.stat().st_size > _SIZE_LIMIT:
            return None
    except OSError:
        return None
    magic, _, length, _, _, device_id, _, _, _, _ = _HEADER.unpack_from(head)
    tag, _ = _ELEMENT.unpack_from(head, _HEADER.size)
    if magic != _MAGIC or length != _HEADER.size or tag != _METADATA_TAG:
        return None
    at = _HEADER.size + _ELEMENT.size + _VERSION_AT
    version = head[at : at + _VERSION_LENGTH].split(b"\0")[0].decode("ascii", "replace")
    return FirmwareFile(path, device_id, version)


def order_of(version: str) -> tuple[int, ...]:
    """Return a key by which versions `<major>.<minor>.<build>` with an optional suffix can be compared."""
    numbers = version.split("-", maxsplit=1)[0].split(".")
    return tuple(int(number) if number.isdigit() else 0 for number in numbers)
