/** A Zigbee network for a gateway under test: both coprocessors, with herdsman as the coordinator. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Air } from "../../tools/zigbee/air.js";
import { Coordinator, type CoordinatorEvent } from "../../tools/zigbee/coordinator.js";
import { NETWORK } from "../../tools/zigbee/coordinator-network.js";
import { SimulatedCoprocessor } from "../../tools/zigbee/coprocessor.js";
import { formedCoordinator } from "../../tools/zigbee/nvram.js";
import { serveTCP, type TCPPort } from "../../tools/zigbee/tcp-port.js";
import type { JSONObject, TestGateway } from "../api/gateway.js";

const COORDINATOR_IEEE = Buffer.from("010a0000004b1200", "hex");
export const NODE_IEEE = Buffer.from("020b0000004b1200", "hex");
/** The gateway's IEEE address, as herdsman and the API write it. */
export const NODE = "0x00124b0000000b02";
export const NODE_ADDRESS = "00124B0000000B02";
const LIMIT_MS = 20_000;
const STEP_MS = 40;

/** Waits until `look` returns something; `what` names it. */
export async function until<T>(
	look: () => T | undefined | Promise<T | undefined>,
	what: () => string,
	limitMs = LIMIT_MS,
): Promise<T> {
	for (const endMs = performance.now() + limitMs; ; await sleep(STEP_MS)) {
		const found = await look();
		if (found !== undefined) return found;
		if (performance.now() > endMs) throw new Error(`waited in vain: ${what()}`);
	}
}

/** Waits until the gateway's radio is in this state; returns zigbee/config. */
export function untilState(gateway: TestGateway, state: string): Promise<JSONObject> {
	let last: JSONObject;
	return until(
		async () => {
			last = await gateway.read("zigbee/config");
			return last.state === state ? last : undefined;
		},
		() => `${state}; ${JSON.stringify(last)}`,
	);
}

/** A coordinator at this port, with its events. */
export class WatchedCoordinator {
	readonly events: CoordinatorEvent[] = [];
	readonly coordinator: Coordinator;
	readonly #folder = mkdtempSync(join(tmpdir(), "coordinator-"));

	constructor(port: string) {
		const onEvent = (event: CoordinatorEvent) => void this.events.push(event);
		this.coordinator = new Coordinator({ port, folder: this.#folder, takesDuplicates: true, onEvent });
	}

	/** Takes the first matching event, now or later. */
	async take<Name extends CoordinatorEvent["event"]>(
		name: Name,
		condition: (event: Extract<CoordinatorEvent, { event: Name }>) => boolean = () => true,
		limitMs = LIMIT_MS,
	): Promise<Extract<CoordinatorEvent, { event: Name }>> {
		type Wanted = Extract<CoordinatorEvent, { event: Name }>;
		return until(
			() => {
				const index = this.events.findIndex((event) => event.event === name && condition(event as Wanted));
				return index < 0 ? undefined : (this.events.splice(index, 1)[0] as Wanted);
			},
			() => `${name} at the coordinator; ${JSON.stringify(this.events)}`,
			limitMs,
		);
	}

	async stop(): Promise<void> {
		await this.coordinator.stop().catch(() => {});
		rmSync(this.#folder, { recursive: true, force: true });
	}
}

export class ZigbeeNetwork {
	readonly air = new Air();
	readonly chip = new SimulatedCoprocessor({ air: this.air, ieee: NODE_IEEE });
	readonly #coordinatorChip = new SimulatedCoprocessor({
		air: this.air,
		ieee: COORDINATOR_IEEE,
		nv: formedCoordinator(COORDINATOR_IEEE, NETWORK),
	});
	#ports: TCPPort[] = [];
	#watched: WatchedCoordinator | undefined;

	async start(): Promise<void> {
		this.#ports = [await serveTCP(this.chip, 0), await serveTCP(this.#coordinatorChip, 0)];
		this.#watched = new WatchedCoordinator(`tcp://127.0.0.1:${this.#ports[1].port}`);
		await this.#watched.coordinator.start();
	}

	/** The path for `--zigbee`. */
	get path(): string {
		return `tcp://127.0.0.1:${this.port}`;
	}

	/** TCP port of the gateway's coprocessor. */
	get port(): number {
		return this.#ports[0].port;
	}

	/** Takes the power from the gateway's coprocessor, and gives it back. */
	cutPower(): void {
		this.chip.setLines(true, false);
		this.chip.setLines(false, false);
	}

	get watched(): WatchedCoordinator {
		return this.#watched!;
	}

	/** Disconnects the gateway's coprocessor until `plugIn`. */
	async pull(): Promise<void> {
		await this.#ports[0].close();
	}

	async plugIn(): Promise<void> {
		this.#ports[0] = await serveTCP(this.chip, this.#ports[0].port);
	}

	async stop(): Promise<void> {
		await this.#watched?.stop();
		for (const port of this.#ports) await port.close();
		this.chip.close();
		this.#coordinatorChip.close();
	}
}
