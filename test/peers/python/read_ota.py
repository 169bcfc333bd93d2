"""Reads a Zigbee OTA file with zigpy.

read_ota.py FILE   prints as JSON: manufacturer, image type, file version, name, tags and sizes of the elements, bytes
                   after the file, and whether zigpy writes the same bytes
"""

import json
import sys

from zigpy.ota.image import parse_ota_image

with open(sys.argv[1], "rb") as file:
    data = file.read()
image, rest = parse_ota_image(data)
header = image.header
print(
    json.dumps(
        {
            "manufacturer": header.manufacturer_id,
            "imageType": header.image_type,
            "fileVersion": header.file_version,
            "name": str(header.header_string),
            "elements": [[element.tag_id, len(element.data)] for element in image.subelements],
            "rest": len(rest),
            "isSame": image.serialize() == data,
        }
    )
)
