"""Decodes answers of KMP with PyKMP.

kmp_codec.py FILE   FILE is JSON: a list of frames in hex. Prints as JSON the registers of each as [number, unit, value].
"""

import json
import sys

from pykmp.codec import ApplicationCodec, DataLinkCodec, FloatCodec, PhysicalCodec, PhysicalDirection
from pykmp.messages import GetRegisterResponse


def read(frame: str) -> list:
    link = PhysicalCodec(direction=PhysicalDirection.FROM_METER).decode(bytes.fromhex(frame))
    data = ApplicationCodec.decode(DataLinkCodec().decode(link).application_bytes)
    response = GetRegisterResponse.decode(data)
    return [[number, one.unit, str(FloatCodec.decode(one.value))] for number, one in response.registers.items()]


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([read(frame) for frame in json.load(file)]))
