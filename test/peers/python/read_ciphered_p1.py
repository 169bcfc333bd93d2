"""Reads a ciphered P1 telegram with dsmr_parser, prints each value as code, tab, value, and ciphers it with dlms_cosem."""

import sys

from dlms_cosem.protocol.xdlms import GeneralGlobalCipher
from dlms_cosem.security import SecurityControlField, decrypt, encrypt
from dsmr_parser import telegram_specifications
from dsmr_parser.parsers import TelegramParser

frame, encryption_key, authentication_key = sys.argv[1:]
parser = TelegramParser(telegram_specifications.SAGEMCOM_T210_D_R)
telegram = parser.parse(frame, encryption_key, authentication_key, throw_ex=True)
for name, item in telegram:
    print("value", name, getattr(item, "value", None), getattr(item, "unit", None), sep="\t")

apdu = GeneralGlobalCipher.from_bytes(bytes.fromhex(frame))
keys = {"key": bytes.fromhex(encryption_key), "auth_key": bytes.fromhex(authentication_key)}
of = {"security_control": apdu.security_control, "system_title": apdu.system_title}
plain = decrypt(**of, **keys, invocation_counter=apdu.invocation_counter, cipher_text=apdu.ciphered_text)
control = SecurityControlField(security_suite=0, authenticated=True, encrypted=True)
counter = apdu.invocation_counter + 1
text = encrypt(
    **keys, security_control=control, system_title=apdu.system_title, invocation_counter=counter, plain_text=bytes(plain)
)
body = control.to_bytes() + counter.to_bytes(4, "big") + text
again = bytes([0xDB, 8]) + apdu.system_title + bytes([0x82]) + len(body).to_bytes(2, "big") + body
print("again", again.hex(), sep="\t")
