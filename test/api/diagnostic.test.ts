/**
 * `GET system/diagnostic`: the contents of the report, and that only its receiver can read it. Runs in virtual time.
 */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import { ENTRIES } from "../../modules/app/parts.js";
import { REPORT_SECTIONS } from "../../modules/parts/system/report-lines.js";
import type { Report } from "../../tools/report/open.js";
import { openReport } from "../../tools/report/open.js";
import { make } from "../hosts/openssl.js";
import { Canary } from "./canary.js";
import { isError, PASSWORD, succeeded, vectorOf } from "./gateway.js";
import { openWhole, REPORT_KEY, REPORT_PRIVATE_KEY, sectionsOf } from "./report-key.js";
import { START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const CAPTURE = "landis-gyr-zmf100-m26-padded-left";
/** A secret for every setting and every reply that has one, too long to occur by chance. */
const SECRETS = {
	lls: "canary of the meter",
	programming: "canary of programming mode",
	cipher: "0c0d".repeat(8),
	authentication: "0d0e".repeat(8),
	hub: "canary-of-the-hub-token",
	broker: "canary of the broker",
	wifi: "canary of the network",
	accessPoint: "canary of our own network",
};
const PERSONAL = {
	ssid: "The Canaries' home",
	ownSsid: "The Canaries' meter",
	hubHost: "canary-hub.example",
	brokerHost: "canary-broker.example",
	user: "canary the user",
	topic: "canary/topic",
	prefix: "canary-assistant",
	hostname: "canary-house",
	address: "10.99.88.77",
	router: "10.99.88.254",
	meterAddress: "87654321",
	token: "canary's phone",
};

describe("The diagnostic report", function () {
	this.timeout(120_000);
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, info: { reportKey: REPORT_KEY } });
	});
	afterEach(() => gateway.stop());

	const file = (method = "GET") => {
		const headers = { Authorization: `Bearer ${gateway.token}` };
		return gateway.world.request("/api/v1/system/diagnostic", { method, headers });
	};
	const report = (): Promise<Report> => openWhole(file().body);

	it("is refused with 501 without a manufacturer's key, and with 401 without a token", async () => {
		isError(await gateway.get("system/diagnostic", { token: null }), 401, "unauthorized");
		const keyless = await VirtualGateway.loggedIn();
		isError(await keyless.get("system/diagnostic"), 501, "unsupported");
		await keyless.stop();
	});

	it("has all its sections, with the state of the gateway and of its meter", async () => {
		await gateway.connectMeter({ telegram: vectorOf(CAPTURE).telegram });
		await gateway.read("iec62056/read");
		await gateway.untilNetwork(({ connected }) => connected);
		const reply = file();
		assert.equal(reply.status, 200);
		assert.equal(reply.headers.get("content-type"), "application/octet-stream");
		assert.equal(reply.headers.get("content-disposition"), 'attachment; filename="smgw-VIRTUAL0001.report"');
		const { header, text } = await openWhole(reply.body);
		assert.equal(header.serial, "VIRTUAL0001");
		assert.ok(Math.abs(header.timeS - START_UTC_MS / 1000) < 100, `${header.timeS}`);
		const sections = sectionsOf(text);
		assert.deepEqual([...sections.keys()], REPORT_SECTIONS);
		for (const [name, lines] of sections) assert.ok(lines.length > 0, name);
		assert.match(sections.get("report")!.join("\n"), /^time: 2026-11-20T0\S+\nuptime_s: \d+$/);
		assert.ok(sections.get("device")!.includes("serial: VIRTUAL0001"), text);
		assert.match(sections.get("start")!.join("\n"), /^cause: power\b.*\nfault: false\nsafe_mode: $/);
		assert.match(sections.get("network")!.join("\n"), /^wifi: rssi -\d+, channel \d+, authmode \d\nwifi_error: \n/);
		const meter = sections.get("meter")!.join("\n");
		assert.match(
			meter,
			/^state: ok\nreadouts: 1\nschedule_error: \nlast: IEC62056-21, mode C, \d+ Bd, status 0, at 1795154\d{3}\n/,
		);
		assert.match(meter, /\nidentification: LGZ4ZMF100AC\.M26$/);
		const settings = ENTRIES.reduce((sum, { fields }) => sum + fields.length, 0);
		assert.equal(sections.get("settings")!.length, settings);
		assert.ok(sections.get("settings")!.includes("iec62056.baudrate_max: 9600"), text);
		assert.ok(sections.get("counters")!.includes("smartmeter_readouts_total 1"), text);
		assert.ok(sections.get("events")!.some((line) => /^\S+ \d+ s started power\b.* x1$/.test(line)));
		assert.ok(sections.get("events")!.some((line) => /^\S+ \d+ s login \*\*\* x1$/.test(line)));
		assert.deepEqual(sections.get("conversation"), ["not recorded: log_en is off"]);
	});

	it("is encrypted with a new key each time, and only for the manufacturer", async () => {
		const [first, second] = [file().body, file().body].map((body) => Buffer.from(body));
		const at = 22 + "VIRTUAL0001".length;
		assert.deepEqual(first.subarray(0, 17), second.subarray(0, 17));
		assert.equal(first[at], 4);
		assert.notDeepEqual(first.subarray(at, at + 65), second.subarray(at, at + 65));
		const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const keyId = first.toString("hex", 9, 17);
		await assert.rejects(
			openReport(first, privateKey),
			new RegExp(`sealed for the key ${keyId}; this one is \\w{16}\\.$`),
		);
	});

	it("can't be opened if its serial number, time, key or first block was changed; with a later block damaged, it opens up to that block", async () => {
		const whole = Buffer.from(file().body);
		const blocks = 22 + "VIRTUAL0001".length + 65;
		const { text } = await openReport(whole, REPORT_PRIVATE_KEY);
		const open = (bytes: Buffer) => openReport(bytes, REPORT_PRIVATE_KEY);
		const changed = (at: number) => Buffer.from(whole.map((byte, index) => (index === at ? byte ^ 1 : byte)));
		await assert.rejects(open(changed(0)), /not a diagnostic report/);
		await assert.rejects(open(changed(8)), /format 0; this program knows 1/);
		for (const at of [17, 22, blocks + 3]) await assert.rejects(open(changed(at)), /block 1 can't be opened/, `${at}`);
		const second = blocks + 3 + whole.readUInt16LE(blocks + 1);
		const damaged = await open(changed(second + 3));
		assert.match(damaged.problem, /block 2 can't be opened/);
		assert.equal(damaged.text, text.slice(0, 1024));
		for (const end of [second, second + 2, whole.length - 1]) {
			const cut = await open(whole.subarray(0, end));
			assert.match(cut.problem, /cut off: its end is missing/);
			assert.ok(text.startsWith(cut.text) && cut.text.length < text.length);
		}
		// First a block is missing; in the second report a byte follows the end.
		const third = second + 3 + whole.readUInt16LE(second + 1);
		const without = Buffer.concat([whole.subarray(0, second), whole.subarray(third)]);
		assert.match((await open(without)).problem, /block 2 can't be opened/);
		assert.match((await open(Buffer.concat([whole, Buffer.of(0)]))).problem, /not part of it/);
	});

	it("includes the exchange with the meter if log_en is on", async () => {
		await gateway.connectMeter({ telegram: vectorOf(CAPTURE).telegram });
		await gateway.write("iec62056/control", { log_en: true });
		await gateway.read("iec62056/read");
		const lines = sectionsOf((await report()).text).get("conversation")!;
		assert.equal(lines[0], "dropped: 0");
		assert.match(lines[1], /^\d+ ms: 300 Bd$/);
		assert.ok(
			lines.some((line) => line.endsWith(" sent: 2f3f210d0a /?!..")),
			lines.join("\n"),
		);
		const received = lines.map((line) => / received: (\w+) /.exec(line)?.[1] ?? "").join("");
		const telegram = Buffer.from(vectorOf(CAPTURE).telegram).toString("hex");
		assert.equal(received, telegram, lines.join("\n"));
	});

	it("contains no secret and no personal data, although every setting for them has a value", async () => {
		const canary = new Canary([PASSWORD, ...Object.values(SECRETS), ...Object.values(PERSONAL)]);
		const { token } = await gateway.write("system/tokens", { name: PERSONAL.token });
		await gateway.write("iec62056/config", { device_address: PERSONAL.meterAddress, password: SECRETS.programming });
		const keys = { block_cipher_key: SECRETS.cipher, auth_key: SECRETS.authentication };
		await gateway.write("dlms/config", { password: SECRETS.lls, ...keys });
		const trusted = make({ subject: "/CN=canary-authority.example" });
		const hub = { enabled: true, url: `https://${PERSONAL.hubHost}:8123`, token: SECRETS.hub };
		await gateway.write("hub", { ...hub, cert: trusted.certificate });
		const names = { user: PERSONAL.user, topic: PERSONAL.topic, discovery_prefix: PERSONAL.prefix };
		const broker = { enabled: true, url: `mqtts://${PERSONAL.brokerHost}`, password: SECRETS.broker, ...names };
		await gateway.write("mqtt", { ...broker, cert: trusted.certificate });
		await gateway.write("network/ap", { ap_ssid: PERSONAL.ownSsid, ap_password: SECRETS.accessPoint });
		const address = { dhcp: false, ip: PERSONAL.address, netmask: "255.255.255.0", gateway: PERSONAL.router };
		const wifi = { ssid: PERSONAL.ssid, password: SECRETS.wifi, hostname: PERSONAL.hostname, ...address };
		await gateway.write("network/wifi", wifi);
		const own = make({ subject: "/CN=canary-house", extensions: ["subjectAltName=DNS:canary-house"] });
		succeeded(await gateway.post("system/certificate", own.certificate + own.key));
		// The report must show neither the address of this failed login nor the meter's number in the identification below.
		await gateway.post(
			"system/login",
			{ username: "admin", password: "wrong canary" },
			{ token: null, from: "10.99.88.66" },
		);
		await gateway.connectMeter({
			telegram: Buffer.from("/LGZ4CANARY87654321\r\n\x021-0:1.8.0(1*kWh)\r\n!\r\n\x03\x7d", "latin1"),
		});
		await gateway.get("iec62056/read");
		await gateway.pass(5000);
		for (const secret of ["wrong canary", "10.99.88.66", token, gateway.token, "canary-authority", "access-point-key"])
			canary.plant(secret);
		for (const line of (own.key + own.certificate + trusted.certificate).split("\n"))
			if (line.length > 20 && !line.startsWith("-----")) canary.plant(line);
		const { storage } = gateway.world;
		for (const key of storage.keys().filter((name) => /^(own|tls)_/.test(name)))
			for (const line of Buffer.from(storage.get(key)!)
				.toString("latin1")
				.match(/^[\w+/=]{40,}$/gm) ?? [])
				canary.plant(line);
		const { text } = await report();
		canary.check("the report", text);
		const settings = sectionsOf(text).get("settings")!;
		for (const line of [
			"hub.url: https://*** (31 characters)",
			"hub.token: ***",
			"mqtt.url: mqtts://*** (29 characters)",
			"mqtt.password: ***",
			"wifi.ssid: *** (18 characters)",
			"wifi.password: ***",
			"network.ap_password: ***",
			"dlms_secrets.block_cipher_key: ***",
			"dlms_secrets.auth_key: ***",
			"dlms_secrets.password: ***",
			"iec62056.password: ***",
			"tokens.records: ***",
		])
			assert.ok(settings.includes(line), `${line}\n${settings.join("\n")}`);
		assert.match(sectionsOf(text).get("events")!.join("\n"), /token_made \*\*\* x1/);
	});

	it("is sent to one client at a time, and to another as soon as the first disconnects", async () => {
		const client = gateway.world.connect();
		client.paused = true;
		client.send(encodeRequest("/api/v1/system/diagnostic", { headers: { Authorization: `Bearer ${gateway.token}` } }));
		await gateway.pass(1000);
		isError(await gateway.get("system/diagnostic"), 503, "busy");
		assert.equal((await gateway.get("system/status")).status, 200);
		client.close();
		await gateway.pass(100);
		assert.equal(file("HEAD").body.length, 0);
		assert.ok((await report()).text.length > 2000);
	});

	it("keeps all its sections if settings and log change while a slow client reads it", async () => {
		await gateway.write("iec62056/control", { log_en: true });
		await gateway.connectMeter({ telegram: vectorOf(CAPTURE).telegram });
		await gateway.read("iec62056/read");
		const client = gateway.world.connect();
		client.paused = true;
		client.send(encodeRequest("/api/v1/system/diagnostic", { headers: { Authorization: `Bearer ${gateway.token}` } }));
		await gateway.pass(500);
		// Events occur, settings change, and the session log is cleared.
		await gateway.write("iec62056/control", { log_en: false });
		await gateway.login();
		client.paused = false;
		const reply = gateway.world.awaitReply(client);
		assert.deepEqual([...sectionsOf((await openWhole(reply.body)).text).keys()], REPORT_SECTIONS);
	});
});
