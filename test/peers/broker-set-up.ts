/** The broker of docs/integrations.md, with its access list and TLS, and the stand-in for Home Assistant. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { StandIn } from "../../tools/hub/home-assistant.js";
import type { JSONObject } from "../api/gateway.js";
import { Mosquitto } from "./mosquitto.js";
import { run } from "./peer.js";
import { type BrokerBed, GATEWAY_PASSWORD, numbersOf, PAGE_BROKER, shell } from "./reading-bed.js";
import { template } from "./templates.js";

/** Longest wait for a successful `mqtt/send` or for the hub; the gateway refuses a second `mqtt/send` for a while. */
const TEST_LIMIT_MS = 60_000;

/** Reply of `mqtt/send`, once it is allowed again. */
async function sendOf({ gateway }: BrokerBed): Promise<{ retcode: number; code: string; message: string }> {
	const limit = Date.now() + TEST_LIMIT_MS;
	for (;;) {
		const reply = await gateway.get("mqtt/send");
		if (reply.status === 200) return JSON.parse(reply.text);
		assert.ok(reply.status === 503 && Date.now() < limit, reply.text);
		await gateway.pass(2000);
	}
}

/**
 * Makes an authority and a certificate for this address with the commands of docs/integrations.md: home.pem,
 * gateway.crt, gateway.key.
 */
async function makeAuthority(folder: string, address: string): Promise<void> {
	const lines = template("authority.sh", { "192.168.1.40": address }).split("\n");
	await shell(
		folder,
		lines
			.slice(
				0,
				lines.findIndex((line) => line.startsWith("cat ")),
			)
			.join("\n"),
	);
}

/** Runs a file of docs/live-values.md. */
function runCommands(name: string, { authority, folder, gateway }: BrokerBed): Promise<string> {
	return shell(folder, `B=https://${authority}/api/v1 TOKEN=${gateway.token}\n${template(name)}`);
}

export const setUpCases = [
	{
		name: "the command of docs/mqtt.md reads the meter, once commands are permitted",
		async run({ broker, gateway, topic }: BrokerBed) {
			const readouts = async () => (await gateway.read("system/status")).meter_readouts as number;
			const before = await readouts();
			const words = {
				...{ [`-h ${PAGE_BROKER}`]: `-h 127.0.0.1 -p ${broker.port}`, "-u me": "-u gateway" },
				...{ secret: GATEWAY_PASSWORD, "smgw/0000000001": topic },
			};
			await gateway.write("mqtt", { commands: true });
			const limit = Date.now() + TEST_LIMIT_MS;
			// The gateway connects again to subscribe.
			while ((await readouts()) === before) {
				assert.ok(Date.now() < limit, broker.log);
				await run("sh", ["-c", template("command.sh", words)]);
				await gateway.pass(2000);
			}
			await gateway.write("mqtt", { commands: false });
		},
	},
	{
		name: "the commands of docs/live-values.md are accepted",
		async run(bed: BrokerBed) {
			await runCommands("shares.sh", bed);
			const { clients } = await bed.gateway.read("live-meter/clients");
			assert.deepEqual(
				clients.map(({ address, share_percent }: JSONObject) => [address, share_percent]),
				[
					["192.168.1.40", 50],
					["192.168.1.41", 50],
				],
			);
			const output = await runCommands("live-mode.sh", bed);
			// `meter_live` of the status; the meter has another protocol.
			assert.ok(output.endsWith('"unsupported"\n'), output);
			assert.equal((await bed.gateway.read("dlms/config")).live_secs, 2);
			await bed.gateway.write("dlms/config", { live_secs: 0 });
		},
	},
	{
		name: "the broker rejects clients without a password, and a reader can't write the gateway's topics",
		async run({ broker, topic }: BrokerBed) {
			await assert.rejects(broker.publish(`${topic}/status`, "mine", "-u", "", "-P", ""), /not authorised/);
			const before = await broker.retained(`${topic}/status`);
			await broker.publish(`${topic}/status`, "mine", "-r");
			assert.deepEqual(await broker.retained(`${topic}/status`), before);
			assert.deepEqual(
				before.map(({ payload }) => payload),
				["online"],
			);
		},
	},
	{
		name: "over TLS, clients accept the broker only if they trust its authority, made as in docs/integrations.md",
		async run(bed: BrokerBed) {
			const { authority, folder, gateway, topic } = bed;
			const files: Record<string, string> = {};
			for (const name of ["other", "broker"]) {
				await makeAuthority(folder, "127.0.0.1");
				files[`${name}.pem`] = readFileSync(join(folder, "home.pem"), "utf8");
			}
			for (const part of ["crt", "key"])
				files[`broker.${part}`] = readFileSync(join(folder, `gateway.${part}`), "utf8");
			const words = { "listener 8883\n": "", "/etc/mosquitto/certs/": "@/" };
			const broker = await Mosquitto.start({
				lines: [...template("mosquitto-tls.conf", words).trim().split("\n"), "allow_anonymous true"],
				files,
				client: ["--cafile", "@/broker.pem"],
			});
			try {
				const settings = { enabled: true, url: `mqtts://127.0.0.1:${broker.port}`, user: "", password: "" };
				await gateway.write("mqtt", { ...settings, cert: files["other.pem"] });
				const refused = await sendOf(bed);
				assert.notEqual(refused.retcode, 0);
				assert.match(refused.message, /certificate/i);
				assert.deepEqual(await broker.retained(`${topic}/#`), []);
				const own = { "mqtts://broker.lan": settings.url, '"gateway"': '""', "GATEWAY-PASSWORD": "" };
				const lines = template("mqtts.sh", own);
				await shell(folder, `GATEWAY=https://${authority} ADMIN=${gateway.token}\n${lines}`);
				assert.equal((await sendOf(bed)).code, "ok");
				assert.notEqual((await broker.retained(`${topic}/status`)).length, 0);
			} finally {
				await broker.stop();
			}
		},
	},
	{
		name: "the lines of docs/integrations.md for Home Assistant make the entities that it names",
		async run({ authority, folder, gateway, last }: BrokerBed) {
			const standIn = await StandIn.start();
			try {
				const words = { "http://homeassistant.local:8123": standIn.url, "HOME-ASSISTANT-TOKEN": standIn.token };
				const lines = template("hub.sh", words);
				const output = await shell(folder, `GATEWAY=https://${authority} ADMIN=${gateway.token}\n${lines}`);
				assert.match(output, /"retcode":0/);
				const { hostname } = gateway;
				const entity = `sensor.${hostname.replaceAll("-", "_")}_1_8_0`;
				const limit = Date.now() + TEST_LIMIT_MS;
				while (!standIn.entities.has(entity)) {
					assert.ok(Date.now() < limit, [...standIn.entities.keys()].join());
					await gateway.pass(500);
				}
				// A readout by the schedule may have followed the first one.
				const readouts = [last, await gateway.read("iec62056/last")];
				const counters = readouts.map((readout) => numbersOf(readout)["1.8.0"]);
				const shown = Number(standIn.entities.get(entity)?.state);
				assert.ok(counters.includes(shown), `${shown} is not one of ${counters}`);
			} finally {
				await standIn.end();
			}
		},
	},
];
