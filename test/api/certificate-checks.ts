/** Certificate routes: details, upload, rejected files, and the reset to the device's own certificate. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { MAKER, PRODUCT } from "../../modules/product/product.js";
import { AUTHORITY, make, SLOW_RSA } from "../hosts/openssl.js";
import { isError, type Reply, type TestGateway } from "./gateway.js";

const MEMBERS = [
	...[
		"custom",
		"subject",
		"issuer",
		"valid_from",
		"valid_to",
		"key_type",
		"key_bits",
		"fingerprint",
		"chain_length",
		"max_size",
	],
	...["upload_allowed", "reboot"],
];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export function certificateChecks(gateway: () => TestGateway): void {
	const upload = (pem: string) => gateway().post("system/certificate", pem);

	async function isRefused(reply: Reply, reason: RegExp): Promise<void> {
		assert.equal(reply.status, 400, reply.text);
		assert.equal(reply.headers.get("content-type"), "text/plain");
		assert.match(reply.text, reason);
		assert.equal((await gateway().read("system/certificate")).custom, false);
	}

	describe("system/certificate", () => {
		it("describes the device's own certificate", async () => {
			const own = await gateway().read("system/certificate");
			assert.deepEqual(Object.keys(own), MEMBERS);
			assert.equal(own.custom, false);
			assert.equal(own.subject, own.issuer);
			assert.equal(own.subject, `CN=${gateway().hostname}, OU=${PRODUCT}, O=${MAKER}`);
			assert.match(own.valid_from, ISO);
			assert.match(own.valid_to, ISO);
			assert.equal(Number(own.valid_to.slice(0, 4)) - Number(own.valid_from.slice(0, 4)) >= 10, true);
			assert.deepEqual([own.key_type, own.key_bits, own.chain_length, own.max_size], ["EC", 256, 1, 12288]);
			assert.deepEqual([own.upload_allowed, own.reboot], [true, false]);
		});

		it("gives the certificate as a file, without the key", async () => {
			const file = await gateway().get("system/certificate/file");
			assert.equal(file.status, 200, file.text);
			assert.equal(file.headers.get("content-type"), "application/x-pem-file");
			assert.equal(file.headers.get("content-disposition"), `attachment; filename="${gateway().hostname}.pem"`);
			assert.match(file.text, /^-----BEGIN CERTIFICATE-----\n[\w+/=\n]+-----END CERTIFICATE-----\n$/);
			const { fingerprint } = await gateway().read("system/certificate");
			assert.equal(new X509Certificate(file.text).fingerprint256, fingerprint);
			isError(await gateway().get("system/certificate/file", { token: null }), 401, "unauthorized");
		});

		it("rejects a bad file with a reason in plain text", async () => {
			const { certificate, key } = make({ subject: "/CN=bad" });
			await isRefused(await upload("hello"), /No certificate was found/);
			await isRefused(await upload(certificate), /No private key was found/);
			await isRefused(await upload(certificate + make({ subject: "/CN=other" }).key), /does not match/);
			await isRefused(await upload(`${certificate}\0${key}`), /contains a zero byte/);
			await isRefused(await upload(`${certificate}${key}\n\n-`), /after its last block/);
			const slow = make({ subject: "/CN=slow", key: SLOW_RSA, extensions: AUTHORITY });
			const issued = make({ subject: "/CN=issued", issuer: slow });
			await isRefused(await upload(issued.certificate + slow.certificate + issued.key), /size is not supported/);
			await isRefused(await upload(`${" ".repeat(12288)}${certificate}${key}`), /too large: at most 12288 bytes/);
			for (const length of [12289, 16384, 16385, 100_000])
				await isRefused(
					await upload("x".repeat(length)),
					/^The file is too large: at most 12288 bytes are accepted\.\n$/,
				);
			const chunked = await gateway().post("system/certificate", "x".repeat(40_000), { chunked: true });
			await isRefused(chunked, /^The file is too large/);
			isError(await gateway().post("system/certificate", "x", { token: null }), 401, "unauthorized");
		});

		it("transition: factory, by certificate/reset, to factory, without a restart", async () => {
			const reply = await gateway().write("system/certificate/reset", undefined);
			assert.deepEqual([reply.custom, reply.reboot], [false, false]);
		});

		it("transition: factory, by POST certificate, to custom; custom, by certificate/reset, to factory; after a restart each", async () => {
			const root = make({ subject: "/O=Home/CN=Root", extensions: AUTHORITY });
			const extensions = ["basicConstraints=CA:FALSE", `subjectAltName=DNS:${gateway().hostname}`];
			const subject = `/O=Home/CN=${gateway().hostname}`;
			const server = make({ subject, issuer: root, extensions });
			const file = server.certificate + root.certificate + server.key;
			// One line of the private key.
			gateway().plant(server.key.split("\n")[2]);
			const taken = await gateway().write("system/certificate", file);
			assert.deepEqual([taken.custom, taken.reboot, taken.chain_length], [true, true, 2]);
			assert.match(taken.subject, /O=Home/);
			await gateway().loginAfterReboot(root.certificate);
			const shown = await gateway().read("system/certificate");
			assert.deepEqual(shown, { ...taken, reboot: false });
			const reset = await gateway().write("system/certificate/reset", undefined);
			assert.deepEqual([reset.custom, reset.reboot], [false, true]);
			await gateway().loginAfterReboot();
			assert.equal((await gateway().read("system/certificate")).custom, false);
		});
	});
}
