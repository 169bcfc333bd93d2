"""Reads a meter once with pwitab's iec62056-21 and prints tab-separated lines.

read_meter.py PATH readout       manufacturer and identification, then address, value, unit of each data set
read_meter.py PATH programming   command, type and value of programming mode's first message; then sends the break
"""

import sys

import serial
from iec62056_21 import utils
from iec62056_21.client import Iec6205621Client

open_serial = serial.Serial


def open_terminal(name, **settings):
    """Opens the port with 8 bits, because a pseudo-terminal refuses 7 bits with parity."""
    settings.update(bytesize=serial.EIGHTBITS, parity=serial.PARITY_NONE)
    return open_serial(name, **settings)


serial.Serial = open_terminal

add_bcc = utils.add_bcc


def add_bcc_to_block(message):
    """Adds the STX of a repeated block again, which the client has stripped but needs for the check."""
    if isinstance(message, bytes) and message[:1] not in (b"\x01", b"\x02"):
        message = b"\x02" + message
    return add_bcc(message)


utils.add_bcc = add_bcc_to_block

path, what = sys.argv[1:]
client = Iec6205621Client.with_serial_transport(port=path)
client.connect()
if what == "readout":
    answer = client.standard_readout()
    print(client.manufacturer_id, client.identification, sep="\t")
    for data_set in answer.data:
        print(data_set.address, data_set.value, data_set.unit, sep="\t")
else:
    request = client.access_programming_mode()
    print(request.command, request.command_type, request.data_set.value, sep="\t")
    client.send_break()
client.disconnect()
