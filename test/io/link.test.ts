import assert from "node:assert/strict";
import { Driver } from "../../modules/io/driver.js";
import {
	FORMAT_7E1,
	FORMAT_8N1,
	type LineSettings,
	SERIAL_ERROR_CHARACTER,
	SERIAL_ERROR_GONE,
	SERIAL_ERROR_OVERRUN,
	type Serial,
	type SerialFormat,
	type SerialOptions,
	type SerialPort,
} from "../../modules/io/host.js";
import { Link, TRANSMITTED } from "../../modules/io/link.js";
import { type LinkMachine, type Output, OutputQueue } from "../../modules/io/machine.js";
import { expectFaults, guard } from "../faults.js";
import { bytesOf, textOf } from "../latin1.js";

/** A port driven by hand: records its calls, and calls back on command. */
class HandPort {
	readonly log: string[] = [];
	readonly incoming: number[] = [];
	options!: SerialOptions;
	room = 0;
	closes = 0;
	readonly port: SerialPort;

	constructor(hardwareParity = true) {
		const hand = this;
		this.port = {
			hardwareParity,
			pins: { marker: 1 },
			io: class implements Serial {
				constructor(options: SerialOptions, pins: object) {
					assert.deepEqual(pins, { marker: 1 });
					hand.options = options;
					hand.log.push(`open ${options.baud}`);
				}
				read(into: Uint8Array, start = 0, end = into.length): number | undefined {
					assert.equal(hand.closes, 0, "read after close");
					const taken = hand.incoming.splice(0, end - start);
					into.set(taken, start);
					return taken.length === 0 ? undefined : taken.length;
				}
				write(bytes: Uint8Array, start = 0, end = bytes.length): number {
					assert.equal(hand.closes, 0, "write after close");
					assert.ok(end - start <= hand.room && end > start);
					hand.log.push(`write ${textOf(bytes, start, end)}`);
					hand.room -= end - start;
					return hand.room;
				}
				configure(line: LineSettings): void {
					assert.equal(hand.closes, 0, "configure after close");
					hand.log.push(`line ${line.baud} ${line.format === FORMAT_7E1 ? "7E1" : "8N1"}`);
				}
				close(): void {
					hand.closes++;
				}
			},
		};
	}

	writable(count: number): void {
		this.room = count;
		this.options.onWritable?.(count);
	}

	drained(): void {
		this.options.onDrained?.();
	}

	arrive(text: string): void {
		this.incoming.push(...bytesOf(text));
		this.options.onReadable?.(this.incoming.length);
	}

	take(): string[] {
		return this.log.splice(0);
	}
}

/** A machine that sends the test's outputs and records its inputs. */
class HandMachine implements LinkMachine {
	anyFraming = false;
	line: LineSettings = { baud: 300, format: FORMAT_7E1 };
	readonly outputs = new OutputQueue();
	deadlineMs = Number.POSITIVE_INFINITY;
	readonly received: string[] = [];
	readonly advanced: number[] = [];
	onReceive = (): void => {};
	onAdvance = (): void => {
		this.deadlineMs = Number.POSITIVE_INFINITY;
	};

	receive(bytes: Uint8Array, start: number, end: number, nowMs: number): void {
		this.received.push(`${nowMs} ${textOf(bytes, start, end)}`);
		this.onReceive();
	}

	advance(nowMs: number): void {
		this.advanced.push(nowMs);
		this.onAdvance();
	}

	poll(): Output {
		return this.outputs.poll();
	}

	send(text: string): void {
		const bytes = bytesOf(text);
		this.outputs.transmit(bytes, 0, bytes.length);
	}
}

class Bed {
	readonly hand: HandPort;
	readonly machine = new HandMachine();
	readonly events: number[] = [];
	readonly tapped: string[] = [];
	readonly timers = new Map<number, { callback: () => void; delayMs: number }>();
	readonly link: Link;
	nowMs = 1000;
	losses = 0;
	onEvent = (_code: number): void => {};
	#timersSet = 0;

	constructor(hardwareParity = true, format: SerialFormat = FORMAT_7E1, deadlineMs = Number.POSITIVE_INFINITY) {
		this.hand = new HandPort(hardwareParity);
		this.machine.deadlineMs = deadlineMs;
		this.machine.line = { baud: 300, format };
		this.link = new Link(
			new Driver({
				clock: { monotonicMs: () => this.nowMs, utcMs: () => undefined, setUTC: () => {} },
				timers: {
					set: (callback, delayMs) => {
						this.timers.set(++this.#timersSet, { callback, delayMs });
						return this.#timersSet;
					},
					clear: (id) => this.timers.delete(id),
				},
				guard,
			}),
			{
				port: this.hand.port,
				machine: this.machine,
				listener: {
					log: {
						bytes: (direction, bytes, start, end) => {
							this.tapped.push(`${direction === TRANSMITTED ? ">" : "<"} ${textOf(bytes, start, end)}`);
						},
						line: (baud) => this.tapped.push(`= ${baud}`),
					},
					linkEvent: (code) => {
						this.events.push(code);
						this.onEvent(code);
					},
					linkClosed: () => this.losses++,
				},
			},
		);
	}

	/** Returns the only timer. */
	timer(): { callback: () => void; delayMs: number } {
		assert.equal(this.timers.size, 1);
		return [...this.timers.values()][0];
	}

	/** Fires the timer, `lateMs` late. */
	fire(lateMs = 0): void {
		const [[id, { callback, delayMs }]] = this.timers;
		this.timers.delete(id);
		this.nowMs += delayMs + lateMs;
		callback();
	}
}

describe("a link", () => {
	it("returns to the event loop while bytes arrive without end, and then continues by itself", () => {
		const bed = new Bed(true, FORMAT_8N1);
		const { hand, machine } = bed;
		hand.take();
		// While one pass reads, as many bytes arrive again.
		let isFlooded = true;
		machine.onReceive = () => {
			if (isFlooded) hand.incoming.push(...bytesOf("x".repeat(64)));
			assert.ok(machine.received.length < 100, "the link never returned to the event loop");
		};
		hand.arrive("x".repeat(64));
		const first = machine.received.length;
		assert.ok(first > 0);
		assert.equal(bed.timer().delayMs, 0);
		bed.fire();
		assert.ok(machine.received.length > first);
		isFlooded = false;
		bed.fire();
		assert.equal(hand.incoming.length, 0);
		assert.equal(bed.timers.size, 0);
	});
	it("carries out outputs in order, and changes the line only after all earlier bytes were sent", () => {
		const { hand, machine, events } = new Bed();
		machine.send("one");
		machine.outputs.line(9600, FORMAT_7E1);
		machine.send("two");
		machine.outputs.event(5);
		assert.deepEqual(hand.take(), ["open 300"]);
		hand.writable(100);
		assert.deepEqual(hand.take(), ["write one"]);
		hand.writable(100);
		assert.deepEqual(hand.take(), []);
		assert.deepEqual(events, []);
		hand.drained();
		assert.deepEqual(hand.take(), ["line 9600 7E1", "write two"]);
		assert.deepEqual(events, [5]);
	});
	it("changes an idle line at once", () => {
		const { hand, machine, link } = new Bed();
		hand.writable(100);
		machine.outputs.line(2400, FORMAT_8N1);
		link.update(() => {});
		assert.deepEqual(hand.take(), ["open 300", "line 2400 8N1"]);
	});
	it("delays an event after a line change until the line has changed", () => {
		const { hand, machine, events, link } = new Bed();
		hand.writable(100);
		machine.send("bye");
		machine.outputs.line(300, FORMAT_7E1);
		machine.outputs.event(9);
		link.update(() => {});
		hand.arrive("x");
		assert.deepEqual(events, []);
		hand.drained();
		assert.deepEqual(events, [9]);
	});
	it("writes as many bytes as there is room for, and the rest when there is room again", () => {
		const { hand, machine, link } = new Bed();
		machine.send("abcdefgh");
		machine.send("next");
		link.update(() => {});
		assert.deepEqual(hand.take(), ["open 300"]);
		for (const [room, written] of [
			[3, "write abc"],
			[1, "write d"],
			[4, "write efgh"],
			[4, "write next"],
		] as const) {
			hand.writable(room);
			assert.deepEqual(hand.take(), [written]);
		}
	});
	it("passes received bytes to the machine in pieces of at most 64, with the time", () => {
		const { hand, machine } = new Bed();
		hand.arrive("x".repeat(150));
		assert.deepEqual(
			machine.received.map((line) => line.length - "1000 ".length),
			[64, 64, 22],
		);
		hand.arrive("");
		assert.equal(machine.received.length, 3);
	});
	it("carries out the outputs for a piece before it passes on the next piece", () => {
		const { hand, machine } = new Bed();
		hand.writable(100);
		machine.onReceive = () => machine.send(`${machine.received.length}`);
		hand.arrive("x".repeat(128));
		assert.deepEqual(hand.take(), ["open 300", "write 1", "write 2"]);
	});
	it("shows a tap every byte and every change of the line", () => {
		const { hand, machine, tapped, link } = new Bed();
		hand.writable(2);
		machine.send("abc");
		machine.outputs.line(600, FORMAT_7E1);
		link.update(() => {});
		hand.arrive("in");
		hand.writable(9);
		hand.drained();
		assert.deepEqual(tapped, ["= 300", "> abc", "< in", "= 600"]);
	});
	it("continues after its port has lost or damaged characters", () => {
		const bed = new Bed();
		bed.hand.options.onError?.(SERIAL_ERROR_OVERRUN);
		bed.hand.options.onError?.(SERIAL_ERROR_CHARACTER);
		bed.hand.arrive("x");
		assert.equal(bed.losses, 0);
		assert.equal(bed.machine.received.length, 1);
	});
	it("passes an exception of its machine to the guard, and continues", () => {
		expectFaults(/^fault: link: Error: mistake/);
		const { hand, machine } = new Bed();
		hand.writable(100);
		machine.onReceive = () => {
			throw new Error("mistake");
		};
		hand.arrive("x");
		machine.onReceive = () => machine.send("ok");
		hand.arrive("y");
		assert.equal(hand.take().at(-1), "write ok");
	});
	it("accepts a transmission that is longer than the port's room, and keeps a copy of it", () => {
		const { hand, machine } = new Bed();
		const bytes = bytesOf(`${"x".repeat(200)}${"y".repeat(100)}`);
		machine.outputs.transmit(bytes, 0, bytes.length);
		hand.writable(200);
		bytes.fill(0);
		hand.writable(200);
		assert.deepEqual(hand.take().slice(-2), [`write ${"x".repeat(200)}`, `write ${"y".repeat(100)}`]);
	});
});

describe("parity on a link", () => {
	it("is added and removed in software if the port can't do it, and is not shown to the tap", () => {
		const { hand, machine, tapped, link } = new Bed(false);
		hand.writable(100);
		machine.send("/?!\r\n");
		link.update(() => {});
		assert.equal(hand.take().at(-1), "write \xaf\x3f\x21\x8d\x0a");
		hand.arrive("\xaf\xcc\x47\x5a\xc7");
		assert.deepEqual(machine.received, ["1000 /LGZ\xc7"]);
		assert.deepEqual(tapped.slice(1), ["> /?!\r\n", "< /LGZ\xc7"]);
	});
	it("is done by the port if its hardware supports 7E1", () => {
		const { hand, machine, link } = new Bed(true);
		hand.writable(100);
		machine.send("/?!");
		link.update(() => {});
		assert.equal(hand.take().at(-1), "write /?!");
		hand.arrive("\xaf/");
		assert.deepEqual(machine.received, ["1000 \xaf/"]);
	});
	it("is not used from a change to 8N1 on", () => {
		const { hand, machine, link } = new Bed(false);
		hand.writable(100);
		machine.outputs.line(9600, FORMAT_8N1);
		machine.send("/\x80");
		link.update(() => {});
		assert.equal(hand.take().at(-1), "write /\x80");
		hand.arrive("\xaf\x7e\xa0");
		assert.deepEqual(machine.received, ["1000 \xaf\x7e\xa0"]);
	});
	it("is detected in software on any port if the other end may use either format", () => {
		for (const [arriving, received] of [
			["\xaf\xcc\x47\x5a\xc7", "/LGZ\xc7"],
			["/LGZ\xc7", "/LGZ\xc7"],
		]) {
			const hand = new HandPort(true);
			const machine = new HandMachine();
			machine.anyFraming = true;
			new Link(
				new Driver({
					clock: { monotonicMs: () => 1000, utcMs: () => undefined, setUTC: () => {} },
					timers: { set: () => assert.fail("a timer was set"), clear: () => {} },
					guard: (_, run) => run(),
				}),
				{
					port: hand.port,
					machine,
					listener: { linkClosed: () => {} },
				},
			);
			assert.equal(hand.options.format, FORMAT_8N1);
			hand.arrive(arriving);
			assert.deepEqual(machine.received, [`1000 ${received}`]);
		}
	});
});

describe("the end of a link", () => {
	it("follows the loss of the port: the port is closed, and then the owner is notified once", () => {
		const bed = new Bed(true, FORMAT_7E1, 5000);
		bed.hand.options.onError?.(SERIAL_ERROR_GONE);
		bed.hand.options.onError?.(SERIAL_ERROR_GONE);
		assert.equal(bed.hand.closes, 1);
		assert.equal(bed.losses, 1);
		assert.equal(bed.timers.size, 0);
	});
	it("is final: nothing is called afterwards, whatever the host still reports", () => {
		const bed = new Bed(true, FORMAT_7E1, 5000);
		const { hand, machine, link } = bed;
		const { callback } = bed.timer();
		machine.send("late");
		link.close();
		link.close();
		assert.equal(hand.closes, 1);
		hand.take();
		hand.writable(100);
		hand.drained();
		hand.arrive("x");
		hand.options.onError?.(SERIAL_ERROR_GONE);
		callback();
		link.update(() => {});
		assert.deepEqual(hand.take(), []);
		assert.deepEqual([machine.received, machine.advanced, bed.losses, bed.timers.size], [[], [], 0, 0]);
	});
	it("may happen in an event; later outputs are then not carried out, and received bytes not read", () => {
		const bed = new Bed();
		const { hand, machine } = bed;
		hand.writable(100);
		machine.onReceive = () => {
			machine.outputs.event(1);
			machine.send("never");
			machine.outputs.event(2);
			machine.deadlineMs = 2000;
		};
		bed.onEvent = () => bed.link.close();
		hand.arrive("x".repeat(100));
		assert.deepEqual(bed.events, [1]);
		assert.equal(machine.received.length, 1);
		assert.deepEqual(hand.take(), ["open 300"]);
		assert.equal(bed.timers.size, 0);
	});
	it("needs no close if the port can't be opened: the constructor throws", () => {
		const world = new Bed();
		const port: SerialPort = {
			hardwareParity: true,
			pins: {},
			io: class {
				constructor() {
					throw new Error("The serial port is not there.");
				}
			} as unknown as SerialPort["io"],
		};
		assert.throws(
			() =>
				new Link(
					new Driver({
						clock: { monotonicMs: () => 0, utcMs: () => undefined, setUTC: () => {} },
						timers: { set: () => assert.fail("a timer was set"), clear: () => {} },
						guard: (_, run) => run(),
					}),
					{
						port,
						machine: world.machine,
						listener: { linkClosed: () => {} },
					},
				),
			/not there/,
		);
	});
});

describe("the timer of a link", () => {
	it("is set to the machine's deadline when the link is created, and advances the machine then", () => {
		const bed = new Bed(true, FORMAT_7E1, 1500);
		assert.equal(bed.timer().delayMs, 500);
		bed.fire();
		assert.deepEqual(bed.machine.advanced, [1500]);
		assert.equal(bed.timers.size, 0);
	});
	it("is not set without a deadline", () => assert.equal(new Bed().timers.size, 0));
	it("fires at once for a deadline in the past", () => {
		assert.equal(new Bed(true, FORMAT_7E1, 10).timer().delayMs, 0);
	});
	it("is kept when the deadline moves later, and is set again when it fires too early", () => {
		const bed = new Bed(true, FORMAT_7E1, 1500);
		const first = bed.timer();
		bed.machine.onReceive = () => {
			bed.machine.deadlineMs = 3000;
		};
		for (let i = 0; i < 10; i++) bed.hand.arrive("x");
		assert.equal(bed.timer(), first);
		bed.fire();
		assert.deepEqual(bed.machine.advanced, []);
		assert.equal(bed.timer().delayMs, 1500);
		bed.fire();
		assert.deepEqual(bed.machine.advanced, [3000]);
	});
	it("is set again when the deadline moves earlier", () => {
		const bed = new Bed(true, FORMAT_7E1, 5000);
		bed.machine.onReceive = () => {
			bed.machine.deadlineMs = 1200;
		};
		bed.hand.arrive("x");
		assert.equal(bed.timer().delayMs, 200);
	});
	it("gives the machine the actual time if it fires late, and is then set again", () => {
		const bed = new Bed(true, FORMAT_7E1, 1500);
		bed.machine.onAdvance = () => {
			bed.machine.deadlineMs = 2000;
		};
		bed.fire(700);
		assert.deepEqual(bed.machine.advanced, [2200]);
		assert.equal(bed.timer().delayMs, 0);
	});
	it("first passes on bytes that arrived while the script was blocked, which is not silence of the line", () => {
		const bed = new Bed(true, FORMAT_8N1, 1300);
		const { hand, machine } = bed;
		machine.onReceive = () => {
			machine.deadlineMs = bed.nowMs + 300;
		};
		hand.incoming.push(...bytesOf("AB12"));
		bed.fire(400);
		assert.deepEqual(machine.received, ["1700 AB12"]);
		assert.deepEqual(machine.advanced, []);
		assert.equal(bed.timer().delayMs, 300);
		bed.fire();
		assert.deepEqual(machine.advanced, [2000]);
	});
	it("sends the output that the machine makes at its deadline", () => {
		const bed = new Bed(true, FORMAT_7E1, 1500);
		bed.hand.writable(100);
		bed.machine.onAdvance = () => {
			bed.machine.send("due");
			bed.machine.deadlineMs = Number.POSITIVE_INFINITY;
		};
		bed.fire();
		assert.equal(bed.hand.take().at(-1), "write due");
	});
	it("may fire a millisecond early", () => {
		const bed = new Bed(true, FORMAT_7E1, 1500.4);
		bed.nowMs = 1000;
		bed.fire(-1);
		assert.deepEqual(bed.machine.advanced, []);
		assert.ok(bed.timer().delayMs > 0);
		bed.fire();
		assert.equal(bed.machine.advanced.length, 1);
	});
});
