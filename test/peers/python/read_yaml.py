"""Converts YAML on standard input into JSON."""
import json
import sys

import yaml

print(json.dumps(yaml.safe_load(sys.stdin)))
