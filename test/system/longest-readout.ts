/**
 * A gateway in XS that stores the longest capture as its last readout, for tests of the XS slots that other work takes
 * in addition.
 */
import assert from "node:assert/strict";
import type { HostInfo } from "../../modules/io/host.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";

/** Longer than any time-out of an idle connection, ms. */
export const REST_MS = 31_000;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

export class LongestReadout {
	readonly xs: XSWorld;

	private constructor(xs: XSWorld) {
		this.xs = xs;
	}

	/** Starts a gateway; `info` overrides properties of the unit. */
	static async start(info: Partial<HostInfo> = {}): Promise<LongestReadout> {
		const xs = await XSWorld.start({ info });
		xs.world.serial.meter.connect(new IECMeter({ source: () => splitTelegram(longest.telegram) }));
		xs.world.advance(61_000);
		await xs.advance(1);
		await xs.login();
		assert.equal((await xs.request("iec62056/read")).status, 200);
		return new LongestReadout(xs);
	}

	stop(): Promise<void> {
		return this.xs.stop();
	}
}
