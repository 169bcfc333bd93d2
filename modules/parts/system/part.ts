/** Status, log, metrics, backup, diagnostic report and restart of the device. */

import { route } from "../../api/route.js";
import { SCOPE_READ } from "../../auth/scope.js";
import type { Core } from "../../core/core.js";
import type { Facts } from "../../core/facts.js";
import { head, label, sample } from "../../core/metrics-text.js";
import { METHOD_GET, METHOD_POST } from "../../http/request.js";
import { part } from "../../part/part.js";
import { WITHOUT } from "../../product/without.js";
import { localText, utcText } from "../../time/iso.js";
import { getBackup } from "./backup.js";
import { getDiagnostic } from "./diagnostic.js";
import { getEventLog } from "./event-log.js";
import { getEvents } from "./event-stream.js";
import { getMetrics } from "./metrics.js";
import { postBackup } from "./restore.js";
import { getStatus, postFactoryReset, postReboot, System } from "./status.js";

export const SYSTEM = part<System>({
	name: "system",
	routes: Object.freeze([
		route(METHOD_GET, "system/status", getStatus, { scope: SCOPE_READ }),
		route(METHOD_POST, "system/reboot", postReboot),
		route(METHOD_POST, "system/factory_reset", postFactoryReset),
		route(METHOD_GET, "system/diagnostic", getDiagnostic),
		route(METHOD_GET, "system/log", getEventLog),
		route(METHOD_GET, "system/backup", getBackup),
		route(METHOD_POST, "system/backup", postBackup, { body: undefined }),
		route(METHOD_GET, "metrics", getMetrics, { scope: SCOPE_READ }),
		route(METHOD_GET, "events", getEvents, { scope: SCOPE_READ, waits: true }),
	]),
	open: (_, parts) => new System(parts),
	status,
	metrics,
	report,
});

function status(_: System, { config, host, storage, safeMode }: Core): Facts {
	const dataState = config.damaged.length > 0 ? "damaged" : "ok";
	const facts: (string | boolean)[] = ["storage_state", storage.isRefusing ? "refused" : dataState];
	if (WITHOUT !== "") facts.push("without", WITHOUT);
	if (host.ending?.isLowVoltage) facts.push("low_voltage", true);
	return safeMode === "" ? facts : [...facts, "safe_mode", safeMode];
}

function metrics(_: System, { host, info, clock, events, storage, startedMs }: Core): string {
	const { ending, memory } = host;
	const { firmwareVersion: version, model, serial } = info;
	const free = memory?.free?.();
	const labels = `{${label("version", version)},${label("model", model)},${label("serial", serial)}}`;
	let text = sample("gateway_info", "What it is.", 1, labels);
	const uptimeS = Math.floor((clock.monotonicMs() - startedMs) / 1000);
	text += sample("gateway_uptime_seconds", "Since the start.", uptimeS);
	text += sample(
		"gateway_start_info",
		"Cause of the last start.",
		ending && 1,
		`{${label("cause", ending?.cause ?? "")}}`,
	);
	text += head(
		"gateway_restarts_total",
		"Starts, including this one, by the cause that ended the previous run; counts from 1 again when the event log no longer has the cause.",
	);
	for (const [cause, count] of events.starts) {
		text += `gateway_restarts_total{${label("cause", cause || "unknown")}} ${count}\n`;
	}
	text += sample("gateway_flash_refusing", "1 since flash has refused a write.", storage.isRefusing ? 1 : 0);
	text += sample("gateway_clock_valid", "1 when the clock is set.", clock.utcMs() === undefined ? 0 : 1);
	text += sample("gateway_free_slots", "Free slots of the script engine, before a collection.", free?.slots);
	text += sample(
		"gateway_free_chunk_bytes",
		"Free chunk memory of the script engine, before a collection.",
		free?.chunkBytes,
	);
	text += sample("gateway_free_heap_bytes", "Free heap outside of the script engine.", free?.heapBytes);
	text += sample("gateway_least_free_heap_bytes", "Least free heap since the start.", free?.leastHeapBytes);
	return text + stackMetrics(memory?.stacks?.() ?? "");
}

/** Converts the lines of Memory.stacks to metrics. */
function stackMetrics(stacks: string): string {
	if (stacks === "") return "";
	let text = head("gateway_least_free_stack_bytes", "Least free stack of each task since the start.");
	for (const line of stacks.trim().split("\n")) {
		const words = line.split(" ");
		const bytes = words.pop();
		text += `gateway_least_free_stack_bytes{${label("task", words.join(" "))}} ${bytes}\n`;
	}
	return text;
}

function report(_: System, core: Core, section: string): string {
	const { clock, host, info, safeMode, text, zone } = core;
	if (section === "report") {
		const utcMs = clock.utcMs();
		const now = utcMs === undefined ? "not known" : localText(utcMs, zone.offsetMinutes(utcMs), text);
		return `time: ${now}\nuptime_s: ${Math.floor((clock.monotonicMs() - core.startedMs) / 1000)}`;
	}
	if (section === "device") {
		const { board, chip, model, deviceId, firmwareVersion, builtUtcMs, serial } = info;
		const built = utcText(builtUtcMs, text);
		const lines = `firmware: ${firmwareVersion}, built ${built}\nboard: ${board}, ${chip}, ${model}, device_id ${deviceId}\nserial: ${serial}`;
		return WITHOUT === "" ? lines : `${lines}\nwithout: ${WITHOUT}`;
	}
	if (section !== "start") return "";
	return `cause: ${host.ending?.cause}\nfault: ${host.ending?.isFault}\nsafe_mode: ${safeMode}`;
}
