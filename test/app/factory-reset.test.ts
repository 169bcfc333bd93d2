/**
 * Power cuts and refused writes at each step of a factory reset. After the next starts the unit is either the old
 * owner's, with everything, or a new one, with nothing of the old owner.
 */
import assert from "node:assert/strict";
import { PowerCut, VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { isError, vectorOf } from "../api/gateway.js";
import { DEFAULT_SCHEDULE } from "../api/schedule-checks.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { expectFaults } from "../faults.js";

const VECTOR = vectorOf("landis-gyr-zmf100-m26-padded-left");
/** Data of parts that are stored outside of the settings; here with dummy values. */
const PART_KEYS = ["backfill_state", "hawkbit_act", "hub_statistics", "peaks_month"];
const HOUR_MS = 3_600_000;

/** A unit that an owner has set up and used. */
async function used(): Promise<VirtualGateway> {
	const gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, storage: new VirtualStorage() });
	await gateway.connectMeter({ telegram: VECTOR.telegram });
	await gateway.write("iec62056/schedule", DEFAULT_SCHEDULE);
	await gateway.write("hub", { enabled: false, lang: "de" });
	await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
	await gateway.pass(2 * HOUR_MS);
	for (const key of PART_KEYS) gateway.world.storage.set(key, Uint8Array.of(1, 2, 3));
	await gateway.login();
	assert.ok((await periods(gateway)).length > 5);
	return gateway;
}

async function periods(gateway: VirtualGateway): Promise<unknown[]> {
	return (await gateway.read("meter/history?period=quarters")).periods;
}

/** Ends the power of both kinds of flash when one of them is cut. */
function joinPower({ world: { flash, storage } }: VirtualGateway): void {
	for (const method of ["set", "delete"] as const) {
		const write = storage[method].bind(storage) as (...args: unknown[]) => void;
		storage[method] = (...args: unknown[]) => {
			if (!flash.hasPower) throw new PowerCut("no power");
			try {
				write(...args);
			} catch (error) {
				if (error instanceof PowerCut) flash.cutPowerAt(1);
				throw error;
			}
		};
	}
}

/** Waits for restarts that the unit itself wants, as after an interrupted reset. */
async function settle(gateway: VirtualGateway): Promise<void> {
	while (gateway.core.config.wasErasing) await gateway.rebooted();
	await gateway.login();
}

async function isNew(gateway: VirtualGateway, where: string): Promise<boolean> {
	const { timezone } = await gateway.read("system/clock");
	const count = (await periods(gateway)).length;
	const keys = gateway.world.storage.keys().filter((key) => PART_KEYS.includes(key));
	if (timezone === "Europe/Berlin") {
		assert.ok(count > 5 && keys.length === PART_KEYS.length, `${where}: something of the old owner is missing`);
		return false;
	}
	assert.deepEqual([timezone, count, keys], ["", 0, []], `${where}: something of the old owner is left`);
	assert.equal((await gateway.read("hub")).lang, "en");
	return true;
}

describe("A factory reset", function () {
	this.timeout(120_000);

	it("leaves nothing of the old owner, wherever the power is cut", async () => {
		expectFaults(/^fault: flash: \w+: (power cut|no power)/, /^fault: \w+: PowerCut: (power cut|no power)/);
		let cuts = 0;
		let lost = 0;
		for (const kind of ["before", "after", "in flash"]) {
			for (let step = 1, isCut = true; isCut; step++) {
				const where = `power cut ${kind}, step ${step}`;
				const gateway = await used();
				joinPower(gateway);
				const { flash, storage } = gateway.world;
				if (kind === "in flash") flash.cutPowerAt(step);
				else storage.cutPowerAt(step, kind === "after");
				isCut = (await gateway.post("system/factory_reset")).status !== 200;
				await gateway.core.stop();
				storage.powerUp();
				flash.powerUp();
				if (isCut) cuts++;
				await gateway.restart();
				await settle(gateway);
				const wasReset = await isNew(gateway, where);
				if (!wasReset) lost++;
				assert.ok(wasReset || isCut, where);
				assert.equal(storage.get("erasing"), undefined, where);
				await gateway.stop();
			}
		}
		// Each kind has cuts, and only those before the first mark leave the unit to the old owner.
		assert.ok(cuts > 30, `${cuts} cuts`);
		assert.ok(lost > 0 && lost < 12, `${lost} of ${cuts} cuts left the unit unchanged`);
	});

	it("is completed at the next start if a part could not erase its data", async () => {
		const gateway = await used();
		expectFaults(/^fault: (log|history|http): Error: the flash refuses/);
		gateway.world.flash.refusals = Number.POSITIVE_INFINITY;
		isError(await gateway.post("system/factory_reset"), 500, "internal");
		assert.deepEqual(
			gateway.world.storage.keys().filter((key) => PART_KEYS.includes(key)),
			[],
			"the other parts are erased at once",
		);
		gateway.world.flash.refusals = 0;
		await gateway.rebooted();
		await settle(gateway);
		assert.ok(await isNew(gateway, "refused"));
		await gateway.stop();
	});

	it("opens no port at a start that completes it, and leaves a unit that can be set up", async () => {
		const gateway = await used();
		gateway.world.storage.set("erasing", new Uint8Array(0));
		await gateway.restart();
		assert.equal(gateway.core.httpsPort, 0);
		await settle(gateway);
		assert.ok(await isNew(gateway, "marked"));
		await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		await gateway.restartAndLogin();
		assert.equal((await gateway.read("system/clock")).timezone, "Europe/Berlin");
		await gateway.stop();
	});
});
