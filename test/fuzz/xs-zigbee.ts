/**
 * A hostile coprocessor and hostile radio frames for the whole gateway in XS: frames of all kinds, damaged frames,
 * noise, and storms. HTTP still answers, the Zigbee network works again afterwards, and no slots leak.
 */
import assert from "node:assert/strict";
import { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { XSWorld } from "../../tools/benchmark/xs-world.js";
import { MANUFACTURER } from "../../tools/ota/format.js";
import { START_POWER } from "../../tools/zigbee/coprocessor.js";
import { checkFaults } from "../faults.js";
import { OPTIONS } from "../update/corruptions.js";
import { BOARD } from "../update/firmware-files.js";
import { VirtualRadio } from "../zigbee/virtual-radio.js";
import { type Mutator, runAll } from "./mutator.js";
import { frame, incoming } from "./zigbee-chip.js";
import { hostileFrame } from "./zigbee-clusters.js";
import { COMMANDS } from "./zigbee-radio.js";

/** Allowed growth of live slots. */
const SLOTS_MARGIN = 16;
/**
 * Time within which the gateway becomes idle, ms: it retries a failed chip with growing delays, and gives up a firmware
 * file if its blocks do not arrive.
 */
const REST_MS = 1_100_000;
const JOIN_LIMIT_MS = 400_000;
/** Number of frames in a storm, as many as the line carries in a second. */
const STORM = 400;

class Bed {
	readonly xs: XSWorld;
	readonly radio: VirtualRadio;
	#slots: number | undefined;

	private constructor(xs: XSWorld, radio: VirtualRadio) {
		this.xs = xs;
		this.radio = radio;
	}

	static async run(seed: number, use: (bed: Bed) => Promise<void>): Promise<void> {
		const radio = new VirtualRadio();
		radio.coordinator.isOpen = true;
		const slots = new VirtualSlots({ ...OPTIONS, seed });
		const xs = await XSWorld.start({ seed, slots, zigbee: radio.make });
		try {
			const bed = new Bed(xs, radio);
			await xs.login();
			// No scheduled readout may run while slots are counted.
			const off = { enabled: false, period_unit: "minutes", period_value: 30 };
			assert.equal((await xs.request("iec62056/schedule", { body: off })).status, 200);
			await bed.checkGood();
			await use(bed);
			await bed.checkGood();
			checkFaults();
		} finally {
			await xs.stop();
		}
	}

	sendFromChip(bytes: Uint8Array): void {
		this.radio.chip.onBytes(Buffer.from(bytes));
	}

	async state(): Promise<string> {
		const reply = await this.xs.request("zigbee/config");
		assert.equal(reply.status, 200, reply.text);
		return reply.json().state;
	}

	/** Restarts with a good chip, and checks that the gateway is in its network or can join one, and leaks no slots. */
	async checkGood(): Promise<void> {
		const { xs, radio } = this;
		radio.chip.restart(START_POWER);
		await xs.advance(REST_MS);
		// The login session may have expired.
		await xs.login();
		if ((await this.state()) !== "joined") {
			assert.equal((await xs.request("zigbee/reset", { method: "POST" })).status, 200);
			for (let passedMs = 0; (await this.state()) !== "joined"; passedMs += 5000) {
				assert.ok(passedMs < JOIN_LIMIT_MS, `the gateway does not join: ${await this.state()}`);
				await xs.advance(5000);
			}
		}
		await xs.advance(REST_MS);
		const slots = await xs.slots();
		this.#slots ??= slots;
		assert.ok(slots <= this.#slots + SLOTS_MARGIN, `${slots} slots are alive, ${this.#slots} at first`);
		await xs.login();
	}
}

/** OTA Upgrade cluster (ZCL revision 8, chapter 11). The coordinator sends its messages with random numbers. */
const OTA_UPGRADE = 0x0019;
const NOTIFY = 0x00;
const OFFER = 0x02;
const BLOCK = 0x05;
const END = 0x07;

function otaFrame(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	const command = mutator.pick([NOTIFY, OFFER, OFFER, BLOCK, END]);
	const file = [MANUFACTURER & 0xff, MANUFACTURER >> 8, BOARD.deviceId, 0, 9, 0, 0, 0];
	const number = () => mutator.pick([[0, 0, 0, 0], [0, 0, 1, 0], [...random.bytes(4)]]);
	const data = [...random.bytes(random.below(50))];
	const bodies: Record<number, number[]> = {
		[NOTIFY]: [0, 100],
		[OFFER]: [random.oneIn(4) ? random.below(256) : 0, ...file, ...number()],
		[BLOCK]: [mutator.pick([0, 0, 0, 0x97, 0x95]), ...file, ...number(), data.length, ...data],
		[END]: [...file, ...number(), ...number()],
	};
	const payload = [mutator.pick([0x09, 0x19]), random.below(256), command, ...(bodies[command] ?? [])];
	return incoming(OTA_UPGRADE, payload);
}

function hostile(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	const { cluster, payload, source, endpoint, isBroadcast } = hostileFrame(mutator);
	const good = incoming(cluster, payload.slice(0, 200), { source, endpoint, broadcast: isBroadcast ? 1 : 0 });
	switch (random.below(8)) {
		case 0:
			return random.bytes(1 + random.below(300));
		case 1:
			return mutator.mutate(good, random.bytes(40));
		case 2:
			return frame(mutator.pick(COMMANDS), random.bytes(random.below(60)));
		case 3:
		case 4:
			return otaFrame(mutator);
		default:
			return good;
	}
}

export function fuzzZigbeeInXS(seed: number, runs: number): Promise<void> {
	return Bed.run(seed, async (bed) => {
		const { xs } = bed;
		await runAll("Zigbee in XS", seed, runs, async (mutator, run) => {
			const { random } = mutator;
			for (let frames = 1 + random.below(10); frames > 0; frames--) {
				mutator.inPieces(hostile(mutator), (buffer, start, end) => bed.sendFromChip(buffer.slice(start, end)));
				if (random.oneIn(3)) await xs.advance(random.below(random.oneIn(10) ? 20_000 : 100));
			}
			// A storm, during which a client waits for a reply.
			if (run % 10 === 9) {
				for (let frames = 0; frames < STORM; frames++) bed.sendFromChip(hostile(mutator));
				await bed.state();
			}
			checkFaults();
			if (run % 100 === 99) await bed.checkGood();
		});
	});
}
