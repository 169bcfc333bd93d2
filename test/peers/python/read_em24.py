"""Finds and reads the gateway as Victron's GX devices do, by dbus-modbus-client; prints one line of JSON.

read_em24.py HOST PORT    values by their path on the D-Bus, and the error of the last update, if it failed

The driver runs unchanged. The D-Bus and Victron's library for it, velib_python, are replaced by dictionaries.
"""

import json
import sys
import time
import types

NAME, VERSION = "read_em24.py", "1"


class Service(dict):
    def __init__(self, *_, **__):
        super().__init__()

    def __del__(self):
        pass

    def add_path(self, path, value, **_):
        self[path] = value

    def flush(self):
        pass

    def register(self):
        pass


class Settings(dict):
    def __init__(self, _bus, settings, *_, **__):
        super().__init__()
        self.addSettings(settings)

    def addSettings(self, settings):
        for name, (_, value, *_) in settings.items():
            self.setdefault(name, value)


def stand_in(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


bus = types.SimpleNamespace(exists=False)
stand_in("dbus", SystemBus=lambda **_: bus, SessionBus=lambda **_: bus)
stand_in("settingsdevice", SettingsDevice=Settings)
stand_in("vedbus", VeDbusService=Service, ServiceContext=lambda service: service, VeDbusItemImport=lambda *_: bus)

import devspec
import probe

# Each adds itself to the devices that are looked for, in the order of dbus-modbus-client.py.
import abb  # noqa: F401
import carlo_gavazzi  # noqa: F401

host, port = sys.argv[1:]
found, _ = probe.probe([devspec.create("tcp", host, int(port))], timeout=0.25)
error = None
values = {}
for meter in found:
    meter.init(bus)
    for _ in range(5):
        try:
            meter.update()
            error = None
            break
        except Exception as failure:
            error = str(failure)
            time.sleep(0.2)
    values = {path: getattr(value, "value", value) for path, value in meter.dbus.items()}
    meter.destroy()
print(json.dumps({"found": [meter.model for meter in found], "error": error, **values}, default=str))
