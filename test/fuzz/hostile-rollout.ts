/**
 * A hostile hawkBit server: it goes back in version, deploys the same version twice, changes its mind between poll and
 * download, names wrong lengths, breaks off, redirects, and refuses feedbacks. Only firmware that an upload may install
 * runs, the slots are not erased in a loop, a reported success is true, and an honest server's deployment is installed.
 */
import assert from "node:assert/strict";
import { makeSimulatorImage } from "../../hosts/node/simulator-image.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { FIRMWARE_CONFIRMED } from "../../modules/io/flash.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { checkFaults } from "../faults.js";
import {
	type Answer,
	CERTIFICATE,
	CONTROLLER,
	type DDIRequest,
	DDIServer,
	HOST,
	TOKEN,
} from "../hawkbit/ddi-server.js";
import { makeFile, makeSlots, newSigner } from "../update/firmware-files.js";
import { oddReply } from "./hostile-hub.js";
import { makeHostile } from "./hostile-link.js";
import type { Mutator } from "./mutator.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longest pause between two polls with its random part, and the pause after the fifth failed download. */
const HEAL_LIMIT_MS = 31 * HOUR_MS;
const PANIC = Object.freeze({ cause: "panic", isFault: true });
/** Failed downloads until the pause between two of them is an hour, and the next one. */
const FIRST_DOWNLOADS = 6;
const LEVEL = 1;
/** Version of the unit's first firmware. */
const FIRST = "0.0.0";
const SIZE = 20_000;

function fileOf(version: string, own: Parameters<typeof makeFile>[1] = {}): Uint8Array {
	const firmware = { version, securityLevel: LEVEL, ...own };
	return makeFile(makeSimulatorImage({ ...firmware, size: SIZE }), firmware);
}

/** Files that may be installed, by version. */
const GOOD: ReadonlyMap<string, Uint8Array> = new Map(
	["0.5.0", "1.0.0", "1.0.1", "2.0.0"].map((version) => [version, fileOf(version)] as const),
);
const BAD: readonly Uint8Array[] = [
	fileOf("9.0.0", { signer: newSigner() }),
	fileOf("8.0.0", { deviceId: 2 }),
	fileOf("7.0.0", { securityLevel: 0 }),
	Buffer.from("<html>".repeat(200)),
	new Uint8Array(0),
];
const SLEEPS: readonly string[] = ["00:00:00", "00:00:01", "00:05:00", "72:00:00", "9".repeat(99), "::", "-1:00:00"];
const STATUSES = [200, 204, 301, 400, 401, 403, 404, 409, 410, 429, 500, 503];

export class HostileRollout {
	readonly #gateway: VirtualGateway;
	readonly #server = new DDIServer();
	readonly #slots: VirtualSlots;
	#hasRestarted = false;
	#restarts = 0;
	#actions = 1000;

	private constructor(seed: number) {
		this.#slots = makeSlots({ securityLevel: LEVEL });
		const options = { utcMs: START_UTC_MS, slots: this.#slots, radio: false, seed };
		const gateway = new VirtualGateway("client", options);
		this.#gateway = gateway;
		gateway.onWorld = (world) => this.#server.serve(world);
		this.#server.serve(gateway.world);
		this.#watchRestart();
	}

	static async start(seed: number, mutator: Mutator): Promise<HostileRollout> {
		const rollout = new HostileRollout(seed);
		const gateway = rollout.#gateway;
		await gateway.login();
		const cert = Buffer.from(CERTIFICATE.certificate).toString();
		const url = `https://${HOST}/fleet`;
		await gateway.write("hawkbit", { enabled: true, url, controller_id: "gateway-1", token: TOKEN, cert });
		await rollout.#checkGood(mutator);
		return rollout;
	}

	stop(): Promise<void> {
		return this.#gateway.stop();
	}

	async run(mutator: Mutator): Promise<void> {
		const { random } = mutator;
		const server = this.#server;
		const erases = this.#erases;
		const restarts = this.#restarts;
		const isLinkHostile = random.oneIn(2);
		server.onConnection = (peer) => {
			if (isLinkHostile) makeHostile(peer, this.#gateway.world.time, mutator, oddReply);
		};
		server.answer = (request) => this.#answer(request, mutator);
		let passedMs = 0;
		for (let steps = 1 + random.below(40); steps > 0; steps--) {
			const ms = random.below(random.oneIn(6) ? HOUR_MS : 2 * MINUTE_MS);
			await this.#pass(ms);
			passedMs += ms;
			if (random.oneIn(30)) await this.#restart();
		}
		// Each of the two slots has a first sector. A restart forgets earlier failures.
		const limit = FIRST_DOWNLOADS * (1 + this.#restarts - restarts) + passedMs / HOUR_MS;
		assert.ok(this.#erases - erases <= limit, `${this.#erases - erases} erasures, ${limit} at most`);
		await this.#checkGood(mutator);
		server.requests.length = server.polls.length = 0;
	}

	/** Number of times that the first sectors of both slots were erased. */
	get #erases(): number {
		return ["slot_0", "slot_1"].reduce((sum, name) => sum + this.#slots.flash.open(name)!.erases[0], 0);
	}

	async #pass(ms: number): Promise<void> {
		const { time } = this.#gateway.world;
		time.runWhile(() => !this.#hasRestarted, time.nowMs + ms);
		if (this.#hasRestarted) await this.#gateway.rebooted();
		if (this.#hasRestarted) this.#watchRestart();
		const { firmwareVersion } = this.#gateway.world.info;
		assert.ok(firmwareVersion === FIRST || GOOD.has(firmwareVersion), `${firmwareVersion} runs`);
		checkFaults();
	}

	async #restart(): Promise<void> {
		await this.#gateway.restart(undefined, PANIC);
		this.#watchRestart();
	}

	#watchRestart(): void {
		const { world } = this.#gateway;
		const { onRestart } = world;
		this.#hasRestarted = false;
		this.#restarts++;
		world.onRestart = () => {
			this.#hasRestarted = true;
			onRestart?.();
		};
	}

	#answer(request: DDIRequest, mutator: Mutator): Answer | undefined {
		const { random } = mutator;
		const { body, path } = request;
		const server = this.#server;
		if (path.includes("deploymentBase") && path.endsWith("/feedback")) this.#checkFeedback(body);
		if (random.oneIn(3)) return undefined;
		if (path === CONTROLLER) this.#changeMind(mutator);
		if (random.oneIn(8))
			return { status: mutator.pick(STATUSES), body: "{}", headers: ["Location: https://x.example/y"] };
		if (random.oneIn(20)) return { isSilent: true };
		if (random.oneIn(20))
			return { body: oddReply(mutator), isEndless: random.oneIn(2), perSecond: 1 + random.below(9000) };
		if (path.includes("/artifacts/")) return this.#file(mutator);
		const { deployment } = server;
		if (!path.includes("deploymentBase") || path.endsWith("/feedback") || deployment === undefined) return undefined;
		const text = server.document(random.oneIn(6) ? { ...deployment, id: `${random.below(4)}` } : deployment);
		const document = Buffer.from(text);
		return random.oneIn(4) ? { body: mutator.mutate(document, document) } : { body: document };
	}

	#changeMind(mutator: Mutator): void {
		const { random } = mutator;
		const server = this.#server;
		server.wantsAttributes = random.oneIn(4);
		server.sleep = mutator.pick(SLEEPS);
		const id = `${random.oneIn(3) ? ++this.#actions : random.below(4)}`;
		if (random.oneIn(6)) server.cancelId = server.deployment?.id ?? id;
		if (random.oneIn(2)) return;
		const name = mutator.pick(["gateway.ota", "gateway.ota", "virtual.ota", "x.bin", "\u{1f600}.ota", ".ota"]);
		const update = mutator.pick(["forced", "forced", "attempt", "skip", ""]);
		server.deployment = { id, files: { [name]: this.#anyFile(mutator) }, update };
	}

	#file(mutator: Mutator): Answer | undefined {
		const { random } = mutator;
		const body = this.#anyFile(mutator);
		switch (random.below(6)) {
			case 0:
				return { body, breaksAt: random.below(body.length + 1) };
			case 1:
				return { status: 206, body: body.subarray(random.below(body.length + 1)) };
			case 2:
				return { body, headers: [`Content-Length: ${random.below(100_000)}`] };
			case 3:
				return { body, perSecond: 100 + random.below(5000), isEndless: random.oneIn(2) };
			case 4:
				return undefined;
			default:
				return { body };
		}
	}

	#anyFile(mutator: Mutator): Uint8Array {
		const { random } = mutator;
		const good = mutator.pick([...GOOD.values()]);
		if (random.oneIn(4)) return mutator.mutate(good, mutator.pick(BAD));
		return random.oneIn(4) ? mutator.pick(BAD) : good;
	}

	#checkFeedback(body: string): void {
		const { status } = JSON.parse(body);
		if (status.execution !== "closed" || status.result.finished !== "success") return;
		const { info, update } = this.#gateway.world;
		assert.equal(status.details.join(), `Version ${info.firmwareVersion} runs and is confirmed.`);
		assert.equal(update!.state, FIRMWARE_CONFIRMED);
	}

	/** A deployment of an honest server is installed, also of an older version or of the same one. */
	async #checkGood(mutator: Mutator): Promise<void> {
		const server = this.#server;
		const id = `${++this.#actions}`;
		const [version, file] = mutator.pick([...GOOD]);
		server.onConnection = server.answer = undefined;
		server.cancelId = "";
		server.sleep = "00:05:00";
		server.deployment = { id, files: { "gateway.ota": file } };
		server.feedbacks.length = 0;
		const result = `${id} success: Version ${version} runs and is confirmed.`;
		for (let ms = 0; !server.results.includes(result); ms += MINUTE_MS) {
			assert.ok(ms < HEAL_LIMIT_MS, `${version} is not installed: ${server.results.join()}`);
			await this.#pass(MINUTE_MS);
		}
		assert.equal(this.#gateway.world.info.firmwareVersion, version);
	}
}
