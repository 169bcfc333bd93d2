import assert from "node:assert/strict";
import { compareVersions, FIRMWARE_HEAD, firmwareOf } from "../../../hosts/browser/kit/firmware-file.js";
import { isNewer } from "../../../modules/update/version.js";
import { makeFile } from "../../update/firmware-files.js";

describe("hosts/browser/kit/firmware-file", () => {
	const file = makeFile(new Uint8Array(5000), { version: "1.2.3-test", chip: "esp32c3", deviceId: 3 });
	const headOf = (bytes: Uint8Array) => Uint8Array.from(bytes.subarray(0, FIRMWARE_HEAD)).buffer;

	it("reads files of the tools, packed or not", () => {
		const expected = { board: 3, chip: "esp32c3", version: "1.2.3-test" };
		assert.deepEqual(firmwareOf(headOf(file)), { ...expected, bytes: file.length });
		const plain = makeFile(new Uint8Array(5000), { ...expected, deviceId: 3, packed: false });
		assert.deepEqual(firmwareOf(headOf(plain)), { ...expected, bytes: plain.length });
	});

	it("rejects shorter files, and those of another kind or product", () => {
		for (let length = 0; length < FIRMWARE_HEAD; length++)
			assert.equal(firmwareOf(headOf(file.subarray(0, length))), undefined, `${length} bytes`);
		// Offsets of bytes in the Zigbee header, the element, the metadata's form, and the product.
		for (const at of [0, 6, 56, 58, 62, 66]) {
			const other = Uint8Array.from(file);
			other[at] ^= 1;
			assert.equal(firmwareOf(headOf(other)), undefined, `at ${at}`);
		}
	});

	it("orders versions as the gateway does", () => {
		const versions = ["0.1.0", "0.1.9", "0.1.10-release", "0.2.0", "0.10.0", "1.0.0-test", "1.0.1", "10.0.0"];
		for (const one of versions)
			for (const other of versions)
				assert.equal(compareVersions(one, other) > 0, isNewer(one, other), `${one} and ${other}`);
	});
});
