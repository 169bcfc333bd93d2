"""Reads live values as other makers' programs do; prints one line of JSON for each.

read_live_values.py HOST PORT    Shelly's device information by aioshelly, then all values by python-homewizard-energy
"""

import asyncio
import dataclasses
import json
import sys

import aiohttp
from aioshelly.common import get_info, is_firmware_supported
from homewizard_energy import HomeWizardEnergyV1


def emit(value):
    print(json.dumps(value, default=str))


async def main(host, port):
    async with aiohttp.ClientSession() as session:
        info = await get_info(session, host, port=int(port))
        supported = is_firmware_supported(info["gen"], info["model"], info["fw_id"])
        emit({**info, "supported": supported})
    async with HomeWizardEnergyV1(f"{host}:{port}") as api:
        emit(dataclasses.asdict(await api.combined()))


asyncio.run(main(*sys.argv[1:]))
