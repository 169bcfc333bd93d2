/** The history of a household with solar panels and gas, recorded by the gateway's own code, for tests of the page. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessGateway } from "../api/process-gateway.js";
import { type Readings, Unit } from "../history/unit.js";
import { Visit, type VisitOptions } from "./browser.js";

/** The gateway's time in the tests: a Sunday, 14:37 in Berlin. */
export const NOW = "2026-11-22T13:37:20Z";
export const ZONE = "Europe/Berlin";
const NOW_S = Date.parse(NOW) / 1000;
const QUARTER_S = 900;
const DAY_S = 86_400;
/** Before this time the meter was read once a day, at midnight. */
const OFTEN_FROM_S = NOW_S - 16 * DAY_S;
const FIRST_S = Date.parse("2024-12-31T23:00:00Z") / 1000;
/** Intervals without readings. */
const SILENT = [
	["2026-11-20T03:10:00Z", "2026-11-20T08:20:00Z"],
	["2026-08-11T12:00:00Z", "2026-08-15T12:00:00Z"],
].map((ends) => ends.map((end) => Date.parse(end) / 1000));
/** Time of the meter's exchange. */
export const EXCHANGE_S = Date.parse("2025-12-17T09:20:00Z") / 1000;

/** Wh and litres in the quarter hour that ends at this time; no two are the same. */
function flow(timeS: number): Required<Pick<Readings, "import" | "export" | "gas">> {
	const hour = ((timeS + 3600) / 3600) % 24;
	const season = Math.cos(((timeS / DAY_S - 20) / 365.25) * 2 * Math.PI);
	const sun = Math.max(0, Math.sin(((hour - 6) / 12) * Math.PI)) * (420 - 260 * season);
	const wobble = 1 + 0.35 * Math.sin(timeS / 7_777) + 0.2 * Math.sin(timeS / 1_313);
	const base = (55 + 30 * season + (hour > 6 && hour < 9 ? 130 : 0) + (hour > 17 && hour < 22 ? 210 : 0)) * wobble;
	const net = base - sun * (0.6 + 0.4 * Math.sin(timeS / 99_999));
	return {
		import: Math.round(Math.max(8, net)),
		export: Math.round(Math.max(0, -net)),
		gas: Math.round(Math.max(0, 22 + 24 * season) * wobble),
	};
}

interface Household {
	readonly unit: Unit;
	/** The last readings, Wh and litres. */
	readonly readings: Required<Pick<Readings, "import" | "export" | "gas">>;
}

let household: Household | undefined;

/** A unit whose history is filled up to NOW; each process makes it once. */
export function householdAtNow(): Household {
	household ??= fill();
	return household;
}

function fill(): Household {
	const unit = new Unit(ZONE);
	const readings = { import: 4_821_217, export: 2_954_060, gas: 1_204_500 };
	let serial = "1ESY1160012345";
	for (let timeS = FIRST_S; timeS <= NOW_S; timeS += QUARTER_S) {
		const more = flow(timeS);
		if (serial === "1ESY1160012345" && timeS >= EXCHANGE_S) {
			serial = SERIAL;
			Object.assign(readings, { import: 17, export: 2 });
		}
		readings.import += more.import;
		readings.export += more.export;
		readings.gas += more.gas;
		// Midnight in Berlin, as seconds of the UTC day in winter and in summer.
		const isDue = timeS >= OFTEN_FROM_S || timeS % DAY_S === 82_800 || timeS % DAY_S === 79_200;
		const isSilent = SILENT.some(([from, to]) => timeS > from && timeS < to);
		if (isDue && !isSilent) unit.read(timeS + 7, readings, { serial });
	}
	return { unit, readings };
}

/** The text with a plain space for each kind and number of spaces. */
export function plain(text: string | null): string {
	return (text ?? "").replace(/\s+/g, " ");
}

/** Visits the view of the use. */
export async function visitUse(gateway: ProcessGateway, options: VisitOptions = {}): Promise<Visit> {
	const visit = await (await Visit.begin(gateway, options)).logIn();
	await visit.go("use");
	return visit;
}

/** Number of the meter at NOW. */
export const SERIAL = "1ESY1160098765";

/** Puts the history into the gateway's flash and restarts the gateway, which must run with `--time NOW`. */
export async function giveHistory(
	gateway: ProcessGateway,
	unit: Pick<Unit, "partition"> = householdAtNow().unit,
): Promise<void> {
	await gateway.login();
	await gateway.write("system/timezone", { timezone: ZONE });
	const folder = join(gateway.stateFolder, "partitions");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "history.bin"), unit.partition.bytes);
	await gateway.restartAndLogin();
}
