/**
 * The page's own modules without a browser, and the values that they show. They get the gateway's replies, and a clock
 * that agrees with virtual time. The display shows the same cards (display.tsx).
 */
import assert from "node:assert/strict";
import type * as Live from "../../hosts/browser/kit/live.js";
import type * as Power from "../../hosts/browser/kit/power.js";
import type * as Text from "../../hosts/browser/pages/readings-text.js";
import type { VirtualGateway } from "../api/virtual-gateway.js";
import type { Seen, Shown } from "./ways-out.js";

type Globals = Record<string, unknown>;

export class ShownPage {
	readonly #live: typeof Live;
	readonly #power: typeof Power;
	readonly #text: typeof Text;
	readonly #restore: () => void;

	private constructor(live: typeof Live, power: typeof Power, text: typeof Text, restore: () => void) {
		this.#live = live;
		this.#power = power;
		this.#text = text;
		this.#restore = restore;
	}

	static async open(gateway: VirtualGateway): Promise<ShownPage> {
		const storage = () => {
			const items = new Map<string, string>();
			return {
				getItem: (name: string) => items.get(name) ?? null,
				setItem: (name: string, value: string) => items.set(name, value),
				removeItem: (name: string) => items.delete(name),
			};
		};
		const { world } = gateway;
		const originMs = Date.now();
		const stand: Globals = {
			MARKS: "",
			LACKING: "",
			addEventListener: () => {},
			// A hidden page requests no events.
			document: {
				addEventListener: () => {},
				documentElement: { lang: "en" },
				getElementById: () => null,
				visibilityState: "hidden",
			},
			localStorage: storage(),
			sessionStorage: storage(),
			fetch: async (path: string) => {
				const { status, text } = await gateway.get(path);
				return new Response(text, { status });
			},
		};
		const globals = globalThis as Globals;
		const before = new Map(Object.keys(stand).map((name) => [name, Object.getOwnPropertyDescriptor(globals, name)]));
		for (const [name, value] of Object.entries(stand))
			Object.defineProperty(globals, name, { value, configurable: true, writable: true });
		const { now } = Date;
		Date.now = () => originMs + world.time.nowMs;
		const restore = () => {
			Date.now = now;
			for (const [name, descriptor] of before) {
				if (descriptor === undefined) delete globals[name];
				else Object.defineProperty(globals, name, descriptor);
			}
		};
		const session = await import("../../hosts/browser/kit/session.js");
		session.beginSession(gateway.token, 86_400 * 2);
		const live = await import("../../hosts/browser/kit/live.js");
		// Other tests of this process use the same modules.
		live.forgetSeen();
		return new ShownPage(
			live,
			await import("../../hosts/browser/kit/power.js"),
			await import("../../hosts/browser/pages/readings-text.js"),
			restore,
		);
	}

	close(): void {
		this.#restore();
	}

	/** The cards of power and counters. */
	async overview(): Promise<Seen> {
		await this.#live.refresh();
		const { power, readout } = this.#live;
		assert.ok(readout.value);
		const counters = this.#power.countersOf(readout.value.readings);
		const reading = counters.find(({ isExport, tariff }) => !isExport && tariff === 1)?.reading;
		const watts = power.value?.watts;
		return {
			power: watts === undefined ? null : watts,
			energy: reading && (this.#power.isKnown(reading) ? Number(reading.value1) * 1000 : null),
			...this.common(),
		};
	}

	/** The table of all values. */
	async readings(): Promise<Seen> {
		await this.#live.refresh();
		const lines = this.#text.linesOf(this.#live.readout.value?.readings ?? []);
		const of = (code: string): Shown => {
			const line = lines.find(({ reading }) => reading.obis_long === code);
			return line && numberIn(line.value);
		};
		return { power: of("1-0:1.7.0"), energy: of("1-0:1.8.1"), gas: of("0-1:24.2.1"), ...this.common() };
	}

	/** Shown above the values of both pages (LastReading in dashboard.tsx). */
	private common(): Seen {
		const { readout, sinceS, status } = this.#live;
		const { timestamp = 0 } = readout.value ?? {};
		const isDated = sinceS(timestamp) !== undefined;
		return { time: isDated ? timestamp : null, state: status.value?.meter_state === "ok" ? "ok" : "failed" };
	}
}

/** The shown number in thousandths. */
function numberIn(text: string): Shown {
	const [, digits] = /^([\d,.]+) \S+$/.exec(text) ?? [];
	return digits === undefined ? null : Number(digits.replaceAll(",", "")) * 1000;
}
