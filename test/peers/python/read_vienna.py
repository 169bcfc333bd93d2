"""Reads pushes of Wiener Netze's meters with wiener-netze-smartmeter-serial.

read_vienna.py FILE   FILE is JSON: a list of [key, HDLC frame] in hex. Prints as JSON the time and the values of each.
"""

import json
import sys

from wiener_netze_smartmeter_serial import WienerNetzeSmartMeter
from wiener_netze_smartmeter_serial.meter_data import WienerNetzeSmartMeterData


def read(key: str, frame: str) -> list:
    meter = WienerNetzeSmartMeter("/dev/null", key)
    data = WienerNetzeSmartMeterData(meter._decrypt_notification_packet(bytes.fromhex(frame)))
    energies = [data.active_energy_in, data.active_energy_out, data.reactive_energy_in, data.reactive_energy_out]
    powers = [data.active_power_in, data.active_power_out, data.reactive_power_in, data.reactive_power_out]
    return [data.date_time.isoformat(), *(round(energy * 1000) for energy in energies), *powers]


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([read(*push) for push in json.load(file)]))
