"""Makes pushes with Gurux' gurux-dlms: for each security (0, 32, 48) a line with it, a tab, and the HDLC frame in hex."""

import datetime

from gurux_dlms import GXByteBuffer
from gurux_dlms.enums import InterfaceType, Security
from gurux_dlms.secure import GXDLMSSecureNotify

REGISTERS = (("0100010800ff", 123456, -1, 30), ("0100010700ff", 987, 0, 27))

for security in (Security.NONE, Security.ENCRYPTION, Security.AUTHENTICATION_ENCRYPTION):
    notify = GXDLMSSecureNotify(True, 16, 1, InterfaceType.HDLC)
    ciphering = notify.ciphering
    ciphering.security = security
    ciphering.systemTitle = bytes.fromhex("4758580000000001")
    ciphering.blockCipherKey = bytes.fromhex("000102030405060708090a0b0c0d0e0f")
    ciphering.authenticationKey = bytes.fromhex("d0d1d2d3d4d5d6d7d8d9dadbdcdddedf")
    ciphering.invocationCounter = 7
    data = GXByteBuffer()
    data.set(bytes((2, len(REGISTERS))))
    for code, value, scaler, unit in REGISTERS:
        register = "02030906" + code + "06" + value.to_bytes(4, "big").hex() + "02020f"
        data.set(bytes.fromhex(register) + bytes((scaler & 0xFF, 0x16, unit)))
    moment = datetime.datetime(2026, 6, 21, 18, 30)
    frames = notify.generateDataNotificationMessages(moment, data)
    print(int(security), b"".join(bytes(frame) for frame in frames).hex(), sep="\t")
