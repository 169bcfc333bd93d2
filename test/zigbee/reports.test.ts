import assert from "node:assert/strict";
import fc from "fast-check";
import { mapOf } from "../../modules/obis/mapping.js";
import { RADIO_IDLE, RADIO_JOINED, RADIO_JOINING, RADIO_SILENT } from "../../modules/zigbee/radio.js";
import { BASIC, BridgeBed, decode, ELECTRICAL, METERING, PlayedClient, shown } from "./bridge-bed.js";

const NO_ELECTRICAL = mapOf(new Uint8Array(0)).slice(0, 1 + 3 * 6);
NO_ELECTRICAL[0] = 3;

const ALL = "1.8.0(1*kWh)\r\n2.8.0(2*kWh)\r\n16.7.0(100*W)\r\n32.7.0(230*V)\r\n31.7.0(1*A)";

function block(energy: number, power = 100): string {
	return `1.8.0(${energy}*Wh)\r\n16.7.0(${power}*W)`;
}

/** A unit in a network with default reports, after it has reported import and power. */
function quiet(options = {}): BridgeBed {
	const bed = new BridgeBed({ map: NO_ELECTRICAL, ...options }).join();
	bed.measure(block(1000));
	bed.run(0);
	return bed;
}

describe("zigbee/reports", () => {
	it("sends nothing before the first readout, then all values at once, in one frame per cluster", () => {
		const bed = new BridgeBed().join();
		assert.deepEqual(bed.run(3_600_000), []);
		assert.deepEqual(bed.read(METERING, [0, 1, 0x0400]), {
			"0000": "status 1",
			"0001": "status 1",
			"0400": -0x800000,
		});
		bed.measure(ALL);
		assert.deepEqual(
			bed.run(0).map(({ cluster, values }) => [cluster, values]),
			[
				[METERING, { currentSummDelivered: 1000, currentSummReceived: 2000, instantaneousDemand: 100 }],
				[ELECTRICAL, { rmsVoltage: 2300, rmsCurrent: 100, activePower: 100 }],
			],
		);
		const { destination, destinationEndpoint, frame } = bed.chip.sent.at(-1) ?? assert.fail();
		assert.deepEqual([destination, destinationEndpoint, frame[0]], [0, 1, 0x18]);
	});

	it("gives each report a new number, starting after the given one", () => {
		const bed = new BridgeBed({ sequence: 254 }).join();
		bed.measure(ALL);
		const reports = bed.run(86_400_000);
		assert.ok(reports.length > 256);
		for (const [i, { sequence }] of reports.entries()) assert.equal(sequence, (i + 255) & 255);
	});

	it("avoids the numbers of recent answers, because converters drop a frame that repeats one of the last five numbers", () => {
		for (let number = 0; number < 256; number++) {
			const bed = new BridgeBed({ sequence: 255 }).join();
			bed.measure(ALL);
			for (let i = 0; i < 20; i++) {
				bed.give(BASIC, Uint8Array.of(0x10, (number + i) & 255, 0, 0, 0));
				bed.run(i * 5000);
			}
			const numbers = bed.chip.sent.map(({ frame }) => frame[1]);
			const reports = bed.chip.sent.filter(({ frame }) => frame[2] === 0x0a);
			assert.ok(reports.length > 20);
			for (const report of reports) {
				const at = bed.chip.sent.indexOf(report);
				assert.ok(!numbers.slice(Math.max(0, at - 5), at).includes(numbers[at]), `${numbers[at]} is used twice`);
			}
		}
	});

	it("uses its own intervals until others are configured", () => {
		const bed = quiet();
		assert.deepEqual(
			bed.run(301_000).map(({ ms, values }) => [ms, values]),
			[
				[61_000, { instantaneousDemand: 100 }],
				[121_000, { instantaneousDemand: 100 }],
				[181_000, { instantaneousDemand: 100 }],
				[241_000, { instantaneousDemand: 100 }],
				[301_000, { currentSummDelivered: 1000, instantaneousDemand: 100 }],
			],
		);
	});

	it("reports a change, but not before the least interval is over", () => {
		const bed = quiet();
		bed.run(2000);
		bed.measure(block(1009, 104));
		assert.deepEqual(bed.run(50_000), [], "the change is too small");
		bed.measure(block(1009, 105));
		assert.deepEqual(bed.run(0)[0]?.values, { instantaneousDemand: 105 });
		bed.run(1000);
		bed.measure(block(1010, 200));
		assert.deepEqual(bed.run(0)[0]?.values, { currentSummDelivered: 1010 });
		bed.measure(block(1010, 300));
		const [report] = bed.run(30_000);
		assert.deepEqual([report?.ms, report?.values], [63_000, { instantaneousDemand: 300 }]);
	});

	it("follows the configuration, and stores it", () => {
		const bed = quiet();
		const power = { attrId: 0x0400, dataType: 0x2a, minRepIntval: 30, maxRepIntval: 3600, repChange: 50 };
		assert.deepEqual(bed.configure(METERING, [power], { sourceEndpoint: 9 }), [{ status: 0 }]);
		assert.equal(bed.stored.length, 0);
		assert.ok(bed.bridge.busy(bed.nowMs + 100_000));
		bed.measure(block(1000, 149));
		bed.run(9000);
		assert.equal(bed.stored.length, 1);
		assert.ok((bed.stored[0]?.length ?? 0) <= 200);
		bed.measure(block(1000, 150));
		const [report, next] = bed.run(340_000).filter(({ values }) => "instantaneousDemand" in values);
		assert.deepEqual([report?.ms, report?.values], [31_000, { instantaneousDemand: 150 }]);
		assert.equal(next?.ms, 331_000, "five minutes at the latest");
		assert.equal(bed.chip.sent.at(-1)?.destinationEndpoint, 9);

		assert.equal(bed.stored.length, 1, "the same configuration is not written again");
		bed.configure(METERING, [power], { sourceEndpoint: 9 });
		bed.run(60_000);
		assert.equal(bed.stored.length, 1);

		const again = quiet({ reports: bed.stored[0] });
		const answer = again.give(METERING, Uint8Array.of(0, 1, 8, 0, 0, 4));
		assert.equal(answer?.toString("hex"), "180109000000042a1e00100e320000");
		assert.equal(again.chip.sent.at(-2)?.destinationEndpoint, 9);
	});

	it("turns a report off, turns its interval off, and returns to its own intervals", () => {
		const bed = quiet();
		const power = { attrId: 0x0400, dataType: 0x2a, minRepIntval: 0, maxRepIntval: 0xffff, repChange: 1 };
		const energy = { attrId: 0, dataType: 0x25, minRepIntval: 0, maxRepIntval: 0, repChange: 1 };
		bed.configure(METERING, [power, energy]);
		assert.deepEqual(bed.run(86_400_000), []);
		bed.measure(block(1001, 5000));
		assert.deepEqual(
			bed.run(86_400_000).map(({ values }) => values),
			[{ currentSummDelivered: 1001 }],
		);
		assert.equal(bed.give(METERING, Uint8Array.of(0, 1, 8, 0, 0, 4))?.toString("hex"), "1801098b000004");
		bed.configure(METERING, [
			{ ...power, minRepIntval: 0xffff, maxRepIntval: 0 },
			{ ...energy, minRepIntval: 0xffff },
		]);
		assert.deepEqual(bed.run(0)[0]?.values, { currentSummDelivered: 1001, instantaneousDemand: 5000 });
		bed.run(60_000);
		assert.equal(bed.stored.at(-1)?.length, 0, "nothing is left to store");
	});

	it("spares flash if a client configures without end", () => {
		const bed = quiet();
		for (let i = 0; i < 600; i++) {
			const power = { attrId: 0x0400, dataType: 0x2a, minRepIntval: 0, maxRepIntval: 0xffff, repChange: i };
			bed.configure(METERING, [power]);
			bed.run(1000);
		}
		assert.equal(bed.stored.length, 10);
	});

	it("ignores invalid stored settings", () => {
		for (const reports of [new Uint8Array(0), new Uint8Array(92), new Uint8Array(91).fill(1)]) {
			const bed = quiet({ reports });
			assert.equal(bed.chip.sent[0]?.destinationEndpoint, 1);
			assert.equal(bed.run(61_000).length, 1);
		}
	});

	it("forgets settings and values when it leaves the network, but not when the chip is silent", () => {
		const bed = quiet();
		const power = { attrId: 0x0400, dataType: 0x2a, minRepIntval: 0, maxRepIntval: 300, repChange: 1 };
		bed.configure(METERING, [power]);
		bed.run(5000);
		bed.chip.become(RADIO_SILENT, bed.nowMs);
		bed.chip.become(RADIO_JOINED, bed.nowMs);
		assert.deepEqual(bed.run(50_000), []);
		assert.equal(bed.stored.length, 1);
		bed.chip.become(RADIO_IDLE, bed.nowMs);
		assert.deepEqual(bed.stored[1], new Uint8Array(0));
		assert.equal(bed.bridge.deadlineMs, Number.POSITIVE_INFINITY);
		bed.run(3_600_000);
		bed.chip.become(RADIO_JOINING, bed.nowMs);
		bed.chip.become(RADIO_JOINED, bed.nowMs);
		assert.equal(bed.stored.length, 2);
		assert.equal(bed.bridge.busy(bed.nowMs + 59_999), true);
		bed.bridge.advance(bed.nowMs);
		assert.equal(bed.run(0).length, 1);
	});

	it("repeats a failed report with the newest values, later each time, and at once when a frame is received", () => {
		const bed = quiet();
		bed.measure(block(2000, 500));
		bed.run(10_000, 0xe9);
		const failed = bed.chip.sent.slice(1).map(({ ms }) => ms);
		assert.deepEqual(failed, [11_000]);
		bed.measure(block(3000, 600));
		const more = bed.run(600_000, 0xf0);
		assert.deepEqual(
			more.slice(0, 8).map(({ ms }) => ms),
			[11_500, 12_500, 14_500, 18_500, 26_500, 42_500, 74_500, 134_500],
		);
		assert.ok(
			more.every(({ values }) => values["currentSummDelivered"] === 3000 && values["instantaneousDemand"] === 600),
		);
		assert.equal(bed.bridge.busy(bed.nowMs), false, "a device on battery does not wait for an absent coordinator");
		bed.read(BASIC, [0]);
		const [back] = bed.run(0);
		assert.deepEqual(back?.values, { currentSummDelivered: 3000, instantaneousDemand: 600 });
		assert.equal(bed.bridge.busy(bed.nowMs), false);
		assert.equal(bed.run(59_000).length, 0);
	});

	it("reports that power is unknown once the meter has been silent for long", () => {
		const bed = new BridgeBed().join();
		bed.measure(ALL);
		bed.run(1_000_000);
		bed.bridge.meterFailed(false, bed.nowMs);
		assert.deepEqual(
			bed.run(0).map(({ values }) => values),
			[
				{ instantaneousDemand: Number.NaN },
				{ rmsVoltage: Number.NaN, rmsCurrent: Number.NaN, activePower: Number.NaN },
			],
		);
		assert.deepEqual(
			[1, 2, 3, 4, 5].map((pair) => bed.bridge.reportedValue(pair)),
			[1, 2, Number.NaN, Number.NaN, Number.NaN],
		);
		assert.deepEqual(bed.read(METERING, [0x0200]), { "0200": 1 });
		assert.ok(bed.run(300_000).some(({ values }) => values["currentSummDelivered"] === 1000));
	});

	it("shows which values arrived last, and when", () => {
		const bed = new BridgeBed();
		assert.ok([1, 2, 3, 4, 5].every((pair) => Number.isNaN(bed.bridge.reportedValue(pair))));
		bed.join();
		const { changes } = bed;
		bed.measure("1.8.0(1234*Wh)\r\n16.7.0(-100*W)\r\n32.7.0(230.4*V)\r\n31.7.0(1.25*A)");
		assert.ok(Number.isNaN(bed.bridge.reportedValue(1)), "the report has not arrived yet");
		bed.run(0);
		assert.deepEqual(
			[1, 2, 3, 4, 5].map((pair) => bed.bridge.reportedValue(pair)),
			[1.234, Number.NaN, -100, 230.4, 1.25],
		);
		assert.equal(bed.bridge.reportedMs(3), 1000);
		assert.ok(bed.changes > changes);
	});

	it("starts again with another map, and registers changed clusters with the chip", () => {
		const bed = new BridgeBed().join();
		bed.measure(ALL);
		bed.run(5000);
		bed.mapChanged(NO_ELECTRICAL);
		assert.equal(bed.chip.registered, 1);
		assert.deepEqual(bed.bridge.servers, [0, 3, METERING]);
		assert.ok(Number.isNaN(bed.bridge.reportedValue(4)));
		assert.deepEqual(bed.run(3_600_000), []);
		bed.measure(ALL);
		assert.deepEqual(
			bed.run(0).map(({ values }) => values),
			[{ currentSummDelivered: 1000, currentSummReceived: 2000, instantaneousDemand: 100 }],
		);
		bed.mapChanged(NO_ELECTRICAL);
		assert.equal(bed.chip.registered, 1);
	});

	it("sends the request of a client before reports, and notifies the client if it does not arrive", () => {
		const client = new PlayedClient();
		const bed = new BridgeBed({ clients: [client], map: NO_ELECTRICAL });
		bed.measure(block(1000));
		client.isReady = true;
		bed.join();
		assert.deepEqual(
			bed.chip.sent.map(({ cluster, frame }) => [cluster, frame[2]]),
			[
				[0x000a, 0],
				[METERING, 0x0a],
			],
		);
		client.isReady = true;
		bed.bridge.advance(bed.nowMs);
		bed.chip.confirm(0xe9, bed.nowMs);
		assert.deepEqual(client.got, ["joined", "failed"]);
		assert.ok(bed.bridge.busy(bed.nowMs) === false);
	});

	it("queues a few answers, and gives up one that does not arrive", () => {
		const bed = quiet();
		const read = (sequence: number) => bed.give(BASIC, Uint8Array.of(0x10, sequence, 0, 0, 0), { source: 0x1234 });
		const before = bed.chip.sent.length;
		bed.chip.isSending = true;
		for (let i = 0; i < 9; i++) assert.equal(read(i), undefined);
		bed.chip.isSending = false;
		for (let i = 0; i < 20; i++) {
			bed.nowMs += 2000;
			bed.bridge.advance(bed.nowMs);
			if (bed.chip.isSending) bed.chip.confirm(i < 3 ? 0xe9 : 0, bed.nowMs);
		}
		const answers = bed.chip.sent.slice(before).filter(({ destination }) => destination === 0x1234);
		assert.deepEqual(
			answers.map(({ frame }) => frame[1]),
			[0, 0, 0, 1, 2, 3],
		);
	});

	it("always keeps the least interval and its own interval of five minutes", () => {
		const step = fc.record({
			ms: fc.nat(90_000),
			energy: fc.nat(100),
			power: fc.integer({ min: -9000, max: 9000 }),
			status: fc.constantFrom(0, 0, 0, 0xe9),
		});
		const settings = fc.record({
			minRepIntval: fc.nat(120),
			maxRepIntval: fc.integer({ min: 120, max: 4000 }),
			repChange: fc.nat(500),
		});
		fc.assert(
			fc.property(settings, fc.array(step, { maxLength: 40 }), (setting, steps) => {
				const bed = quiet();
				bed.configure(METERING, [{ ...setting, attrId: 0x0400, dataType: 0x2a }]);
				let lastMs = 1000;
				for (const { ms, energy, power, status } of steps) {
					bed.measure(block(1000 + energy, power));
					for (const report of bed.run(ms, status)) {
						if (!("instantaneousDemand" in report.values)) continue;
						assert.ok(report.ms - lastMs >= setting.minRepIntval * 1000);
						if (status === 0) lastMs = report.ms;
					}
					if (status === 0 && ms > 60_000) assert.ok(bed.nowMs - lastMs <= 300_000 + 60_000);
				}
			}),
			{ numRuns: 100 },
		);
	});

	it("writes battery values as zigbee-herdsman reads them", () => {
		const bed = new BridgeBed({ cells: 3 }).join();
		bed.bridge.batteryChanged(4.5, 95, bed.nowMs);
		const { cluster, frame } = bed.chip.sent[0] ?? assert.fail();
		assert.deepEqual(shown(decode(cluster, frame)), { batteryVoltage: 45, batteryPercentageRemaining: 190 });
	});
});
