"""Asks Home Assistant over its websocket.

ask_home_assistant.py URL TOKEN COMMAND...   each command a JSON object without id; prints a line of JSON with the result of
                                             each; exit code 1 and what it said when one fails
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
