import assert from "node:assert/strict";
import { stepCRC16ARC } from "../../modules/bytes/crc16-arc.js";
import { FORMAT_8N1 } from "../../modules/io/host.js";
import { type Machine, OUTPUT_LINE, type Output } from "../../modules/io/machine.js";
import type { ProbeResult } from "../../modules/meter/probe.js";
import { STATUS_CHECK_WRONG, STATUS_OK } from "../../modules/readout/readout.js";
import { IECMeter } from "../../tools/meter/iec-meter.js";
import { type MeterMode, splitTelegram } from "../../tools/meter/telegram.js";
import { bytesOf } from "../latin1.js";
import { iecVectors } from "../vectors.js";
import { packedReadings } from "./packed.js";
import { ReaderBed } from "./reader-bed.js";
import { recordsOf } from "./records.js";

describe("reading captured meters over a modelled line", () => {
	for (const vector of iecVectors()) {
		for (const hardwareParity of [true, false]) {
			const where = hardwareParity ? "7E1 in hardware" : "7E1 in software";
			it(`${vector.name}, mode ${vector.mode}, ${where}`, () => {
				const modeD = vector.mode === "D";
				const bed = new ReaderBed({ modeD, modeDBaud: 9600 }, { hardwareParity });
				bed.connect(vector.telegram, { pushBaud: 9600, mode: vector.mode as MeterMode });
				const { readout, failure } = bed.read();
				assert.deepEqual(packedReadings(readout?.records), vector.readings);
				assert.equal(Buffer.from(readout?.meterId ?? []).toString("latin1"), vector.meterId);
				assert.equal(String.fromCharCode(readout?.mode ?? 0), vector.mode);
				if (vector.check === "wrong") {
					assert.equal(readout?.status, 3);
					assert.equal(bed.reader.outcomes.last, undefined);
				} else {
					assert.equal(readout?.status, STATUS_OK);
					assert.equal(failure, undefined);
					assert.equal(bed.reader.outcomes.last, readout);
				}
			});
		}
	}
});

/** Makes a meter send 8N1 instead of 7E1. */
class EightBitMeter implements Machine {
	readonly #meter: Machine;

	constructor(meter: Machine) {
		this.#meter = meter;
	}

	get deadlineMs(): number {
		return this.#meter.deadlineMs;
	}

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.#meter.receive(bytes, start, end, nowMs);
	}

	advance(nowMs: number): void {
		this.#meter.advance(nowMs);
	}

	poll(): Output {
		const output = this.#meter.poll();
		return output.kind === OUTPUT_LINE ? { ...output, format: FORMAT_8N1 } : output;
	}
}

/** Ports with and without hardware parity, at two speeds; 115200 is the speed of P1 ports. */
const PORTS = [true, false].flatMap((hardwareParity) => [9600, 115_200].map((baud) => [hardwareParity, baud] as const));

describe("captured meters that send 8N1", () => {
	for (const vector of iecVectors().filter(({ mode }) => mode === "D")) {
		for (const [hardwareParity, baud] of PORTS) {
			const where = `${baud} Bd, ${hardwareParity ? "a port that frames 7E1" : "a port of eight bits"}`;
			it(`${vector.name} is read at ${where}`, () => {
				const bed = new ReaderBed({ modeD: true, modeDBaud: baud }, { hardwareParity });
				const meter = new IECMeter({ source: () => splitTelegram(vector.telegram), pushBaud: baud, mode: "D" });
				bed.world.serial.meter.connect(new EightBitMeter(meter));
				const { readout } = bed.read();
				assert.deepEqual(packedReadings(readout?.records), vector.readings);
				assert.equal(readout?.status, vector.check === "wrong" ? STATUS_CHECK_WRONG : STATUS_OK);
				bed.reader.stop();
				let result: ProbeResult | undefined;
				bed.reader.probe({
					finished: (probed) => {
						result = probed;
					},
				});
				bed.world.advance(20_000);
				assert.deepEqual([result?.failure, result?.damaged], [undefined, 0]);
			});
		}
	}
	for (const hardwareParity of [true, false]) {
		it(`accepts a right CRC over letters beyond ASCII on ${hardwareParity ? "a port that frames 7E1" : "a port of eight bits"}`, () => {
			const text = "/KFM5KAIFA\r\n\r\n1-0:1.8.1(1*kWh)\r\n0-0:96.13.0(Z\xe4hler)\r\n!";
			const crc = stepCRC16ARC(0, bytesOf(text), 0, text.length).toString(16).toUpperCase().padStart(4, "0");
			const bed = new ReaderBed({ modeD: true, modeDBaud: 9600 }, { hardwareParity });
			const source = () => splitTelegram(bytesOf(`${text}${crc}\r\n`));
			bed.world.serial.meter.connect(new EightBitMeter(new IECMeter({ source, pushBaud: 9600, mode: "D" })));
			const { readout } = bed.read();
			assert.equal(readout?.status, STATUS_OK);
			assert.deepEqual(recordsOf(readout.records), ["1-0:1.8.1: 1*kWh"]);
		});
	}
});
