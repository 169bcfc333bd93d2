/** An update needs free heap, and takes the permit for outgoing TLS, so that hub and broker release their memory. */
import assert from "node:assert/strict";
import { NodeCrypto } from "../../hosts/node/platform.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { VirtualTime } from "../../hosts/node/virtual-time.js";
import { Driver } from "../../modules/io/driver.js";
import { MemoryLedger } from "../../modules/io/memory.js";
import { type PermitClient, TLSPermit } from "../../modules/io/tls-permit.js";
import { NO_MEMORY, TAKEN } from "../../modules/update/refusals.js";
import { type Sender, Updater } from "../../modules/update/updater.js";
import { makeFile, makeImage, makeSlots, UNIT } from "./firmware-files.js";

const crypto = new NodeCrypto();

/** An output that releases its permit on request, and requests it again. */
class Output implements PermitClient {
	readonly tlsPermit: TLSPermit;
	hasPermit = false;
	constructor(tlsPermit: TLSPermit) {
		this.tlsPermit = tlsPermit;
		this.hasPermit = tlsPermit.request(this);
	}
	permitGranted(): void {
		this.hasPermit = true;
	}
	permitRequested(): void {
		this.hasPermit = false;
		this.tlsPermit.release(this);
		this.tlsPermit.request(this);
	}
}

describe("An output, during an update", () => {
	const time = new VirtualTime();
	let tlsPermit: TLSPermit;
	let output: Output;
	let updater: Updater;
	let heapBytes = 0;
	const memory = { suffices: () => true, free: () => ({ slots: 1000, chunkBytes: 10_000, heapBytes }) };
	const file = makeFile(makeImage());
	const sender = (more: Partial<Sender> = {}): Sender => ({ name: "test", updated: () => {}, ...more });

	beforeEach(() => {
		heapBytes = 50_000;
		tlsPermit = new TLSPermit();
		output = new Output(tlsPermit);
		const driver = new Driver({ clock: time, timers: time, guard: (_part, run) => run() });
		const update = makeSlots().start(crypto, () => {});
		updater = new Updater(
			{ update },
			{ info: UNIT, crypto, storage: new VirtualStorage(), driver, trace: () => {} } as never,
			{
				ledger: new MemoryLedger(memory),
				events: { note: () => {} },
				live: { changed: () => {} },
				restartSoon: () => {},
				tlsPermit,
			} as never,
		);
	});

	it("releases its permit while a file arrives, and gets it back when the update is aborted", () => {
		assert.ok(output.hasPermit);
		assert.equal(updater.begin(sender(), file.length), TAKEN);
		assert.ok(!output.hasPermit);
		updater.write(file, 0, 1000);
		assert.ok(!output.hasPermit);
		updater.abort();
		assert.equal(updater.state, "idle");
		assert.ok(output.hasPermit);
	});

	it("keeps its permit if too little heap is free for unpacking and verifying the file", () => {
		heapBytes = 39_000;
		assert.equal(updater.begin(sender(), file.length), NO_MEMORY);
		assert.ok(output.hasPermit);
		assert.equal(updater.state, "idle");
		heapBytes = 40_000;
		assert.equal(updater.begin(sender(), file.length), TAKEN);
	});

	it("begins a download with less heap, because the memory of its connection is taken already", () => {
		heapBytes = 30_000;
		assert.equal(updater.begin(sender({ isDownload: true }), file.length), TAKEN);
	});

	it("gets its permit back when the file is refused", () => {
		updater.begin(sender(), file.length);
		updater.write(new Uint8Array(200), 0, 200);
		assert.equal(updater.lastError, "ota_invalid_image");
		assert.ok(output.hasPermit);
	});

	it("keeps its permit during a slow upload, which takes hours", () => {
		assert.equal(updater.begin(sender({ isSlow: true }), file.length), TAKEN);
		assert.ok(output.hasPermit);
	});
});
