"""Follows a Shelly through aioshelly's WebSocket until it closes; prints one line of JSON for each status.

follow_shelly.py HOST PORT
"""

import asyncio
import json
import sys

import aiohttp
from aioshelly.common import ConnectionOptions
from aioshelly.rpc_device import RpcDevice, RpcUpdateType, WsServer


def emit(value):
    print(json.dumps(value), flush=True)


async def main(host, port):
    over = asyncio.Event()

    def status():
        return {"em": device.status["em:0"], "data": device.status["emdata:0"]}

    def updated(device, kind):
        if kind is RpcUpdateType.DISCONNECTED:
            over.set()
        elif kind is RpcUpdateType.STATUS:
            emit(status())

    async with aiohttp.ClientSession() as session:
        device = await RpcDevice.create(session, WsServer(), ConnectionOptions(host, port=int(port)))
        await device.initialize()
        info = {"mac": device.shelly["mac"], "name": device.name, "model": device.model, "gen": device.gen}
        emit({**status(), **info, "supported": device.firmware_supported})
        device.subscribe_updates(updated)
        await over.wait()
        emit({"connected": device.connected})
        await device.shutdown()


asyncio.run(main(*sys.argv[1:]))
