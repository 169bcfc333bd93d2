/**
 * Measures a fleet: all gateways start at once, a scheduled readout is due on all of them, a longer time passes at a
 * higher speed, and the broker restarts.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionEvent, ENDED, FAILED, OPEN, type Traffic } from "./connection-log.js";
import type { Fleet } from "./fleet.js";
import { costOf, type ProcessCost } from "./process-cost.js";
import type { Counts } from "./share.js";

export interface Server {
	readonly port: number;
	/** Undefined if its cost can't be measured. */
	readonly pid: number | undefined;
}

export interface RestartableBroker extends Server {
	end(): Promise<void>;
	begin(): Promise<void>;
}

export interface Plan {
	readonly fleet: Fleet;
	readonly broker: RestartableBroker;
	readonly server?: Server | undefined;
	/** Speed of the gateways' time; `slowSpeed` while all gateways do something at once. */
	readonly speed: number;
	readonly slowSpeed: number;
	/** Time of the gateways from the start until the scheduled readout is over. */
	readonly readoutMs: number;
	/** Time of the gateways at the higher speed. */
	readonly steadyMs: number;
	/** Time of the gateways without a broker. */
	readonly downMs: number;
	progress(text: string): void;
}

/** New connections after an event; times in seconds of the gateways' time. */
export interface Spread {
	readonly connections: number;
	readonly failed: number;
	readonly resumed: number;
	/** New connections in each second. */
	readonly perSecond: readonly number[];
	readonly mostInOneSecond: number;
	readonly lastS: number;
}

export interface Figures {
	readonly gateways: number;
	readonly start: Spread & { readonly brokerCPUMs: number; readonly bytes: number };
	/** Messages in each second around the scheduled readout. */
	readonly mostMessagesInOneSecond: number;
	readonly steady: {
		readonly ms: number;
		readonly messages: number;
		readonly sessions: number;
		readonly broker: ProcessCost & Traffic;
		readonly server: ProcessCost & Traffic;
		/** Durations of polls in real time, ms. */
		readonly pollsMs: readonly number[];
		readonly failedPolls: number;
		readonly simulation: ProcessCost;
		/** Speed of the gateways' time; lower than requested if the computer is too slow. */
		readonly speed: number;
	};
	readonly restart: Spread & { readonly brokerCPUMs: number };
	/** Memory of broker and server without gateways, bytes. */
	readonly idle: { readonly broker: number; readonly server: number };
	readonly faults: readonly string[];
}

/** Time within which all gateways must be connected, in their own time. */
const RETURN_LIMIT_MS = 120_000;
const LOOK_MS = 100;

export async function measure(plan: Plan): Promise<Figures> {
	const { broker, fleet, progress, server, slowSpeed, speed } = plan;
	const idle = { broker: costOf(broker.pid).memoryBytes, server: costOf(server?.pid).memoryBytes };
	const seen: ConnectionEvent[] = [];
	const counts = async (): Promise<Counts> => {
		const found = await fleet.counts();
		seen.push(...found.connections);
		return found;
	};
	const pass = (ms: number, atSpeed: number) => sleep(ms / atSpeed);
	const allConnected = async (): Promise<Counts> => {
		const { virtualMs } = await counts();
		for (;;) {
			await pass(LOOK_MS, slowSpeed);
			const now = await counts();
			if (now.connected === fleet.size) return now;
			const text = `${now.connected} of ${fleet.size} are connected: ${now.faults.slice(0, 3).join(" ")}`;
			assert.ok(now.virtualMs - virtualMs < RETURN_LIMIT_MS, text);
		}
	};
	const spread = (fromMs: number) => spreadOf(seen.splice(0), broker.port, fromMs);

	progress(`${fleet.size} gateways start …`);
	let before = costOf(broker.pid);
	await fleet.pace(slowSpeed);
	const started = await allConnected();
	const { received, sent } = trafficOf(started, broker);
	const start = {
		...spread(0),
		brokerCPUMs: costOf(broker.pid).cpuMs - before.cpuMs,
		bytes: received + sent,
	};

	progress("A readout is due …");
	const readout: number[] = [];
	for (let now = started; now.virtualMs < plan.readoutMs; now = await counts()) {
		await pass(1000, slowSpeed);
		readout.push(...now.perSecond);
	}
	readout.push(...(await counts()).perSecond);

	progress("Time passes …");
	await fleet.pace(speed);
	seen.length = 0;
	const first = { counts: await counts(), broker: costOf(broker.pid), server: costOf(server?.pid) };
	const firstMs = performance.now();
	const endMs = first.counts.virtualMs + plan.steadyMs;
	for (let now = first.counts; now.virtualMs < endMs; now = await counts())
		await sleep(Math.min(1000, (endMs - now.virtualMs) / speed + 1));
	const last = { counts: await counts(), broker: costOf(broker.pid), server: costOf(server?.pid) };
	const tookMs = performance.now() - firstMs;
	const polls = server === undefined ? [] : seen.filter(({ port }) => port === server.port);
	const steady = {
		ms: last.counts.virtualMs - first.counts.virtualMs,
		messages: last.counts.published - first.counts.published,
		sessions: last.counts.sessions - first.counts.sessions,
		broker: { ...growth(first.broker, last.broker), ...passed(first.counts, last.counts, broker) },
		server: { ...growth(first.server, last.server), ...passed(first.counts, last.counts, server) },
		pollsMs: polls.filter(({ what }) => what === ENDED).map(({ sinceMs }) => sinceMs),
		failedPolls: polls.filter(({ what }) => what === FAILED).length,
		simulation: { cpuMs: last.counts.cpuMs - first.counts.cpuMs, memoryBytes: last.counts.memoryBytes },
		speed: (last.counts.virtualMs - first.counts.virtualMs) / tookMs,
	};

	progress("The broker restarts …");
	await fleet.pace(slowSpeed);
	await allConnected();
	await broker.end();
	await pass(plan.downMs, slowSpeed);
	await broker.begin();
	before = costOf(broker.pid);
	const { virtualMs } = await counts();
	seen.length = 0;
	const { faults } = await allConnected();
	const restart = { ...spread(virtualMs), brokerCPUMs: costOf(broker.pid).cpuMs - before.cpuMs };
	const mostMessagesInOneSecond = Math.max(0, ...readout);
	return { gateways: fleet.size, start, mostMessagesInOneSecond, steady, restart, idle, faults };
}

/** Counts the connections to a port after `fromMs`. */
export function spreadOf(events: readonly ConnectionEvent[], port: number, fromMs: number): Spread {
	const ours = events.filter((event) => event.port === port);
	const open = ours.filter(({ what }) => what === OPEN);
	const times = open.map(({ atMs }) => (atMs - fromMs) / 1000).sort((a, b) => a - b);
	const lastS = times.at(-1) ?? 0;
	const perSecond = new Array<number>(Math.max(0, Math.floor(lastS) + 1)).fill(0);
	for (const time of times) perSecond[Math.max(0, Math.floor(time))]++;
	// The busiest second may begin at any fraction of a second.
	let mostInOneSecond = 0;
	for (let i = 0, from = 0; i < times.length; i++) {
		while (times[i] - times[from] >= 1) from++;
		mostInOneSecond = Math.max(mostInOneSecond, i - from + 1);
	}
	return {
		connections: open.length,
		failed: ours.filter(({ what }) => what === FAILED).length,
		resumed: open.filter(({ isResumed }) => isResumed).length,
		perSecond,
		mostInOneSecond,
		lastS,
	};
}

function growth(first: ProcessCost, last: ProcessCost): ProcessCost {
	return { cpuMs: last.cpuMs - first.cpuMs, memoryBytes: last.memoryBytes };
}

function trafficOf({ traffic }: Counts, server: Server | undefined): Traffic {
	return traffic.find(([port]) => port === server?.port)?.[1] ?? { sent: 0, received: 0 };
}

function passed(first: Counts, last: Counts, server: Server | undefined): Traffic {
	const [from, to] = [trafficOf(first, server), trafficOf(last, server)];
	return { sent: to.sent - from.sent, received: to.received - from.received };
}

export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
