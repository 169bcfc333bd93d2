/**
 * A hostile server in place of Home Assistant, for REST and for the WebSocket of the statistics. Nothing throws; the
 * gateway keeps neither the permit for TLS nor memory; and states and statistics arrive again at an honest server, in
 * which every row of the statistics has the counter of its hour.
 */
import assert from "node:assert/strict";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import { checkFaults } from "../faults.js";
import { ADDRESS, HubBed, OWN_CERTIFICATE } from "../hub/bed.js";
import { StatisticsServer } from "../hub/statistics-server.js";
import { frame } from "../websocket/server.js";
import { makeHostile } from "./hostile-link.js";
import type { Mutator } from "./mutator.js";

const QUARTER_MS = 900_000;
const SECOND_MS = 1000;
const START_MS = Date.UTC(2026, 0, 5, 0, 0, 3);
const CERTIFICATE = OWN_CERTIFICATE.certificate;
/** Longest time for which the hub may keep the permit, s: a batch, and 16 messages of 8 s. */
const PERMIT_LIMIT_S = 240;
/** Time within which states and statistics arrive again, in quarters of an hour: an hour after a refusal, and some more. */
const HEAL_LIMIT = 8;

const TEXTS: readonly string[] = [
	'{"type":"auth_required","ha_version":"2026.2.3"}',
	'{"type":"auth_ok","ha_version":"2026.2.3"}',
	'{"type":"auth_invalid","message":"Invalid"}',
	'{"id":1,"type":"result","success":true,"result":{"change":5}}',
	'{"id":1,"type":"result","success":true,"result":{"change":null}}',
	'{"id":2,"type":"result","success":false,"error":{"code":"x","message":"y"}}',
	'{"success":"true"}',
	'["auth_required"]',
	"[".repeat(900),
	'"\u0000\u{1f600}"',
	"null",
	"",
];
const FIRST_BYTES = [0x81, 0x81, 0x81, 0x01, 0x80, 0x00, 0x82, 0x88, 0x89, 0x8a, 0x09, 0x83, 0xc1, 0xff];
const HEADS: readonly string[] = [
	"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
	"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFF\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
	"HTTP/1.1 100 Continue\r\n\r\n",
	"HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
	"HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\n\r\n",
	"HTTP/1.1 401 Unauthorized\r\n\r\n",
	"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n",
	"HTTP/1.0 200\r\n\r\n",
	"SSH-2.0-OpenSSH_9.2p1\r\n",
	`HTTP/1.1 200 OK\r\nX: ${"y".repeat(9000)}`,
];

function oddFrame(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	const first = mutator.pick(FIRST_BYTES);
	switch (random.below(8)) {
		case 0:
			// A length in eight bytes, or a mask, and no payload.
			return Uint8Array.of(first, mutator.pick([0x7f, 0xff, 0x80, 0xfe]), ...random.bytes(random.below(12)));
		case 1:
			return frame(first, random.bytes(random.below(random.oneIn(3) ? 1200 : 130)));
		case 2:
			// A length that does not need its two bytes.
			return Uint8Array.of(first, 126, 0, 5, ...Buffer.from("hello"));
		case 3:
			return frame(first, "");
		default:
			return frame(first, mutator.pick(TEXTS));
	}
}

export function oddReply(mutator: Mutator): Uint8Array {
	const { random } = mutator;
	if (random.oneIn(10)) return random.bytes(1 + random.below(600));
	if (random.oneIn(2)) return oddFrame(mutator);
	const head = Buffer.from(mutator.pick(HEADS));
	return random.oneIn(3) ? mutator.mutate(head, Buffer.from(mutator.pick(HEADS))) : head;
}

export class HostileHub {
	readonly bed: HubBed;
	readonly #statistics: StatisticsServer;
	/** Counter in Wh. */
	#wh = 5_000_000;
	/** Counters at the beginning of each hour, by Unix time in seconds. */
	readonly #counters = new Map<number, number>();
	#utcMs = START_MS;

	constructor() {
		const flash = new VirtualFlash();
		const storage = new VirtualStorage();
		const url = "https://hub.lan:8123";
		const certificate = Buffer.from(CERTIFICATE);
		this.bed = new HubBed({ flash, storage, url, certificate, utcMs: this.#utcMs });
		this.#statistics = new StatisticsServer(this.bed.server);
		this.#checkGood();
	}

	run(mutator: Mutator): void {
		const { bed } = this;
		const { random } = mutator;
		const { time } = bed.world;
		const onConnection = (peer: Parameters<typeof makeHostile>[0]) => makeHostile(peer, time, mutator, oddReply);
		bed.server.serve(8123, { certificate: CERTIFICATE, onConnection });
		// Takes everything, because a client may leave out steps if it got an answer that was not meant for it.
		this.#statistics.answer = ({ id, type }) =>
			type === "auth" ? { type: "auth_ok" } : { id, success: true, result: { change: mutator.pick([5, null]) } };
		for (let quarters = 1 + random.below(6); quarters > 0; quarters--) {
			if (random.oneIn(8)) bed.server.forget();
			if (random.oneIn(8)) bed.hub.settingsChanged();
			if (random.oneIn(8)) bed.hub.test({ finished: () => {} });
			this.#passQuarter();
		}
		this.#checkPermit();
		bed.world.servers.stop(ADDRESS, 8123);
		this.#passQuarter();
		this.#statistics.answer = undefined;
		this.#checkGood();
	}

	/** The meter is read at the beginning of the quarter. */
	#readMeter(): void {
		const timeS = Math.floor(this.#utcMs / 1000);
		if (timeS % 3600 < 900) this.#counters.set(timeS - (timeS % 3600), this.#wh);
		this.bed.read(`0.0.0(1001)\r\n1-0:1.8.0(${(this.#wh / 1000).toFixed(3)}*kWh)`);
	}

	#passQuarter(ms = QUARTER_MS): void {
		if (ms === QUARTER_MS) this.#readMeter();
		this.bed.advance(ms);
		this.#wh += 50 + (Math.floor(this.#utcMs / 1000) % 101);
		this.#utcMs += QUARTER_MS;
		checkFaults();
	}

	/** Another output gets the permit soon, although the server is still hostile. */
	#checkPermit(): void {
		const { bed } = this;
		let isGranted = false;
		const other = {
			permitGranted: () => {
				isGranted = true;
			},
			permitRequested: () => {},
		};
		this.#readMeter();
		isGranted = bed.tlsPermit.request(other);
		let seconds = 0;
		for (; !isGranted; seconds++) {
			assert.ok(seconds < PERMIT_LIMIT_S, `the hub keeps the permit: ${bed.hub.state}, ${bed.hub.statistics.state}`);
			bed.advance(SECOND_MS);
		}
		bed.tlsPermit.release(other);
		this.#passQuarter(QUARTER_MS - seconds * SECOND_MS);
	}

	#checkGood(): void {
		const { bed } = this;
		bed.server.serve(8123, { certificate: CERTIFICATE });
		const isWell = () => bed.hub.state === "ok" && bed.hub.statistics.state === "ok" && !bed.hub.isSending;
		this.#passQuarter();
		for (let quarters = 0; !isWell() || quarters < 1; quarters++) {
			assert.ok(quarters < HEAL_LIMIT, `${bed.hub.state}, ${bed.hub.statistics.state}`);
			this.#passQuarter();
		}
		const state = bed.server.states.get("sensor.smart_gateway_1_0_1_8_0")?.state;
		const before = Math.floor((this.#utcMs - QUARTER_MS) / 1000) % 101;
		assert.equal(Math.round(Number(state) * 1000), this.#wh - 50 - before, "the last readout has not arrived");
		for (const [startS, { sum }] of this.#statistics.rowsOf("import"))
			if (startS * 1000 >= START_MS)
				assert.equal(Math.round(sum * 1000), this.#counters.get(startS + 3600), `row of ${startS}`);
		bed.ledger.fits({ slots: 0, chunkBytes: 0 });
		assert.equal(bed.promised, 0, "memory stays claimed");
		checkFaults();
	}
}
