/**
 * A gateway in XS that stores the longest capture as its last readout, for tests of the XS slots that other work takes
 * in addition.
 */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { HostInfo } from "../../modules/io/host.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { splitTelegram } from "../../tools/meter/telegram.js";
import { iecVectors } from "../vectors.js";

/** Longer than any time-out of an idle connection, ms. */
export const REST_MS = 31_000;

const longest = iecVectors().reduce((a, b) => (a.telegram.length < b.telegram.length ? b : a));

export class LongestReadout {
	/** The gateway, from the first test on. */
	xs!: XSWorld;

	/** For a `describe`: starts a gateway for its tests; `info` overrides properties of the unit. */
	static use(info: Partial<HostInfo> = {}): LongestReadout {
		const bed = new LongestReadout();
		before(() => bed.#start(info));
		after(() => bed.xs.stop());
		return bed;
	}

	async #start(info: Partial<HostInfo>): Promise<void> {
		const xs = await XSWorld.start({ info });
		this.xs = xs;
		xs.world.serial.meter.connect(new IECMeter({ source: () => splitTelegram(longest.telegram) }));
		xs.world.advance(61_000);
		await xs.advance(1);
		await xs.login();
		assert.equal((await xs.request("iec62056/read")).status, 200);
	}

	/**
	 * Returns the slots that a reply takes whose client does not read it, and those of its connection. Then reads it, passes
	 * it to `check`, and asserts that all slots are released.
	 */
	async unread(
		path: string,
		check: (client: VirtualClient) => void | Promise<void>,
	): Promise<{ slots: number; connection: number }> {
		const { xs } = this;
		await xs.advance(REST_MS);
		const before = await xs.slots();
		const client = xs.world.connect();
		await xs.advance(100);
		const connected = await xs.slots();
		client.paused = true;
		xs.send(client, path);
		await xs.advance(500);
		const slots = (await xs.slots()) - connected;
		client.paused = false;
		await check(client);
		client.close();
		await xs.advance(REST_MS);
		assert.ok(Math.abs((await xs.slots()) - before) <= 2, `${await xs.slots()} after ${before}`);
		return { slots, connection: connected - before };
	}
}
