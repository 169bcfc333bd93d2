"""Reads groups of TIC with pyteleinfo.

read_tic.py FILE   FILE is JSON: a list of groups in hex. Prints as JSON the label and data of each group, or null for a rejected one.
"""

import json
import sys

from teleinfo.codec import decode_info_group
from teleinfo.exceptions import TeleinfoError


def read(group: str) -> list | None:
    try:
        # pyteleinfo's check of the form rejects blanks in a text of the standard form.
        return list(decode_info_group(bytes.fromhex(group).decode("ascii"), verify_well_formed=False))
    except TeleinfoError:
        return None


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([read(group) for group in json.load(file)]))
