/** Several batteries that regulate by one meter, with and without shares: the table in docs/live-values.md. */
import assert from "node:assert/strict";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { addressOf, regulate } from "./house.js";

const EVERY_MS = 1000;
/** Batteries, by how often they ask; the titles contain these words. */
const QUICK = { askMs: 1000, delayMs: 200, slope: 1000 };
const HASTY = { askMs: 300, delayMs: 500, slope: 400 };
const BATTERIES = { "each second": QUICK, "each 300 ms": HASTY } as const;
/** Smallest expected swing of 1, 2 and 3 batteries without shares, W peak to peak. */
const SWINGS = { "each second": [0, 80, 5000], "each 300 ms": [1500, 3000, 4000] } as const;
/** Largest permitted swing, and largest remaining power, with shares, W. */
const QUIET_W = 60;
/** Times before and after the step of the load, and the measured last part of the time after it, s. */
const BEFORE = 12;
const AFTER = 35;
const MEASURED = 20;

describe("Batteries that regulate by one meter", () => {
	let gateway: VirtualGateway;

	beforeEach(async () => {
		gateway = await VirtualGateway.loggedIn();
		await gateway.write("iec62056/config", { mode_d_enabled: true, mode_d_baudrate: 115_200 });
		await gateway.write("live-meter", { shelly: true });
	});
	afterEach(() => gateway.stop());

	/** Allows batteries with these shares, per cent; 0 for none. */
	const allow = (shares: readonly number[]) =>
		gateway.write("live-meter/clients", {
			clients: shares.map((share, i) => ({
				address: addressOf(i),
				...(share === 0 ? {} : { share_percent: share }),
			})),
		});
	/** Returns swing and mean absolute value of the power at the meter after a step of the load, in whole W. */
	const swingOf = async (shares: readonly number[], everyMs: number, { askMs, ...battery }: typeof QUICK) => {
		await allow(shares);
		const pass = regulate({ gateway, everyMs, askMs: shares.map(() => askMs), ...battery });
		await pass(250, BEFORE);
		await pass(600, AFTER - MEASURED);
		const powers = await pass(600, MEASURED);
		const left = powers.reduce((sum, watts) => sum + Math.abs(watts), 0) / powers.length;
		return [Math.max(...powers) - Math.min(...powers), left].map(Math.round);
	};
	const equal = (count: number) => new Array<number>(count).fill(Math.floor(100 / count));

	for (const [often, battery] of Object.entries(BATTERIES)) {
		for (const [index, least] of SWINGS[often as keyof typeof SWINGS].entries()) {
			const count = index + 1;
			it(`swing if ${count} ask ${often} and each gets the whole power`, async function () {
				const [swing] = await swingOf(new Array<number>(count).fill(0), EVERY_MS, battery);
				this.test!.title += ` (${swing} W)`;
				assert.ok(swing >= least, `${swing} W`);
			});
			it(`are quiet if ${count} ask ${often} and have equal shares`, async function () {
				const [swing, left] = await swingOf(equal(count), EVERY_MS, battery);
				this.test!.title += ` (${swing} W, ${left} W left)`;
				assert.ok(swing <= QUIET_W && left <= QUIET_W, `${swing} W, ${left} W left`);
			});
		}
	}

	it("are quiet with a value every 4 s", async function () {
		const [swing, left] = await swingOf(equal(3), 4000, HASTY);
		this.test!.title += ` (${swing} W, ${left} W left)`;
		assert.ok(swing <= QUIET_W && left <= QUIET_W, `${swing} W, ${left} W left`);
	});

	it("reach zero with unequal shares, and if one of them does not regulate", async () => {
		await allow([60, 30, 10]);
		const pass = regulate({ gateway, everyMs: EVERY_MS, ...HASTY, askMs: [1000, 300, Number.POSITIVE_INFINITY] });
		await pass(-800, AFTER);
		for (const watts of await pass(-800, 5)) assert.ok(Math.abs(watts) <= QUIET_W, `${watts} W`);
	});
});
