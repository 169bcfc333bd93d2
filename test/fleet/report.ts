/** The figures of a fleet as a table of Markdown. */
import { type Figures, quantile, type Spread } from "./measure.js";

const DAY_MS = 86_400_000;
const KB = 1000;

export function reportOf({ gateways, ...figures }: Figures): string {
	const { idle, restart, start, steady } = figures;
	const days = steady.ms / DAY_MS;
	const perDay = (value: number) => value / gateways / days;
	const kilobytes = (bytes: number) => `${(bytes / KB).toFixed(1)} KB`;
	const memory = (withAll: number, alone: number) =>
		`${(withAll / 1e6).toFixed(1)} MB, ${kilobytes((withAll - alone) / gateways)} for each gateway`;
	const ms = (value: number) => `${value.toFixed(2)} ms`;
	const polls = steady.pollsMs.length;
	const rows: (readonly [string, string])[] = [
		["gateways", String(gateways)],
		["all gateways start at once", spreadText(start)],
		["… processor time of the broker for each gateway", ms(start.brokerCPUMs / gateways)],
		["… traffic of each gateway, with announcement", kilobytes(start.bytes / gateways)],
		["messages in the busiest second of a scheduled readout", String(figures.mostMessagesInOneSecond)],
		["simulated time", `${(steady.ms / 60_000).toFixed(0)} minutes`],
		["messages for each gateway and day", perDay(steady.messages).toFixed(0)],
		["sessions for each gateway and day", perDay(steady.sessions).toFixed(0)],
		["MQTT traffic for each gateway and day, sent and received", traffic(steady.broker)],
		["processor time of the broker for each gateway and day", ms(perDay(steady.broker.cpuMs))],
		["memory of the broker", memory(steady.broker.memoryBytes, idle.broker)],
	];
	if (polls > 0) {
		rows.push(
			["polls of hawkBit", `${polls}; ${steady.failedPolls} failed`],
			["… duration", `median ${ms(quantile(steady.pollsMs, 0.5))}, 95 % below ${ms(quantile(steady.pollsMs, 0.95))}`],
			["… traffic of each, sent and received", traffic(steady.server, polls)],
			["… processor time of the server for each", ms(steady.server.cpuMs / polls)],
			["memory of hawkBit", memory(steady.server.memoryBytes, idle.server)],
		);
	}
	rows.push(
		["restart of the broker", spreadText(restart)],
		["… processor time of the broker for each gateway", ms(restart.brokerCPUMs / gateways)],
		["simulation: processor time for each gateway and day", ms(perDay(steady.simulation.cpuMs))],
		["simulation: memory", memory(steady.simulation.memoryBytes, 0)],
		["simulation: speed", steady.speed.toFixed(1)],
	);
	const table = [["what", "figure"], ["---", "---"], ...rows].map((cells) => `| ${cells.join(" | ")} |`);
	const faults = figures.faults.slice(0, 10);
	return `${[...table, "", "reconnections in each second after the restart of the broker:", ...histogram(restart), ...faults].join("\n")}\n`;

	function traffic({ sent, received }: { readonly sent: number; readonly received: number }, count?: number): string {
		const each = (bytes: number) => kilobytes(count === undefined ? perDay(bytes) : bytes / count);
		return `${each(sent)} and ${each(received)}`;
	}
}

function spreadText({ connections, failed, lastS, mostInOneSecond, resumed }: Spread): string {
	const more = [`${failed} failed`, `${resumed} with a resumed TLS session`].join(", ");
	return `${connections} connections in ${lastS.toFixed(1)} s, at most ${mostInOneSecond} in one second; ${more}`;
}

function histogram({ perSecond }: Spread): string[] {
	const most = Math.max(1, ...perSecond);
	return perSecond.map((count, second) => {
		const bar = "#".repeat(Math.ceil((50 * count) / most));
		return `${String(second).padStart(4)} s ${String(count).padStart(5)} ${bar}`;
	});
}
