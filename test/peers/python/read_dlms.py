"""Reads a DLMS meter with Gurux' gurux-dlms and prints tab-separated lines. Gurux prints other lines too.

read_dlms.py PATH [options]

  association   authentication, negotiated conformance (hex), PDU size
  object        class and code of each object that the association lists (--browse)
  value         code, attribute, value, scaler, unit of each requested code (CODE or CODE/ATTRIBUTE, with class: 3:1.0.1.8.0.255)
  row           values of each row of the load profile (--profile CODE), by entries (--entries FIRST:COUNT) or by range
                (--range FROM/TO, ISO 8601 without zone)
  error         code, attribute, number
"""

import argparse
import datetime
import os
import select
import sys
import termios
import time
import tty

from gurux_dlms import GXByteBuffer, GXReplyData
from gurux_dlms.enums import Authentication, InterfaceType, ObjectType, Security
from gurux_dlms.objects import GXDLMSObject
from gurux_dlms.secure import GXDLMSSecureClient
from gurux_dlms.GXDLMSClient import GXDLMSClient

RATES = {300: termios.B300, 600: termios.B600, 1200: termios.B1200, 2400: termios.B2400, 4800: termios.B4800}
RATES.update({9600: termios.B9600, 19200: termios.B19200})
AUTHENTICATIONS = {"none": Authentication.NONE, "low": Authentication.LOW, "gmac": Authentication.HIGH_GMAC}
SECURITIES = {"none": Security.NONE, "auth": Security.AUTHENTICATION, "encrypt": Security.ENCRYPTION}
SECURITIES["both"] = Security.AUTHENTICATION_ENCRYPTION
COUNTER = "0.0.43.1.0.255"


class Line:

    def __init__(self, path, limit):
        self.file = os.open(path, os.O_RDWR | os.O_NOCTTY)
        self.limit = limit
        tty.setraw(self.file)

    def set_baud(self, baud):
        settings = termios.tcgetattr(self.file)
        settings[4] = settings[5] = RATES[baud]
        termios.tcsetattr(self.file, termios.TCSADRAIN, settings)

    def write(self, data):
        os.write(self.file, bytes(data))

    def read(self):
        """Received bytes; fails after a silence."""
        if not select.select([self.file], [], [], self.limit)[0]:
            raise TimeoutError("the meter is silent")
        return os.read(self.file, 4096)

    def read_line(self):
        line = b""
        while not line.endswith(b"\n"):
            line += self.read()
        return line


def sign_on(line):
    """Signs on in mode E, after which the line carries HDLC. A pseudo-terminal has no parity; a sign-on without parity
    requests an answer without it."""
    line.set_baud(300)
    line.write(b"/?!\r\n")
    ident = line.read_line()
    print("ident", ident.strip().decode(), sep="\t")
    rate = ident[4:5]
    answer = b"\x062" + rate + b"2\r\n"
    line.write(answer)
    # Sending the acknowledgement at 300 Bd takes 0.2 s.
    time.sleep(0.25)
    line.set_baud([300, 600, 1200, 2400, 4800, 9600, 19200][int(rate)])
    confirmed = line.read_line()
    print("confirmed", confirmed == answer, sep="\t")


class Reader:
    def __init__(self, line, client):
        self.line = line
        self.client = client
        self.buffer = GXByteBuffer()

    def exchange(self, data, reply):
        """Sends one frame and receives the frames of its answer."""
        if not data:
            return
        reply.error = 0
        notification = GXReplyData()
        self.line.write(data)
        while not self.client.getData(self.buffer, reply, notification):
            if notification.data.size:
                notification.clear()
                continue
            self.buffer.set(self.line.read())
        self.buffer.clear()

    def send(self, frames, reply):
        """Sends a request frame by frame, then receives all blocks of the answer."""
        for frame in frames if isinstance(frames, list) else [frames]:
            reply.clear()
            self.exchange(frame, reply)
        while reply.isMoreData():
            self.exchange(self.client.receiverReady(reply), reply)

    def open(self):
        reply = GXReplyData()
        self.exchange(self.client.snrmRequest(), reply)
        self.client.parseUAResponse(reply.data)
        reply.clear()
        self.send(self.client.aarqRequest(), reply)
        self.client.parseAareResponse(reply.data)
        reply.clear()
        if self.client.isAuthenticationRequired:
            self.send(self.client.getApplicationAssociationRequest(), reply)
            self.client.parseApplicationAssociationResponse(reply.data)

    def close(self, release):
        reply = GXReplyData()
        if release:
            self.send(self.client.releaseRequest(), reply)
            reply.clear()
        self.exchange(self.client.disconnectRequest(), reply)

    def read(self, item, attribute):
        """Returns the value, or the error number."""
        reply = GXReplyData()
        self.send(self.client.read(item, attribute), reply)
        if reply.error:
            return reply.error
        self.client.updateValue(item, attribute, reply.value)
        return 0


def make_client(options, client_address, authentication, security):
    server = options.logical
    if options.physical:
        server = GXDLMSClient.getServerAddress(options.logical, options.physical)
    client = GXDLMSSecureClient(True, client_address, server, authentication, options.password, InterfaceType.HDLC)
    if options.address_length:
        client.serverAddressSize = options.address_length
    client.hdlcSettings.maxInfoTX = client.hdlcSettings.maxInfoRX = options.info
    client.hdlcSettings.windowSizeTX = client.hdlcSettings.windowSizeRX = options.window
    client.maxReceivePDUSize = options.pdu
    client.ciphering.security = security
    client.ciphering.systemTitle = bytes.fromhex(options.title)
    client.ciphering.blockCipherKey = bytes.fromhex(options.guek)
    client.ciphering.authenticationKey = bytes.fromhex(options.ak)
    if options.dedicated:
        client.ciphering.dedicatedKey = bytes.fromhex(options.dedicated)
    return client


def make_object(class_id, code):
    item = GXDLMSClient.createObject(ObjectType(class_id))
    item.logicalName = code
    return item


def show(item, attribute):
    value = item.getValues()[attribute - 1]
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("latin1") if all(32 <= byte < 127 for byte in value) else value.hex()
    scaler, unit = getattr(item, "scaler", ""), getattr(item, "unit", "")
    print("value", item.logicalName, attribute, value, scaler, int(unit) if unit != "" else "", sep="\t")


def read_counter(line, options):
    """The last invocation counter that the meter accepted, read by the public client."""
    reader = Reader(line, make_client(options, 16, Authentication.NONE, Security.NONE))
    reader.open()
    item = make_object(1, COUNTER)
    reader.read(item, 2)
    reader.close(False)
    return item.value


def read_values(reader, wanted, use_list):
    items = []
    for entry in wanted:
        class_id, code = entry.split(":")
        code, _, attribute = code.partition("/")
        items.append((make_object(int(class_id), code), int(attribute or 2)))
    for item, attribute in items:
        # After the scaler is read, values are scaled.
        if item.objectType in (ObjectType.REGISTER, ObjectType.EXTENDED_REGISTER) and attribute == 2:
            reader.read(item, 3)
    if use_list:
        reply = GXReplyData()
        values = []
        for frames in reader.client.readList(items):
            reply.clear()
            reader.send(frames, reply)
            values.extend(reply.value)
        reader.client.updateValues(items, values)
    for item, attribute in items:
        error = 0 if use_list else reader.read(item, attribute)
        if error:
            print("error", item.logicalName, attribute, int(error), sep="\t")
        else:
            show(item, attribute)


def read_rows(reader, options):
    client = reader.client
    profile = make_object(7, options.profile)
    # A range needs the columns.
    reader.read(profile, 3)
    if options.entries:
        first, count = map(int, options.entries.split(":"))
        frames = client.readRowsByEntry(profile, first, count)
    else:
        start, end = map(datetime.datetime.fromisoformat, options.range.split("/"))
        frames = client.readRowsByRange(profile, start, end)
    reply = GXReplyData()
    reader.send(frames, reply)
    if reply.error:
        print("error", profile.logicalName, 2, int(reply.error), sep="\t")
        return
    client.updateValue(profile, 2, reply.value)
    for row in profile.buffer:
        time = row[0] if row[0] is None else bytes(row[0]).hex() if isinstance(row[0], (bytes, bytearray)) else row[0]
        print("row", time, *row[1:], sep="\t")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--auth", choices=AUTHENTICATIONS, default="none")
    parser.add_argument("--security", choices=SECURITIES, default="none")
    parser.add_argument("--client", type=int, default=16)
    parser.add_argument("--logical", type=int, default=1)
    parser.add_argument("--physical", type=int, default=0)
    parser.add_argument("--address-length", type=int, default=0)
    parser.add_argument("--info", type=int, default=128)
    parser.add_argument("--window", type=int, default=1)
    parser.add_argument("--pdu", type=int, default=0xFFFF)
    parser.add_argument("--password", default="12345678")
    parser.add_argument("--title", default="4747470000000001")
    parser.add_argument("--guek", default="000102030405060708090a0b0c0d0e0f")
    parser.add_argument("--ak", default="d0d1d2d3d4d5d6d7d8d9dadbdcdddedf")
    parser.add_argument("--dedicated")
    parser.add_argument("--mode-e", action="store_true")
    parser.add_argument("--browse", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--profile")
    parser.add_argument("--entries")
    parser.add_argument("--range")
    parser.add_argument("--counter", type=int, help="last invocation counter used, in place of the one that the meter reports")
    parser.add_argument("--limit", type=float, default=3.0)
    parser.add_argument("--baud", type=int, default=9600)
    parser.add_argument("wanted", nargs="*")
    return parser.parse_intermixed_args()


def main():
    options = parse()
    line = Line(options.path, options.limit)
    authentication, security = AUTHENTICATIONS[options.auth], SECURITIES[options.security]
    if options.mode_e:
        sign_on(line)
    else:
        line.set_baud(options.baud)
    client = make_client(options, options.client, authentication, security)
    if security != Security.NONE or authentication == Authentication.HIGH_GMAC:
        known = options.counter is not None
        client.ciphering.invocationCounter = 1 + (options.counter if known else read_counter(line, options))
        if options.mode_e and not known:
            time.sleep(0.1)
            sign_on(line)
    reader = Reader(line, client)
    reader.open()
    # Gurux numbers the bits in reverse.
    conformance = int(f"{int(client.negotiatedConformance):024b}"[::-1], 2)
    print("association", options.auth, f"{conformance:06x}", client.maxReceivePDUSize, sep="\t")
    if options.browse:
        reply = GXReplyData()
        reader.send(client.getObjectsRequest(), reply)
        for item in client.parseObjects(reply.data, True):
            print("object", int(item.objectType), item.logicalName, sep="\t")
    read_values(reader, options.wanted, options.list)
    if options.profile:
        read_rows(reader, options)
    reader.close(True)


try:
    main()
except Exception as error:  # pylint: disable=broad-except
    print("failed", type(error).__name__, " ".join(str(error).split()), sep="\t")
    sys.exit(0)
