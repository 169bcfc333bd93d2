/** A battery-powered gateway with a coprocessor, in virtual time: its work when it wakes to read the meter. */
import assert from "node:assert/strict";
import { SLOTS } from "../../hosts/simulated/boot-loader.js";
import { WAKE_TIMER } from "../../modules/io/flash.js";
import type { AirFrame } from "../../tools/zigbee/air.js";
import type { JSONObject } from "../api/gateway.js";
import { VirtualGateway } from "../api/virtual-gateway.js";
import { makeFile, makeImage, makeSlots, VERSION } from "../update/firmware-files.js";
import { iecVectors } from "../vectors.js";
import { frames, serve } from "./ota-bed.js";
import { VirtualRadio } from "./virtual-radio.js";

const METERING = 0x0702;
const OTA = 0x0019;
const HOME_AUTOMATION = 0x0104;
const BLOCK_REQUEST = 3;
const MINUTE_MS = 60_000;
/** A meter with energy and power. */
const VECTOR = iecVectors().find(({ name }) => name === "landis-gyr-zmf100-m26-padded-left")!;
const POWER = { cells: 3, batteryVoltage: () => 4.5, usbVoltage: () => 0, temperatureC: () => undefined };

describe("The Zigbee bridge of a gateway with cells", () => {
	let gateway: VirtualGateway;
	let radio: VirtualRadio;
	let slots: ReturnType<typeof makeSlots>;

	beforeEach(async () => {
		radio = new VirtualRadio();
		slots = makeSlots();
		const options = { utcMs: Date.UTC(2026, 10, 22), zigbee: radio.make, power: POWER, wakeReason: 0, slots };
		gateway = await VirtualGateway.loggedIn("client", options);
		await gateway.connectMeter({ telegram: VECTOR.telegram });
		radio.coordinator.isOpen = true;
		assert.equal((await gateway.post("zigbee/reset")).status, 200);
		for (let seconds = 0; (await gateway.read("zigbee/config")).state !== "joined"; seconds++) {
			assert.ok(seconds < 60);
			await gateway.pass(1000);
		}
		radio.coordinator.isOpen = false;
		await gateway.write("iec62056/schedule", { enabled: true, period_unit: "minutes", period_value: 15 });
	});
	afterEach(() => gateway.stop());

	/** Advances time until the gateway sleeps; returns the time taken, ms. */
	const untilAsleep = async (limitMs: number): Promise<number> => {
		for (let passedMs = 0; ; passedMs += 1000) {
			if (gateway.world.asleep !== undefined) return passedMs;
			assert.ok(passedMs < limitMs, `awake for ${limitMs} ms`);
			await gateway.pass(1000);
		}
	};

	it("is an end device in reset between readouts; a wake for a readout sends reports and sleeps again", async () => {
		assert.equal((await gateway.read("zigbee/config")).role, "end_device");
		await untilAsleep(60 * MINUTE_MS);
		assert.equal(radio.lines.at(-1), 1);
		const before = radio.coordinator.reports(METERING).length;
		await gateway.wake(WAKE_TIMER);
		assert.equal(radio.lines.at(-1), 1, "the chip stays in reset until there is something to report");
		await untilAsleep(2 * MINUTE_MS);
		assert.ok(radio.coordinator.reports(METERING).length > before);
		assert.equal(radio.lines.at(-1), 1);
	});

	describe("with a firmware file", () => {
		const IMAGE = makeImage(300_000);
		const FILE = makeFile(IMAGE, { packed: false });
		/** Interval of the blocks, ms; a wake is then long enough for a piece or two. */
		const PERIOD_MS = 250;

		/** Number of requested blocks. */
		const blocks = () =>
			radio.coordinator.reportedFrames.filter(({ cluster, payload }) => cluster === OTA && payload[2] === BLOCK_REQUEST)
				.length;

		/** The coordinator announces the file, which keeps the device awake. */
		const offer = async () => {
			// The gateway stays awake for a while after the last use; this is near the end of that time.
			await gateway.pass(8 * MINUTE_MS);
			const answer = serve(FILE, 3);
			let isPaced = false;
			radio.coordinator.answer = ({ cluster, payload }: AirFrame) => {
				if (cluster !== OTA) return undefined;
				const isFirst = payload[2] === BLOCK_REQUEST && !isPaced;
				isPaced ||= isFirst;
				const frame = isFirst ? frames.wait(0, 0, PERIOD_MS) : answer(payload[2], payload.subarray(3));
				return frame && Buffer.concat([frame.subarray(0, 1), payload.subarray(1, 2), frame.subarray(1)]);
			};
			const notify = frames.notify();
			const payload = Buffer.concat([notify.subarray(0, 1), Buffer.of(1), notify.subarray(1)]);
			radio.coordinator.send(radio.chip.network!.shortAddress, { cluster: OTA, profile: HOME_AUTOMATION, payload });
			await gateway.pass(20_000);
			assert.ok(blocks() > 0);
		};
		const lying = () => Buffer.compare(slots.flash.open(SLOTS[1])!.bytes.subarray(0, IMAGE.length), IMAGE) === 0;

		it("loads the file in several wakes, each continuing where the last was cut; the firmware then runs, and stays", async () => {
			await offer();
			let wakes = 0;
			await untilAsleep(40 * MINUTE_MS);
			assert.ok(!lying());
			for (; gateway.world.asleep !== undefined; wakes++) {
				assert.ok(wakes < 6);
				await gateway.wake(WAKE_TIMER);
				for (let seconds = 0; seconds < 800 && gateway.world.asleep === undefined; seconds++) {
					await gateway.pass(1000);
					if (lying()) break;
				}
			}
			assert.ok(wakes > 0 && lying());
			assert.ok(blocks() < (FILE.length / 50) * 1.6, `${blocks()} blocks`);
			await gateway.loginAfterReboot();
			assert.equal((await gateway.read("system/version")).firmware.version, VERSION);
			const refusals = (await gateway.read("system/log")).events.filter(
				({ event }: JSONObject) => event === "update_refused",
			);
			assert.deepEqual(refusals, []);
		});

		it("spends less than two minutes of one wake on the file if the coordinator has forgotten it", async () => {
			await offer();
			radio.coordinator.answer = () => undefined;
			await untilAsleep(40 * MINUTE_MS);
			const lasted: number[] = [];
			for (let wakes = 0; wakes < 3; wakes++) {
				await gateway.wake(WAKE_TIMER);
				lasted.push(await untilAsleep(20 * MINUTE_MS));
			}
			const [first, ...others] = lasted;
			assert.ok(first! < 2 * MINUTE_MS, `${lasted}`);
			for (const ms of others) assert.ok(ms < MINUTE_MS / 2, `${lasted}`);
		});
	});
});
