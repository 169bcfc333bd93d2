"""Reads telegrams of SML with smllib.

read_sml.py FILE   FILE is JSON: a list of [bytes in hex, name of the check]. Prints as JSON, for each item, a list of its
                   telegrams; a telegram is a list of [code, value, unit]; values as in smllib: octets in hex except names
"""

import json
import sys

from smllib import SmlStreamReader


def telegrams(data: str, check: str) -> list:
    stream = SmlStreamReader(crc=check)
    stream.add(bytes.fromhex(data))
    read = []
    while (frame := stream.get_frame()) is not None:
        values = []
        for message in frame.parse_frame():
            for entry in getattr(message.message_body, "val_list", []):
                values.append([str(entry.obis.obis_code), entry.get_value(), entry.unit])
        read.append(values)
    return read


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([telegrams(*one) for one in json.load(file)]))
