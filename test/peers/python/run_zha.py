"""Runs ZHA's gateway, as Home Assistant does, and prints its events.

run_zha.py PORT FOLDER   the coordinator's chip is at 127.0.0.1:PORT (Z-Stack); FOLDER holds the database, and
                         offered firmware files in ota/

Prints a JSON object in each line: {"event": …}, and {"answer": …} or {"error": …} for each command. Commands are
JSON arrays in lines of standard input: ["permit", seconds], ["devices"], ["entities", ieee], ["read", ieee, cluster, [attributes]],
["reporting", ieee, cluster, [attributes]], ["button", ieee], ["check", ieee] (as an update entity checks for new
firmware), ["install", ieee], ["remove", ieee]. It ends when standard input does.
"""

import asyncio
import enum
import json
import os
import sys

from zha.application import Platform
from zha.application.gateway import Gateway
from zha.application.helpers import CoordinatorConfiguration, DeviceOptions, QuirksConfiguration, ZHAConfiguration, ZHAData
from zigpy.config import CONF_OTA_ALLOW_ADVANCED_DIR_STRING
from zigpy.types import EUI64, KeyData
from zigpy.zcl import AttributeReportedEvent, foundation


def plain(value):
    """Values without a JSON form become strings."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (bool, float, str)) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, dict):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, (EUI64, KeyData)):
        return str(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(one) for one in value]
    return str(value)


def emit(**what):
    print(json.dumps(plain(what)), flush=True)


class Watcher:
    def __init__(self, gateway):
        self.gateway = gateway
        self.watched = set()
        for name, listen in {
            "device_joined": self.joined,
            "raw_device_initialized": self.interviewed,
            "device_fully_initialized": self.ready,
            "device_left": lambda event: emit(event="left", ieee=event.ieee),
            "device_removed": lambda event: emit(event="removed", ieee=event.device_info.ieee),
            "connection_lost": lambda event: emit(event="lost", reason=event.exception),
        }.items():
            gateway.on_event(name, listen)

    def joined(self, event):
        emit(event="joined", ieee=event.device_info.ieee, nwk=event.device_info.nwk)

    def interviewed(self, event):
        ieee = event.device_info.ieee
        emit(event="interviewed", ieee=ieee, manufacturer=event.device_info.manufacturer, model=event.device_info.model)
        # The listener is added before the configuration, to get its events.
        device = self.gateway.get_or_create_device(self.gateway.application_controller.get_device(ieee=EUI64.convert(str(ieee))))
        self.watch(device)

    def ready(self, event):
        emit(event="ready", ieee=event.device_info.ieee, status=event.device_info.pairing_status, new=event.new_join)

    def watch(self, device):
        if device.ieee in self.watched:
            return
        self.watched.add(device.ieee)
        device.on_event("zha_cluster_bind", lambda event: emit(event="bound", cluster=event.cluster_id, success=event.success))
        device.on_event(
            "zha_cluster_configure_reporting",
            lambda event: emit(
                event="configured",
                cluster=event.cluster_id,
                attributes={name: one["status"] for name, one in event.attributes.items()},
            ),
        )
        for number, endpoint in device.device.endpoints.items():
            if number == 0:
                continue
            for cluster in endpoint.in_clusters.values():
                cluster.on_event(
                    AttributeReportedEvent.event_type,
                    lambda event: emit(
                        event="reported", cluster=event.cluster_id, attribute=event.attribute_id, value=event.value
                    ),
                )


def entities(device):
    found = {}
    wanted = ("platform", "available", "native_value", "unit", "device_class", "state_class", "installed_version", "latest_version")
    for entity in device.platform_entities.values():
        state = entity.state
        # The name is the id without the address prefix.
        name = state.unique_id.split("-", 1)[1]
        found[name] = {one: getattr(state, one) for one in wanted if hasattr(state, one)}
    return found


async def carry_out(gateway, command, *args):
    if command == "permit":
        await gateway.application_controller.permit(args[0])
        return True
    if command == "devices":
        return [device.ieee for device in gateway.devices.values() if not device.is_coordinator]
    device = gateway.get_device(EUI64.convert(args[0]))
    if device is None:
        raise KeyError(args[0])
    if command == "entities":
        return entities(device)
    endpoint = device.device.endpoints[1]
    if command == "read":
        cluster = endpoint.in_clusters[args[1]]
        success, failure = await cluster.read_attributes(args[2], allow_cache=False)
        return {"values": success, "failures": failure}
    if command == "reporting":
        cluster = endpoint.in_clusters[args[1]]
        records = [foundation.ReadReportingConfigRecord(direction=0, attrid=one) for one in args[2]]
        reply = await cluster.general_command(foundation.GeneralCommand.Read_Reporting_Configuration, records)
        return [
            {"status": one.status, "attribute": one.config.attrid, "min": one.config.min_interval, "max": one.config.max_interval}
            if one.status == foundation.Status.SUCCESS
            else {"status": one.status, "attribute": one.config.attrid}
            for one in reply.attribute_configs
        ]
    if command == "button":
        buttons = [one for one in device.platform_entities.values() if one.PLATFORM == Platform.BUTTON]
        await buttons[0].async_press()
        return len(buttons)
    updates = [one for one in device.platform_entities.values() if one.PLATFORM == Platform.UPDATE]
    if command == "check":
        await gateway.application_controller.ota.check_cluster_for_ota(updates[0]._cluster)
        return plain(updates[0].state.latest_version)
    if command == "install":
        await updates[0].async_install(None)
        return True
    if command == "remove":
        await gateway.async_remove_device(device.ieee)
        return True
    raise ValueError(command)


async def main(port, folder):
    ota = os.path.join(folder, "ota")
    os.makedirs(ota, exist_ok=True)
    provider = {"type": "advanced", "path": ota, "warning": CONF_OTA_ALLOW_ADVANCED_DIR_STRING}
    config = ZHAConfiguration(
        coordinator_configuration=CoordinatorConfiguration(
            path=f"socket://127.0.0.1:{port}", radio_type="znp", flow_control=None
        ),
        quirks_configuration=QuirksConfiguration(enabled=False),
        device_options=DeviceOptions(),
    )
    zigpy_config = {
        "database_path": os.path.join(folder, "zigbee.db"),
        "topology_scan_enabled": False,
        # Providers on the internet are not used.
        "ota": {"providers": [provider], "broadcast_enabled": False},
    }
    data = ZHAData(config=config, zigpy_config=zigpy_config, allow_polling=True)
    gateway = await Gateway.async_from_config(data)
    await gateway.async_initialize()
    watcher = Watcher(gateway)
    for device in gateway.devices.values():
        if not device.is_coordinator:
            watcher.watch(device)
    network = gateway.application_controller.state.network_info
    emit(event="started", channel=network.channel, pan=network.pan_id, key=network.network_key.key)
    await gateway.async_initialize_devices_and_entities()
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        try:
            emit(answer=await carry_out(gateway, *json.loads(line)))
        except Exception as error:
            emit(error=f"{type(error).__name__}: {error}")
    await gateway.shutdown()


asyncio.run(main(*sys.argv[1:]))
