"""Asks Home Assistant over its websocket.

ask_home_assistant.py URL TOKEN COMMAND...   commands are JSON objects without id; prints the result of each as a
                                             line of JSON; if one fails, its message, and exit code 1
"""

import asyncio
import json
import sys

import aiohttp


async def main(url, token, *commands):
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{url}/api/websocket") as socket:
        await socket.receive_json()
        await socket.send_json({"type": "auth", "access_token": token})
        reply = await socket.receive_json()
        if reply["type"] != "auth_ok":
            sys.exit(json.dumps(reply))
        for number, command in enumerate(commands, 1):
            await socket.send_json({"id": number, **json.loads(command)})
            reply = await socket.receive_json()
            if not reply.get("success"):
                sys.exit(json.dumps(reply))
            print(json.dumps(reply["result"]))


asyncio.run(main(*sys.argv[1:]))
