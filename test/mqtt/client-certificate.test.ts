/** The whole gateway with a broker that requires a client certificate. */

import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { BENCH_PASSWORD, BENCH_SSID } from "../../hosts/simulated/air.js";
import { lastingPair } from "../api/server-identity.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { AUTHORITY, make } from "../hosts/openssl.js";
import { BROKER_ADDRESS, ScriptedBroker } from "./broker.js";

const PORT = 8883;
const BROKER = lastingPair("broker.lan");
const ON = {
	enabled: true,
	url: `mqtts://${BROKER_ADDRESS}`,
	cert: Buffer.from(BROKER.certificate).toString("latin1"),
};
/** Longest time for a new connection, ms. */
const RETRY_MS = 60_000;

describe("mqtt: a broker that requires a client certificate", () => {
	let gateway: VirtualGateway;
	let broker: ScriptedBroker;
	/** Certificates that the broker has seen, PEM text, oldest first. */
	let shown: string[];

	const serve = () => {
		broker = new ScriptedBroker(gateway.world, PORT, {
			certificate: BROKER.certificate,
			asksForCertificate: true,
			onIdentity: (certificate) => shown.push(certificate),
		});
	};
	beforeEach(async () => {
		shown = [];
		gateway = new VirtualGateway();
		gateway.onWorld = serve;
		await gateway.login();
		serve();
		await gateway.pass(5000);
	});
	afterEach(() => gateway.stop());

	const state = async () => (await gateway.read("system/status")).mqtt_state;
	const file = async () => (await gateway.get("system/certificate/file")).text;
	const fingerprintOf = (pem: string | undefined) => new X509Certificate(pem ?? "").fingerprint256;

	it("is not reached without the setting, and the state and the test name the reason", async () => {
		await gateway.write("mqtt", ON);
		await gateway.pass(1000);
		assert.equal(await state(), "client_certificate");
		const { code, retcode, message } = await gateway.read("mqtt/send");
		assert.deepEqual([code, retcode], ["client_certificate", 4]);
		assert.match(String(message), /turn on client_cert/);
		assert.deepEqual([shown, broker.sessions], [[], []]);
	});

	it("gets the certificate of HTTPS, which the owner can take as a file", async () => {
		await gateway.write("mqtt", ON);
		await gateway.write("mqtt", { client_cert: true });
		await gateway.pass(1000);
		assert.equal(await state(), "ok");
		assert.equal(shown.length, 1);
		assert.equal(fingerprintOf(shown[0]), fingerprintOf(await file()));
		assert.equal(fingerprintOf(shown[0]), (await gateway.read("system/certificate")).fingerprint);
	});

	it("gets the renewed certificate at the next connection, although the session could be resumed", async () => {
		await gateway.write("mqtt", { ...ON, client_cert: true });
		await gateway.pass(1000);
		// Saving the settings makes the gateway connect again.
		await gateway.write("mqtt", {});
		await gateway.pass(1000);
		assert.equal(broker.sessions.length, 2);
		assert.equal(shown.length, 1, "the second handshake was a full one");
		await gateway.write("network/wifi", { ssid: BENCH_SSID, password: BENCH_PASSWORD, dhcp: true, hostname: "attic" });
		await gateway.renamed();
		await gateway.write("mqtt", {});
		await gateway.pass(1000);
		assert.equal(await state(), "ok");
		assert.equal(shown.length, 2);
		assert.match(new X509Certificate(shown[1]).subject, /CN=attic$/);
		assert.notEqual(fingerprintOf(shown[1]), fingerprintOf(shown[0]));
	});

	it("gets an installed certificate with its chain, and no key leaves the gateway", async () => {
		const authority = make({ subject: "/CN=Authority of the owner", extensions: AUTHORITY });
		const own = make({ subject: "/CN=meter 7", issuer: authority });
		await gateway.write("mqtt", { ...ON, client_cert: true });
		const file = own.key + own.certificate + authority.certificate;
		const { status, text } = await gateway.post("system/certificate", file);
		assert.equal(status, 200, text);
		await gateway.loginAfterReboot();
		await gateway.pass(RETRY_MS);
		assert.equal(await state(), "ok");
		assert.equal(fingerprintOf(shown.at(-1)), fingerprintOf(own.certificate));
		const taken = await gateway.get("system/certificate/file");
		assert.equal(taken.text, own.certificate + authority.certificate);
	});
});
