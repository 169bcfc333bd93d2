/** Third-party software reads our firmware files. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { Integer, Sequence } from "asn1js";
import { MANUFACTURER } from "../../tools/ota/format.js";
import { makeFirmwareFile } from "../../tools/ota/make.js";
import { skipBecause } from "../hosts/native/compile.js";
import { missingOpenSSL, openssl } from "../hosts/openssl.js";
import { FIRMWARE, publicKey } from "./ota-firmware.js";

/** The part that is used here; the package's own types include its whole library. */
interface Herdsman {
	parseOtaImage(file: Buffer): {
		readonly header: Readonly<Record<string, number | string>>;
		readonly elements: readonly { readonly tagId: number; readonly length: number; readonly data: Buffer }[];
		readonly raw: Buffer;
	};
}
const herdsman: Herdsman = createRequire(import.meta.url)("zigbee-herdsman/dist/controller/helpers/ota.js");

const UNPACK = `
import sys, zlib
data = sys.stdin.buffer.read()
while data:
    length = int.from_bytes(data[:4], "little")
    piece = zlib.decompressobj(wbits=12)
    sys.stdout.buffer.write(piece.decompress(data[4:4 + length]))
    assert piece.eof and not piece.unused_data
    data = data[4 + length:]
`;

describe("A firmware file, read by other software", () => {
	for (const packed of [true, false])
		it(`is valid for zigbee-herdsman (${packed ? "packed" : "plain"})`, () => {
			const file = makeFirmwareFile({ ...FIRMWARE, packed });
			const { header, elements, raw } = herdsman.parseOtaImage(file);
			assert.deepEqual(
				{ ...header, otaHeaderString: `${header["otaHeaderString"]}`.replace(/\0+$/, "") },
				{
					otaUpgradeFileIdentifier: 0x0beef11e,
					otaHeaderVersion: 0x0100,
					otaHeaderLength: 56,
					otaHeaderFieldControl: 0,
					manufacturerCode: MANUFACTURER,
					imageType: FIRMWARE.deviceId,
					fileVersion: FIRMWARE.buildNumber,
					zigbeeStackVersion: 2,
					otaHeaderString: "smart-meter-gw 1.2.3-release",
					totalImageSize: file.length,
				},
			);
			assert.deepEqual(
				elements.map(({ tagId }) => tagId),
				[0xf001, packed ? 0xf002 : 0],
			);
			for (const { length, data } of elements) assert.equal(data.length, length);
			if (!packed) assert.ok(elements[1].data.equals(FIRMWARE.image));
			assert.ok(raw.equals(file));
			assert.throws(() => herdsman.parseOtaImage(file.subarray(0, -1)));
		});

	it("has a signature that OpenSSL verifies", function () {
		const reason = missingOpenSSL();
		if (reason !== undefined) skipBecause(this, reason);
		const file = makeFirmwareFile(FIRMWARE);
		const numbers = [218, 250].map((at) => Integer.fromBigInt(BigInt(`0x${file.toString("hex", at, at + 32)}`)));
		const signature = new Uint8Array(new Sequence({ value: numbers }).toBER());
		const files = { signature, signed: file.subarray(62, 218), key: publicKey.export({ type: "spki", format: "pem" }) };
		const args = ["dgst", "-sha256", "-verify", "key", "-signature", "signature", "signed"];
		assert.equal(openssl(args, files).toString(), "Verified OK\n");
		files.signed[0] ^= 1;
		assert.throws(() => openssl(args, files));
	});

	it("is unpacked by Python's zlib with a window of 4 KB", function () {
		if (spawnSync("python3", ["--version"]).status !== 0) skipBecause(this, "python3 is not installed");
		const { elements } = herdsman.parseOtaImage(makeFirmwareFile(FIRMWARE));
		const { status, stdout, stderr } = spawnSync("python3", ["-c", UNPACK], { input: elements[1].data });
		assert.equal(status, 0, `${stderr}`);
		assert.ok(stdout.equals(FIRMWARE.image));
	});
});
