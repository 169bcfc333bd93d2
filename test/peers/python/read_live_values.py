"""Reads live values as other makers' programs do; prints one line of JSON for each.

read_live_values.py HOST PORT    Shelly's device information by aioshelly, then device and data by python-homewizard-energy
"""

import asyncio
import dataclasses
import json
import sys

import aiohttp
from aioshelly.common import get_info, is_firmware_supported
from homewizard_energy import HomeWizardEnergy


def emit(value):
    print(json.dumps(value, default=str))


async def main(host, port):
    async with aiohttp.ClientSession() as session:
        info = await get_info(session, host, port=int(port))
        supported = is_firmware_supported(info["gen"], info["model"], info["fw_id"])
        emit({**info, "supported": supported})
    async with HomeWizardEnergy(f"{host}:{port}") as api:
        device = await api.device()
        emit({**dataclasses.asdict(device), "name": device.product.name})
        data = dataclasses.asdict(await api.data())
        emit({name: value for name, value in data.items() if value is not None})


asyncio.run(main(*sys.argv[1:]))
