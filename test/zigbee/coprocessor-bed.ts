/** The driver with a simulated coprocessor, in virtual time. */
import assert from "node:assert/strict";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Driver } from "../../modules/io/driver.js";
import type { CoprocessorPort } from "../../modules/io/host.js";
import { Link } from "../../modules/io/link.js";
import { Coprocessor } from "../../modules/zigbee/coprocessor.js";
import { RADIO_CODES, type RadioListener } from "../../modules/zigbee/radio.js";
import type { Faults } from "../../tools/zigbee/faults.js";
import { guard } from "../faults.js";
import { type RadioOptions, VirtualRadio } from "./virtual-radio.js";

const SERVERS = Object.freeze([0x0000, 0x0003, 0x0702]);
const CLIENTS = Object.freeze([0x000a, 0x0019]);

export class CoprocessorBed implements RadioListener {
	readonly servers = SERVERS;
	readonly clients = CLIENTS;
	readonly time = new VirtualTime();
	readonly radio: VirtualRadio;
	readonly driver: Coprocessor;
	readonly link: Link;
	readonly states: string[] = [];
	readonly sents: number[] = [];

	constructor(role: number, options: RadioOptions) {
		this.radio = new VirtualRadio(options);
		const port: CoprocessorPort = this.radio.make(this.time);
		this.driver = new Coprocessor(this, role, port);
		const driver = new Driver({ clock: this.time, timers: this.time, guard });
		this.link = new Link(driver, {
			port,
			machine: this.driver,
			listener: { linkEvent: () => assert.fail("the link has reported an event"), linkClosed: () => {} },
		});
		this.link.update((nowMs) => this.driver.start(nowMs));
		this.after(1000);
	}

	get state(): string {
		return RADIO_CODES[this.driver.state];
	}

	radioChanged(): void {
		this.states.push(this.state);
	}

	received(): void {}

	sent(status: number): void {
		this.sents.push(status);
	}

	after(ms: number): this {
		this.time.advance(ms);
		return this;
	}

	join(coordinator = this.radio.coordinator): this {
		coordinator.isOpen = true;
		this.link.update((nowMs) => this.driver.join(nowMs));
		return this;
	}

	/** Makes the coordinator remove the device: ZDO Leave (Zigbee specification, 2.4.3.3.5). */
	remove(): this {
		const { chip, coordinator } = this.radio;
		const payload = Buffer.concat([Buffer.of(9), chip.ieee, Buffer.of(0)]);
		coordinator.send(chip.network!.shortAddress, { cluster: 0x0034, profile: 0, payload });
		return this;
	}

	leave(): this {
		this.link.update((nowMs) => this.driver.leave(nowMs));
		return this;
	}

	report(): number | undefined {
		this.sents.length = 0;
		const bytes = Uint8Array.of(0x18, 1, 0x0a, 0, 4, 0x2a, 1, 0, 0);
		const frame = { cluster: 0x0702, destination: 0, destinationEndpoint: 1, bytes, start: 0, end: bytes.length };
		this.link.update((nowMs) => this.driver.send(frame, nowMs));
		this.after(1000);
		return this.sents[0];
	}

	fault(faults: Partial<Faults>): this {
		Object.assign(this.radio.chip.faults, faults);
		return this;
	}

	/** NV items that contain this key. */
	secrets(key: Buffer): string[] {
		const { contents } = this.radio.nv;
		return Object.keys(contents).filter((id) => contents[id].includes(key.toString("hex")));
	}
}
