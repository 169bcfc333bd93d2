import assert from "node:assert/strict";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { keyIdOf, keySigner, type Signer } from "../../tools/ota/keys.js";
import { makeFirmwareFile } from "../../tools/ota/make.js";
import { PIECE_LENGTH, pack, unpack } from "../../tools/ota/pack.js";
import { FIRMWARE, imageOf, publicKey } from "./ota-firmware.js";

const { signer } = FIRMWARE;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const text = (value: string, length: number) => hex(Buffer.from(value).subarray(0, length)).padEnd(2 * length, "0");

describe("A firmware file", () => {
	for (const packed of [true, false])
		it(`has each byte where the description says (${packed ? "packed" : "plain"})`, () => {
			const file = makeFirmwareFile({ ...FIRMWARE, packed });
			const content = packed ? pack(FIRMWARE.image) : Buffer.from(FIRMWARE.image);
			const length = Buffer.alloc(4);
			length.writeUInt32LE(content.length);
			const fileLength = Buffer.alloc(4);
			fileLength.writeUInt32LE(56 + 6 + 220 + 6 + content.length);
			assert.equal(
				hex(file.subarray(0, 62)),
				`1ef1ee0b 0001 3800 0000 f1ff 0300 04030201 0200`.replaceAll(" ", "") +
					text("smart-meter-gw 1.2.3-release", 32) +
					hex(fileLength) +
					"01f0dc000000",
			);
			assert.equal(
				hex(file.subarray(62, 62 + 156)),
				`01 0${Number(packed)} 0300`.replaceAll(" ", "") +
					text("smart-meter-gw", 16) +
					text("esp32c3", 16) +
					"04030201" +
					text("1.2.3-release", 32) +
					"07000000" +
					hex(length) +
					"f0490200" +
					sha256(content) +
					sha256(FIRMWARE.image) +
					hex(keyIdOf(signer.point)),
			);
			const signature = file.subarray(218, 282);
			const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
			assert.ok(verify("sha256", file.subarray(62, 218), key, signature));
			assert.equal(hex(file.subarray(282, 288)), (packed ? "02f0" : "0000") + hex(length));
			assert.ok(file.subarray(288).equals(content));
		});

	it("is not made if the signer signs with another key than it names", () => {
		const other: Signer = {
			...keySigner(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
			point: signer.point,
		};
		assert.throws(() => makeFirmwareFile({ ...FIRMWARE, signer: other }), /not a signature by the expected key/);
	});

	it("is not made from values that do not fit", () => {
		assert.throws(() => makeFirmwareFile({ ...FIRMWARE, version: "1".repeat(33) }), /version has up to 32 characters/);
		assert.throws(() => makeFirmwareFile({ ...FIRMWARE, chip: "esp32ü" }), /chip has up to 16 characters of ASCII/);
		assert.throws(
			() => makeFirmwareFile({ ...FIRMWARE, deviceId: 65536 }),
			/deviceId is a whole number from 0 to 65535/,
		);
		const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
		assert.throws(() => keySigner(rsa), /P-256 keys/);
	});
});

describe("A packed image", () => {
	for (const length of [0, 1, PIECE_LENGTH - 1, PIECE_LENGTH, PIECE_LENGTH + 1, 3 * PIECE_LENGTH])
		it(`of ${length} bytes is unpacked correctly`, () => {
			const image = imageOf(length);
			const packed = pack(image);
			assert.equal(hex(unpack(packed, length)), hex(image));
			for (let at = 0; at < packed.length; at += 4 + packed.readUInt32LE(at)) {
				// RFC 1950: deflate with a window of 4 KB, no dictionary.
				assert.equal(packed[at + 4], 0x48);
				assert.equal(packed[at + 5] & 0x20, 0);
			}
		});

	it("is rejected if a part is missing, added or damaged", () => {
		const image = imageOf(PIECE_LENGTH + 1000);
		const packed = pack(image);
		const second = 4 + packed.readUInt32LE(0);
		assert.throws(() => unpack(packed.subarray(0, second), image.length), /piece 1 is missing/);
		assert.throws(() => unpack(packed.subarray(0, -1), image.length), /piece 1 is cut off/);
		assert.throws(() => unpack(Buffer.concat([packed, packed]), image.length), /follow the last piece/);
		assert.throws(() => unpack(packed, image.length + 1), /piece 1 has 1000 bytes, not 1001/);
		assert.throws(() => unpack(packed, image.length - 1), /piece 1 can't be unpacked/);
		const longer = Buffer.concat([packed, Buffer.alloc(1)]);
		longer.writeUInt32LE(packed.length - second - 4 + 1, second);
		assert.throws(() => unpack(longer, image.length), /piece 1 has bytes after its end/);
		const wide = Buffer.from(packed);
		wide[4] = 0x78;
		assert.throws(() => unpack(wide, image.length), /piece 0 has a larger window/);
		const damaged = Buffer.from(packed);
		damaged[packed.length - 1] ^= 1;
		assert.throws(() => unpack(damaged, image.length), /piece 1 can't be unpacked/);
	});
});
