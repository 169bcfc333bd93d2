"""An independent reader and an independent meter of AMIS: ciphers of PyCryptodome, records of pyMeterBus.

amis_reader.py read PATH KEY COUNT   reads the meter at a serial port. Prints as JSON a list of [frame, values].
amis_reader.py make KEY FILE         FILE is JSON: a list of lists of nine integers. Prints as JSON a frame for each.

A frame is hex; values are nine integers in the order of the telegram, without the time.
"""

import json
import sys

import meterbus
from Crypto.Cipher import AES

CALL = bytes.fromhex("1040f03016")
ACK = b"\xe5"
LENGTH = 101
HEADS = ["0403", "04833c", "8410fb8273", "8410fb82f33c", "042b", "04ab3c", "04fb14", "04fb943c", "0483ff04"]
TIME = bytes.fromhex("066d5f0c48c1171b")


def cipher(key: bytes, header: bytes):
    """The header is that of the telegram, from the identification to the access number."""
    iv = header[4:6] + header[:4] + header[6:8] + header[8:9] * 8
    return AES.new(key, AES.MODE_CBC, iv=iv)


def framed(body: bytes) -> bytes:
    return bytes([0x68, len(body), len(body), 0x68]) + body + bytes([sum(body) & 0xFF, 0x16])


def values_of(frame: bytes, key: bytes) -> list:
    clear = cipher(key, frame[7:16]).decrypt(frame[19:-2])
    assert clear[:2] == clear[-2:] == b"\x2f\x2f"
    # As an answer of a slave with a long header, which pyMeterBus reads.
    answer = framed(bytes([0x08, 0xF0, 0x72]) + frame[7:17] + bytes(2) + clear)
    records = meterbus.load(list(answer)).records
    return [int(record.parsed_value) for record in records[1:]]


def read(path: str, key: bytes, count: int) -> list:
    import serial

    port = serial.Serial(path, 9600, parity=serial.PARITY_NONE, timeout=30)
    assert port.read(len(CALL)) == CALL
    telegrams = []
    while len(telegrams) < count:
        port.write(ACK)
        frame = port.read(LENGTH)
        assert frame[:4] == b"\x68\x5f\x5f\x68" and frame[-2] == sum(frame[4:-2]) & 0xFF and frame[-1] == 0x16
        telegrams.append([frame.hex(), values_of(frame, key)])
    return telegrams


def make(key: bytes, values: list, access: int) -> str:
    header = bytes.fromhex("78563412" "2d4c" "010e") + bytes([access & 0xFF])
    records = b"".join(bytes.fromhex(head) + value.to_bytes(4, "little", signed=True) for head, value in zip(HEADS, values))
    clear = b"\x2f\x2f" + TIME + records + b"\x2f\x2f"
    control = 0x73 if access % 2 == 0 else 0x53
    body = bytes([control, 0xF0, 0x5B]) + header + b"\0\x50\x05" + cipher(key, header).encrypt(clear)
    return framed(body).hex()


if sys.argv[1] == "read":
    print(json.dumps(read(sys.argv[2], bytes.fromhex(sys.argv[3]), int(sys.argv[4]))))
else:
    with open(sys.argv[3], encoding="utf-8") as file:
        lists = json.load(file)
    print(json.dumps([make(bytes.fromhex(sys.argv[2]), values, i) for i, values in enumerate(lists)]))
