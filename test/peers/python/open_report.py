"""Opens diagnostic reports with other makers' HPKE, following the tables of docs/diagnostic-report.md.

open_report.py report FILE KEY    prints the text of a report, by pyhpke; KEY is the private key, PEM
open_report.py message FILE KEY   prints the plain text of a message (enc first), by cryptography; `info` is "smart meter"
"""

import sys

from cryptography.hazmat.primitives import hpke, serialization


def load(path):
    with open(path, "rb") as file:
        return file.read()


def private_key(path):
    return serialization.load_pem_private_key(load(path), None)


def open_report(report, key):
    from pyhpke import AEADId, CipherSuite, KDFId, KEMId, KEMKey

    assert report[:9] == b"SMGWDIAG\x01"
    info = report[: 22 + report[21]]
    enc, blocks = report[len(info) : len(info) + 65], report[len(info) + 65 :]
    suite = CipherSuite.new(KEMId.DHKEM_P256_HKDF_SHA256, KDFId.HKDF_SHA256, AEADId.AES128_GCM)
    recipient = suite.create_recipient_context(enc, KEMKey.from_pyca_cryptography_key(key), info=info)
    text, is_last = b"", False
    while not is_last:
        head = blocks[:3]
        end = 3 + int.from_bytes(head[1:], "little")
        text += recipient.open(blocks[3:end], aad=head)
        blocks, is_last = blocks[end:], head[0] == 1
    assert blocks == b""
    return text


def open_message(sealed, key):
    suite = hpke.Suite(hpke.KEM.P256, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_128_GCM)
    return suite.decrypt(sealed, key, info=b"smart meter")


kind, path, key = sys.argv[1:]
sys.stdout.buffer.write({"report": open_report, "message": open_message}[kind](load(path), private_key(key)))
