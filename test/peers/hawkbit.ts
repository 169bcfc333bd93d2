/**
 * Tests roll-outs by Eclipse hawkBit's own server (hawkbit-server.ts) to gateways in this process. Each gateway runs in
 * Node and has its own sockets, TLS, flash and boot loader. Saved settings make a gateway poll at once, and a restart
 * confirms a trial. The test therefore takes seconds instead of minutes.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NodeEngine } from "../../hosts/node/engine-node.js";
import { type FactoryData, openUnit } from "../../hosts/node/factory.js";
import { createHost } from "../../hosts/node/host.js";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import { startSlots } from "../../hosts/node/slots.js";
import type { BootLoader } from "../../hosts/simulated/boot-loader.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { type JSONObject, PASSWORD } from "../api/gateway.js";
import { makeFile, newSigner, SIGNER } from "../update/firmware-files.js";
import { HawkbitServer } from "./hawkbit-server.js";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const COUNT = 20;
const GROUPS = 2;
const FIRST_VERSION = "1.0.0";
const OURS = { chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID };
const LIMIT_MS = 60_000;
const ROLLOUT = {
	amountGroups: GROUPS,
	successCondition: { condition: "THRESHOLD", expression: "100" },
	successAction: { action: "NEXTGROUP", expression: "" },
	errorCondition: { condition: "THRESHOLD", expression: "30" },
	errorAction: { action: "PAUSE", expression: "" },
};

const fileOf = (version: string) => makeFile(makeSimulatorImage({ version, size: 60_000 }), { ...OURS, version });

/** A gateway that restarts as a device does, with the firmware that its boot loader chooses. */
class RolloutGateway {
	readonly name: string;
	readonly token: string;
	readonly #folder: string;
	readonly #factory: FactoryData;
	#engine: NodeEngine | undefined;
	#update: BootLoader | undefined;
	#port = 0;
	#session = "";
	/** Resolves when the gateway requests a restart. */
	#restart: Promise<void> | undefined;

	constructor(folder: string, number: number) {
		this.name = `gw-${String(number).padStart(2, "0")}`;
		this.token = `token-of-${this.name}`;
		this.#folder = folder;
		mkdirSync(folder, { recursive: true });
		this.#factory = openUnit({ state: folder, password: PASSWORD, mode: "client" }, () => {});
	}

	get version(): string {
		return this.#update?.image?.version ?? FIRST_VERSION;
	}

	async start(): Promise<void> {
		let restart = () => {};
		this.#restart = new Promise((resolve) => {
			restart = resolve;
		});
		const keys = [Buffer.from(SIGNER.point).toString("hex")];
		this.#update = startSlots({ stateFolder: this.#folder, keys, restart });
		const host = createHost({
			stateFolder: this.#folder,
			resourcesFolder: join(ROOT, "modules", "resources"),
			factory: this.#factory,
			firmwareVersion: FIRST_VERSION,
			builtUtcMs: Date.now() - 3_600_000,
			meterPath: join(this.#folder, "no-port"),
			httpPort: 0,
			httpsPort: 0,
			accessPoint: false,
			utcMs: Date.now(),
			update: this.#update,
			trace: () => {},
			onListening: (secure, port) => {
				if (secure) this.#port = port;
			},
			onRestart: restart,
		});
		const { udp: _, ...network } = host.network;
		this.#engine = new NodeEngine({ ...host, network });
		await this.#engine.start();
		this.#session = "";
		this.#session = (await this.requestJSON("POST", "system/login", { username: "admin", password: PASSWORD })).token;
	}

	async stop(): Promise<void> {
		await this.#engine?.stop();
	}

	/** Waits until the gateway requests a restart, and then restarts it. */
	async restarted(): Promise<void> {
		const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() => assert.fail(`${this.name} does not restart`));
		await Promise.race([this.#restart, late]);
		await this.stop();
		await this.start();
	}

	/** Restarts the gateway without a request of the firmware, as a panic does. */
	async crash(): Promise<void> {
		await this.stop();
		await this.start();
	}

	/** Waits until the new firmware is connected to its network, and restarts it. The restart confirms the firmware. */
	async confirm(): Promise<void> {
		while (!(await this.requestJSON("GET", "network/status")).connected) await sleep(100);
		await this.requestJSON("POST", "system/reboot");
		await this.restarted();
	}

	/** Saves settings, so that the gateway polls, and waits until the poll has succeeded. */
	async poll(settings: object = { enabled: true }): Promise<void> {
		await this.requestJSON("POST", "hawkbit", settings);
		for (const endMs = Date.now() + LIMIT_MS; ; await sleep(200)) {
			const { hawkbit_state } = await this.requestJSON("GET", "system/status");
			if (hawkbit_state === "ok") return;
			assert.ok(Date.now() < endMs, `${this.name}: ${hawkbit_state}`);
		}
	}

	async requestJSON(method: string, path: string, body?: object): Promise<JSONObject> {
		const sent = body === undefined ? "" : JSON.stringify(body);
		const headers = {
			...(this.#session === "" ? {} : { Authorization: `Bearer ${this.#session}` }),
			"Content-Length": Buffer.byteLength(sent),
		};
		const target = { host: "127.0.0.1", port: this.#port, path: `/api/v1/${path}`, method, headers };
		const outgoing = request({ ...target, agent: false, rejectUnauthorized: false });
		outgoing.end(sent);
		const [reply] = await once(outgoing, "response");
		let text = "";
		for await (const piece of reply) text += piece;
		assert.equal(reply.statusCode, 200, `${path}: ${text}`);
		return text === "" ? {} : JSON.parse(text);
	}
}

export interface RolloutBed {
	readonly folder: string;
	readonly server: HawkbitServer;
	readonly gateways: readonly RolloutGateway[];
}

export async function prepareHawkbit(): Promise<RolloutBed> {
	const server = await HawkbitServer.start();
	// Each gateway adds a listener for the exit of this process, to delete the lock file of its state folder. Above the
	// limit, Node prints a warning.
	process.setMaxListeners(8 * COUNT);
	const folder = mkdtempSync(join(tmpdir(), "rollout-"));
	const gateways = Array.from({ length: COUNT }, (_, i) => new RolloutGateway(join(folder, String(i)), i));
	await Promise.all(gateways.map((gateway) => gateway.start()));
	return { folder, server, gateways };
}

export async function endHawkbit({ folder, gateways, server }: RolloutBed): Promise<void> {
	for (const gateway of gateways) await gateway.stop();
	await server.stop();
	rmSync(folder, { recursive: true, force: true });
}

/** Starts a roll-out in groups to all gateways; returns its id. */
async function startRollout({ server }: RolloutBed, version: string, file: Uint8Array): Promise<number> {
	const distributionSetId = await server.publish(version, file);
	const rollout = { name: version, distributionSetId, targetFilterQuery: "id==gw-*", type: "forced", ...ROLLOUT };
	const { id } = await server.ask("POST", "rollouts", rollout);
	const isIn = (state: string) => async () => (await server.ask("GET", `rollouts/${id}`)).status === state;
	await server.until(isIn("ready"));
	await server.ask("POST", `rollouts/${id}/start`);
	await server.until(isIn("running"));
	return id;
}

/** Returns the gateways of a group, as the server lists them. */
async function members({ gateways, server }: RolloutBed, rollout: number, group: number): Promise<RolloutGateway[]> {
	const { content } = await server.ask("GET", `rollouts/${rollout}/deploygroups/${group}/targets?limit=100`);
	return content.map((target: JSONObject) => gateways.find(({ name }) => name === target.controllerId)!);
}

async function groupsOf({ server }: RolloutBed, rollout: number): Promise<JSONObject[]> {
	return (await server.ask("GET", `rollouts/${rollout}/deploygroups?limit=20&sort=id:ASC`)).content;
}

export const hawkbitCases = [
	{
		name: `${COUNT} gateways register with their tokens and tell what they are`,
		async run({ gateways, server }: RolloutBed) {
			const targets = gateways.map(({ name, token }) => ({ controllerId: name, name, securityToken: token }));
			await server.list("POST", "targets", targets);
			const cert = Buffer.from(server.certificate).toString();
			const common = { enabled: true, url: server.url, cert };
			await Promise.all(
				gateways.map((gateway) => gateway.poll({ ...common, controller_id: gateway.name, token: gateway.token })),
			);
			for (const { name } of gateways) {
				const { board, version } = await server.ask("GET", `targets/${name}/attributes`);
				assert.deepEqual([board, version], ["bench", FIRST_VERSION], name);
			}
		},
	},
	{
		name: `a good image reaches all ${COUNT} in ${GROUPS} groups, one after the other`,
		async run(bed: RolloutBed) {
			const { gateways, server } = bed;
			const rollout = await startRollout(bed, "1.1.0", fileOf("1.1.0"));
			for (const [i, { id }] of (await groupsOf(bed, rollout)).entries()) {
				const isRunning = async () => {
					const { status } = await server.ask("GET", `rollouts/${rollout}/deploygroups/${id}`);
					return status === "running";
				};
				await server.until(isRunning);
				const group = await members(bed, rollout, id);
				assert.equal(group.length, COUNT / GROUPS);
				// Only the gateways of earlier groups have installed the image so far.
				const waiting = gateways.filter(({ version }) => version === FIRST_VERSION).length;
				assert.equal(waiting, COUNT - i * group.length);
				await Promise.all(
					group.map(async (gateway) => {
						await gateway.poll();
						await gateway.restarted();
						await gateway.confirm();
						await gateway.poll();
					}),
				);
			}
			const isFinished = async () => (await server.ask("GET", `rollouts/${rollout}`)).status === "finished";
			await server.until(isFinished);
			assert.ok(gateways.every(({ version }) => version === "1.1.0"));
			const messages = await server.messages(gateways[0].name);
			assert.deepEqual(messages.slice(-2), [
				`Version ${FIRST_VERSION} runs and downloads the file.`,
				"Version 1.1.0 runs and is confirmed.",
			]);
		},
	},
	{
		name: "an image that does not pass its trial stops the campaign in its first group",
		async run(bed: RolloutBed) {
			const { gateways, server } = bed;
			const rollout = await startRollout(bed, "1.2.0", fileOf("1.2.0"));
			const [{ id }] = await groupsOf(bed, rollout);
			const group = await members(bed, rollout, id);
			await Promise.all(
				group.map(async (gateway) => {
					await gateway.poll();
					await gateway.restarted();
					assert.equal(gateway.version, "1.2.0");
					await gateway.crash();
					assert.equal(gateway.version, "1.1.0");
					await gateway.poll();
				}),
			);
			const isPaused = async () => (await server.ask("GET", `rollouts/${rollout}`)).status === "paused";
			await server.until(isPaused);
			const counts = (await server.ask("GET", `rollouts/${rollout}`)).totalTargetsPerStatus;
			assert.deepEqual([counts.error, counts.scheduled], [group.length, COUNT - group.length]);
			// The gateways of the other group poll, and get nothing to install.
			const rest = gateways.filter((gateway) => !group.includes(gateway));
			await Promise.all(rest.map((gateway) => gateway.poll()));
			assert.ok(gateways.every(({ version }) => version === "1.1.0"));
			assert.match(
				(await server.messages(group[0].name)).at(-1)!,
				/^rolled_back Version 1\.2\.0 did not pass its trial/,
			);
		},
	},
	{
		name: "a file that the gateway refuses is an action that failed, with the cause",
		async run({ gateways: [, gateway], server }: RolloutBed) {
			const foreign = makeFile(makeSimulatorImage({ version: "1.3.0" }), {
				...OURS,
				version: "1.3.0",
				signer: newSigner(),
			});
			const id = await server.publish("1.3.0", foreign);
			await server.ask("POST", `targets/${gateway.name}/assignedDS`, { id, type: "forced" });
			await gateway.poll();
			const failed = async () => (await server.ask("GET", `targets/${gateway.name}`)).updateStatus === "error";
			await server.until(failed);
			assert.match((await server.messages(gateway.name)).at(-1)!, /^ota_bad_signature /);
			assert.equal(gateway.version, "1.1.0");
		},
	},
	{
		name: "an action is cancelled before it begins",
		async run({ gateways: [, , gateway], server }: RolloutBed) {
			const id = await server.publish("1.4.0", fileOf("1.4.0"));
			await server.ask("POST", `targets/${gateway.name}/assignedDS`, { id, type: "forced" });
			const { content } = await server.ask("GET", `targets/${gateway.name}/actions?limit=1&sort=id:DESC`);
			await server.ask("DELETE", `targets/${gateway.name}/actions/${content[0].id}`);
			await gateway.poll();
			const { status } = await server.ask("GET", `targets/${gateway.name}/actions/${content[0].id}`);
			assert.equal(status, "finished");
			assert.equal((await server.messages(gateway.name)).at(-1), "Cancelled before the installation.");
			assert.equal(gateway.version, "1.1.0");
		},
	},
];
