"""Reads a meter with PyKMP as its client.

kmp_client.py PORT   Prints as JSON the serial number, the revision, and the registers as [number, unit, value].
"""

import json
import sys

from pykmp.client import PySerialClientCommunicator
from pykmp.codec import FloatCodec
from pykmp.messages import GetRegisterRequest, GetSerialRequest, GetTypeRequest

client = PySerialClientCommunicator(serial_device=sys.argv[1])
serial = client.send_request(message=GetSerialRequest(), destination_address=0x3F)
kind = client.send_request(message=GetTypeRequest(), destination_address=0x3F)
registers = []
for part in ([60, 68, 74, 80, 86, 87, 89], [1004, 1003, 1002, 99]):
    response = client.send_request(message=GetRegisterRequest(registers=part), destination_address=0x3F)
    for number, data in response.registers.items():
        registers.append([number, data.unit, str(FloatCodec.decode(data.value))])
print(json.dumps([serial.serial, kind.software_revision, registers]))
