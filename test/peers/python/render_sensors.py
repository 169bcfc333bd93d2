"""Renders Home Assistant's REST sensors for a reply with Jinja's sandbox, as Home Assistant does. Input: a YAML
configuration and a JSON file. Output: a JSON object of name -> [available, value], as texts; the value is empty if the
sensor is unavailable.
"""
import datetime
import json
import sys

import yaml
from jinja2.sandbox import ImmutableSandboxedEnvironment

environment = ImmutableSandboxedEnvironment()
environment.globals["now"] = datetime.datetime.now
with open(sys.argv[1]) as config, open(sys.argv[2]) as reply:
    sensors = yaml.safe_load(config)["rest"][0]["sensor"]
    value = json.load(reply)

def render(text):
    return environment.from_string(text).render(value_json=value).strip()


def shown(one):
    """Home Assistant does not evaluate the value of a sensor that is unavailable."""
    available = render(one["availability"])
    return [available, render(one["value_template"]) if available == "True" else ""]


print(json.dumps({one["name"]: shown(one) for one in sensors}))
