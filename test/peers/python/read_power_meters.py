"""Reads the gateway as an SMA energy meter and as a SunSpec meter; prints one line of JSON.

read_power_meters.py sma SERIAL   the next datagram of this meter, by pysma-plus
read_power_meters.py sunspec HOST PORT    models 1 and 213, by pysunspec2
read_power_meters.py modbus HOST PORT    registers and exceptions, by pymodbus
"""

import asyncio
import json
import sys


async def read_sma(serial):
    from pysmaplus.device_em import SMAspeedwireEM

    meter = SMAspeedwireEM()
    await meter.new_session()
    sensors = await meter.get_sensors()
    await meter.read(sensors, serial)
    version = meter.di.last_data["sw_version"]
    await meter.close_session()
    return {"version": version, **{sensor.name: sensor.value for sensor in sensors}}


def read_sunspec(host, port):
    from sunspec2.modbus.client import SunSpecModbusClientDeviceTCP

    meter = SunSpecModbusClientDeviceTCP(slave_id=1, ipaddr=host, ipport=int(port), timeout=5)
    meter.scan()
    common, values = meter.models[1][0], meter.models[213][0]
    points = {name: point.value for name, point in values.points.items()}
    meter.close()
    return {"models": [key for key in meter.models if isinstance(key, int)], "SN": common.SN.value, "Mn": common.Mn.value, **points}


async def read_modbus(host, port):
    from pymodbus.client import AsyncModbusTcpClient

    async with AsyncModbusTcpClient(host, port=int(port)) as client:
        mark = await client.read_holding_registers(40000, count=2, device_id=240)
        watts = await client.read_holding_registers(40097, count=2, device_id=240)
        wrong = [
            await client.read_holding_registers(39990, count=2, device_id=240),
            await client.read_holding_registers(40000, count=2, device_id=7),
            await client.read_input_registers(40000, count=2, device_id=240),
            await client.write_register(40097, 1, device_id=240),
        ]
        return {
            "mark": client.convert_from_registers(mark.registers, client.DATATYPE.STRING),
            "watts": client.convert_from_registers(watts.registers, client.DATATYPE.FLOAT32),
            "exceptions": [reply.exception_code for reply in wrong],
        }


kind, *where = sys.argv[1:]
if kind == "sunspec":
    read = read_sunspec(*where)
else:
    read = asyncio.run((read_sma if kind == "sma" else read_modbus)(*where))
print(json.dumps(read, default=str))
