"""A house with a P1 meter and batteries, for battery-clients.ts. The house is ours; the rest is AstraMeter: its clients
read the gateway, and its simulated batteries regulate by what they read: each alone, or divided by its emulated CT002,
or each with an address of its own, by which the gateway divides: as a Shelly, or as a CT002.

Prints the path of the meter's port, then answers each line of JSON on standard input by one:

{"gateway": "HOST:PORT", "watts": [A, B, C]}         what the clients read after a telegram of these powers
{"gateway": "HOST:PORT", "count": N, "way": W}       a regulation with N batteries: powers at the meter, one a
                                                     second, and how many reads were right and wrong.
                                                     W: "alone"; "divided", by the CT002; "shared", by the gateway,
                                                     from 127.0.0.2 on: a read is right if it is not above the power;
                                                     "ct002": the same, by the gateway's CT002
"""

import asyncio
import json
import os
import socket
import sys
import tty

# This must be imported before the clients.
import astrameter.config  # noqa: F401
import aiohttp
from astrameter.ct002.ct002 import CT002
from astrameter.powermeter.json_http import JsonHttpPowermeter
from astrameter.powermeter.shelly import Shelly3EMPro
from astrameter.simulator import protocol
from astrameter.simulator.battery import BatterySimulator

FRESH_S = 20
POLL_S = 0.02
# Duration of a regulation, s; the house's load as pairs of start, s, and power, W.
SECONDS = 50
LOADS = ((0, 250), (6, 600))
# AstraMeter's name of the Marstek Venus C.
MODEL = "HMG-50"
CT_MAC = "112233445566"
CT_PORT = 12345
REPLY_S = 2
# The gateway sends an address 20 datagrams a second at most.
PACE_S = 0.06


def crc16_arc(data):
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc


class Meter:
    """A P1 meter on a pseudo-terminal."""

    def __init__(self):
        # The far side stays open, since without it a write fails until the gateway has opened it.
        self.near, self.far = os.openpty()
        tty.setraw(self.far)
        self.path = os.ttyname(self.far)
        self.wh = 0

    def send(self, watts):
        """Sends a telegram of these powers by phase; its counter differs from the one before by 1 Wh."""
        self.wh += 1
        total = sum(watts)

        def kilowatts(value):
            return f"{max(0, value) / 1000:06.3f}*kW"

        lines = ["/TST5HOUSE", "", f"1-0:1.8.1({self.wh / 1000:010.3f}*kWh)"]
        lines += [f"1-0:1.7.0({kilowatts(total)})", f"1-0:2.7.0({kilowatts(-total)})"]
        for index, value in enumerate(watts):
            lines.append(f"1-0:{21 + 20 * index}.7.0({kilowatts(value)})")
            lines.append(f"1-0:{22 + 20 * index}.7.0({kilowatts(-value)})")
        text = "\r\n".join([*lines, "!"]).encode()
        os.write(self.near, text + f"{crc16_arc(text):04X}\r\n".encode())


class Clients:
    """AstraMeter's clients of the gateway's three dialects."""

    def __init__(self, gateway):
        self.shelly = Shelly3EMPro(gateway, "", "", "")
        paths = ["$.power", *(f"$.powerPhase{phase}" for phase in (1, 2, 3))]
        self.ecotracker = JsonHttpPowermeter(f"http://{gateway}/v1/json", paths)
        paths = ["$.active_power_w", *(f"$.active_power_l{phase}_w" for phase in (1, 2, 3))]
        self.homewizard = JsonHttpPowermeter(f"http://{gateway}/api/v1/data", paths)

    async def __aenter__(self):
        for client in (self.shelly, self.ecotracker, self.homewizard):
            await client.start()
        return self

    async def __aexit__(self, *_):
        for client in (self.shelly, self.ecotracker, self.homewizard):
            await client.stop()

    async def fresh(self, meter):
        """Waits until the gateway shows the last telegram."""
        for _ in range(int(FRESH_S / POLL_S)):
            await asyncio.sleep(POLL_S)
            try:
                # The paths of a JsonHttpPowermeter take too long here.
                if (await self.ecotracker.get_json())["energyCounterIn"] == meter.wh:
                    return
            except ValueError:
                # No fresh value yet: 503.
                pass
        raise TimeoutError(f"the gateway does not show {meter.wh} Wh after {FRESH_S} s")


class Checked:
    """Client that counts the reads with another power than the meter's."""

    def __init__(self, client, is_shared=False):
        self.client = client
        self.is_shared = is_shared
        self.sent = 0
        self.right = 0
        self.wrong = 0

    async def read(self):
        [watts] = await self.client.get_powermeter_watts()
        return self.check(watts)

    def check(self, watts):
        is_part = self.is_shared and (0 <= watts <= self.sent or self.sent <= watts <= 0)
        if is_part or watts == self.sent:
            self.right += 1
        else:
            self.wrong += 1
        return watts


class BoundShelly(Shelly3EMPro):
    """Shelly client with an address of its own."""

    def __init__(self, gateway, address):
        super().__init__(gateway, "", "", "")
        self.address = address

    async def start(self):
        await super().start()
        await self._rpc_session.close()
        connector = aiohttp.TCPConnector(local_addr=(self.address, 0))
        self._rpc_session = aiohttp.ClientSession(connector=connector)


class LoneBattery(BatterySimulator):
    """AstraMeter's battery, which asks the gateway in place of a CT002."""

    def __init__(self, number, shelly):
        super().__init__(mac=mac(number), phase="A", ct_mac="", meter_dev_type=MODEL)
        self.shelly = shelly

    async def _send_request(self):
        # The form of a CT002's answer: powers of the phases from field 4 on, numbers of batteries from field 8 on.
        fields = ["0"] * 12
        fields[4] = str(await self.shelly.read())
        self._handle_ct_response(fields)


class CTBattery(BatterySimulator):
    """AstraMeter's battery, which asks the gateway's CT002 from an address of its own."""

    def __init__(self, number, reader):
        super().__init__(mac(number), "ABC"[number % 3], CT_MAC, meter_dev_type=MODEL, inspection_count=0)
        self.address = f"127.0.0.{1 + number}"
        self.reader = reader

    async def _send_request(self):
        loop = asyncio.get_running_loop()
        await asyncio.sleep(PACE_S)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.setblocking(False)
            one.bind((self.address, 0))
            await loop.sock_sendto(one, protocol.build_payload(self._request_fields()), ("127.0.0.1", CT_PORT))
            data = await asyncio.wait_for(loop.sock_recv(one, 1500), REPLY_S)
        fields, error = protocol.parse_message(data)
        if error:
            raise ValueError(error)
        self.reader.check(int(fields[7]))
        self._handle_ct_response(fields)


def mac(number):
    return f"02B250{number:06X}"


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


async def read(meter, clients, watts):
    meter.send(watts)
    await clients.fresh(meter)
    return {
        "ecotracker": await clients.ecotracker.get_powermeter_watts(),
        "shelly": await clients.shelly.get_powermeter_watts(),
        "homewizard": await clients.homewizard.get_powermeter_watts(),
    }


async def regulate(meter, clients, gateway, count, way):
    """For each second, the meter sends, then each battery asks once and changes its power."""
    shelly = Checked(clients.shelly)
    readers = [shelly]
    second = 0
    numbers = range(1, count + 1)
    if way == "divided":
        port = free_port()
        emulator = CT002(udp_port=port, ct_mac=CT_MAC, clock=lambda: float(second))

        async def phases(*_):
            return [await shelly.read(), 0, 0]

        emulator.before_send = phases
        await emulator.start()
        batteries = [BatterySimulator(mac(number), "A", CT_MAC, ct_port=port, meter_dev_type=MODEL) for number in numbers]
    elif way == "shared":
        readers = [Checked(BoundShelly(gateway, f"127.0.0.{1 + number}"), True) for number in numbers]
        for reader in readers:
            await reader.client.start()
        batteries = [LoneBattery(number, reader) for number, reader in zip(numbers, readers)]
    elif way == "ct002":
        batteries = [CTBattery(number, Checked(None, True)) for number in numbers]
        readers = [battery.reader for battery in batteries]
    else:
        batteries = [LoneBattery(number, shelly) for number in numbers]
    powers = []
    while second < SECONDS:
        load = [watts for since, watts in LOADS if since <= second][-1]
        watts = round(load - sum(battery.current_power for battery in batteries))
        for reader in readers:
            reader.sent = watts
        meter.send([watts, 0, 0])
        await clients.fresh(meter)
        for battery in batteries:
            await battery.step()
        powers.append(watts)
        second += 1
    if way == "divided":
        await emulator.stop()
    elif way == "shared":
        for reader in readers:
            await reader.client.stop()
    right, wrong = (sum(getattr(reader, name) for reader in readers) for name in ("right", "wrong"))
    return {"powers": powers, "right": right, "wrong": wrong}


async def reply(meter, command):
    async with Clients(command["gateway"]) as clients:
        if "watts" in command:
            return await read(meter, clients, command["watts"])
        return await regulate(meter, clients, command["gateway"], command["count"], command["way"])


async def main():
    meter = Meter()
    print(meter.path, flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        try:
            answer = await reply(meter, json.loads(line))
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
