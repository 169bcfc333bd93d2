/**
 * Operations of mode "everything": changes of the settings of each part at the moments that cost most, steps of the
 * clock, and losses of all that the gateway talks to.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "../../hosts/node/random.js";
import { START_WATCHDOG } from "../../tools/zigbee/coprocessor.js";
import type { ProcessGateway } from "../api/process-gateway.js";
import { CLIENT } from "../live-meter/dialect-clients.js";
import { LoadClient } from "./load-client.js";
import type { Operations } from "./load-operations.js";
import type { LoadPeers } from "./load-peers.js";
import type { ZigbeeNetwork } from "./zigbee-network.js";

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** Steps of the clock, seconds. */
const STEPS_S = [0, 0, 0, 10, -10, HOUR_S, -HOUR_S, DAY_S, 40 * DAY_S, -40 * DAY_S, 365 * DAY_S];
const PROTOCOLS = ["iec62056", "dlms", "sml", "tic", "kmp", "mbus", "amis"];
const TOPICS = ["json", "values", "both"];
const ZONES = ["Europe/Berlin", "Europe/Warsaw", "America/Argentina/Buenos_Aires", "UTC"];
/** Time until the next message to the broker, at most, ms. */
const MESSAGE_MS = 3000;
/** Length of a loss, ms. */
const SHORTEST_LOSS_MS = 3000;
const LONGEST_LOSS_MS = 30_000;
/** Time for which something is off or wrong, at most, ms. */
const CHANGE_MS = 3000;
const OTHER_NETWORKS = "elsewhere -70 1\n";
const JOIN_SECS = 120;

/** Losses for a time: only one thing is away at once. */
export class Losses {
	count = 0;
	#running: Promise<void> | undefined;

	/** Takes something away for this time; does nothing while something else is away. */
	begin(take: () => unknown, give: () => unknown, ms: number): void {
		if (this.#running !== undefined) return;
		this.count++;
		this.#running = (async () => {
			await take();
			await sleep(ms);
			await give();
		})().finally(() => {
			this.#running = undefined;
		});
	}

	/** Resolves when nothing is lost. */
	async over(): Promise<void> {
		await this.#running;
	}
}

export interface ChangeDeps {
	readonly gateway: ProcessGateway;
	readonly random: SeededRandom;
	readonly peers: LoadPeers;
	readonly network: ZigbeeNetwork;
	readonly losses: Losses;
	/** Body of `GET system/backup`, with all parts on. */
	readonly backup: string;
	/** Protocol of the present meter. */
	protocol(): string;
	/** Connects the present meter again. */
	connectMeter(): Promise<void>;
}

export function changeOperations(deps: ChangeDeps): Operations {
	const { gateway, random, peers, network, losses } = deps;
	const client = new LoadClient(gateway);
	const { coordinator } = network.watched;
	const { settings, ...file } = JSON.parse(deps.backup);
	const pick = <Value>(values: readonly Value[]): Value => values[random.below(values.length)];
	const post = (path: string, body?: object) => {
		const request = { secure: true, method: "POST", path } as const;
		return client.whole(body === undefined ? request : { ...request, body: JSON.stringify(body) });
	};
	/** Sends a setting, and soon another one. */
	const change = async (path: string, body: object, after: () => object) => {
		await post(path, body);
		await sleep(random.below(CHANGE_MS));
		return post(path, after());
	};
	const lose = (take: () => unknown, give: () => unknown) => async () => {
		losses.begin(take, give, SHORTEST_LOSS_MS + random.below(LONGEST_LOSS_MS - SHORTEST_LOSS_MS));
		return 0;
	};
	const liveValues = () => ({
		...{ ecotracker: !random.oneIn(4), homewizard: !random.oneIn(4), sunspec: !random.oneIn(4) },
		...{ em24: !random.oneIn(4), ct002: random.oneIn(2) },
		...{ shelly: !random.oneIn(4), sma: random.oneIn(4), inverted: random.oneIn(4), offset_w: random.below(100) },
	});
	const join = async () => {
		await coordinator.permitJoin(JOIN_SECS).catch(() => {});
		return post("zigbee/reset");
	};
	return {
		"MQTT, between messages": async () => {
			await peers.nextMessage(MESSAGE_MS);
			return post("mqtt", { topics: pick(TOPICS) });
		},
		"MQTT, off and on": () => change("mqtt", { enabled: false }, () => ({ enabled: true })),
		"hub, off and on": () =>
			change("hub", { enabled: false, lang: pick(["en", "de", "pl"]) }, () => ({ enabled: true })),
		"live values, changed": () => post("live-meter", liveValues()),
		"live clients": () =>
			post("live-meter/clients", { clients: [{ address: CLIENT, share_percent: random.below(101) }] }),
		"whole backup": () => {
			const changes = {
				mqtt: { ...settings.mqtt, topics: pick(TOPICS) },
				"live-meter": { ...settings["live-meter"], ...liveValues() },
				"zigbee/config": { enabled: !random.oneIn(3) },
			};
			return post("system/backup", { ...file, settings: { ...settings, ...changes } });
		},
		"clock, set": () => post("system/clock", { timestamp: Math.floor(Date.now() / 1000) + pick(STEPS_S) }),
		"time zone, set": () => post("system/timezone", { timezone: pick(ZONES) }),
		schedule: () => post("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: pick([1, 1, 5]) }),
		peaks: () => post("peaks", { interval_mins: pick([0, 15, 60]), count: 1 + random.below(3) }),
		backfill: () => post("meter/backfill", { enabled: !random.oneIn(3) }),
		"polled objects": () => {
			const code = (i: number) => [1, 0, i === 0 ? 16 : 1 + random.below(8), i === 0 ? 7 : 8, i, 255];
			const entries = Array.from({ length: random.below(33) }, (_, i) => ({
				code: code(i),
				class_id: 3,
				attribute: 2,
			}));
			return post("dlms/obis", { entries });
		},
		"meter protocol, and back": () => {
			return change("meter/protocol", { protocol: pick(PROTOCOLS) }, () => ({ protocol: deps.protocol() }));
		},
		"Zigbee map": () => {
			const mapping = [{ obis: "1-0:1.8.0", mode: 0, mapping_id: "07020000" }];
			return post("zigbee/map", { mapping: random.oneIn(3) ? mapping : [] });
		},
		join,
		"removed, and joined again": async () => {
			if (random.oneIn(3)) await coordinator.removeAll().catch(() => {});
			await sleep(random.below(4000));
			return join();
		},
		"radio restarts": async () => {
			network.chip.restart(START_WATCHDOG);
			return 0;
		},
		"radio lost": lose(
			() => network.pull(),
			() => network.plugIn(),
		),
		"network lost": lose(
			() => gateway.setAir(OTHER_NETWORKS),
			() => gateway.setAir(""),
		),
		"hub lost": lose(
			() => peers.leave("hub"),
			() => peers.comeBack("hub"),
		),
		"broker lost": lose(
			() => peers.leave("broker"),
			() => peers.comeBack("broker"),
		),
		"meter lost": lose(
			() => gateway.connectMeter(undefined),
			() => deps.connectMeter(),
		),
	};
}
