/** Statistics for Home Assistant from the history: first set-up, outages, restarts, exchanges of the meter, refusals. */
import assert from "node:assert/strict";
import { VirtualFlash } from "../../hosts/node/virtual-flash.js";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { VirtualStorage } from "../../hosts/node/virtual-storage.js";
import type { PermitClient } from "../../modules/io/tls-permit.js";
import { HUB_URL } from "../../modules/parts/hub/fields.js";
import { HubBed, OWN_CERTIFICATE, TOKEN } from "./bed.js";
import { CUT, type Message, SILENCE, StatisticsServer } from "./statistics-server.js";

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START_MS = Date.UTC(2026, 0, 5, 0, 0, 3);

/** A home over restarts of gateway and hub: the meter, flash, and what the hub has stored. */
class Home {
	readonly flash = new VirtualFlash();
	readonly storage = new VirtualStorage();
	bed!: HubBed;
	server!: StatisticsServer;
	/** Counters in Wh: import, of it tariff 2, export. */
	wh = 5_000_000;
	tariff2 = 1_000_000;
	exported = 100_000;
	serial = "1001";
	/** Counters at the beginning of each hour, by Unix time in seconds. */
	readonly counters = new Map<number, number>();
	isUp = true;
	utcMs = START_MS;

	constructor() {
		this.restart();
	}

	/** Restarts the gateway; the hub's data remain. */
	restart(): void {
		this.bed?.hub.whenStopping();
		this.bed = new HubBed({ flash: this.flash, storage: this.storage, utcMs: this.utcMs });
		const { rows } = this.server ?? {};
		this.server = new StatisticsServer(this.bed.server);
		if (rows !== undefined) this.server.rows = rows;
		if (this.isUp) this.bed.server.serve(8123);
	}

	turn(isUp: boolean): this {
		this.isUp = isUp;
		const { world } = this.bed;
		if (isUp) this.bed.server.serve(8123);
		else world.servers.stop("192.0.2.7", 8123);
		return this;
	}

	/** Lets time pass, with a readout in each quarter of an hour. */
	run(ms: number): void {
		for (const endMs = this.utcMs + ms; this.utcMs < endMs; this.utcMs += QUARTER) {
			const timeS = Math.floor(this.utcMs / 1000);
			if (timeS % 3600 < 900) this.counters.set(timeS - (timeS % 3600), this.wh);
			const kWh = (wh: number) => (wh / 1000).toFixed(3);
			this.bed.read(
				`0.0.0(${this.serial})\r\n1.8.0(${kWh(this.wh)}*kWh)\r\n1.8.2(${kWh(this.tariff2)}*kWh)\r\n2.8.0(${kWh(this.exported)}*kWh)`,
			);
			this.wh += 50 + (timeS % 101);
			this.tariff2 += 10;
			this.exported += 3;
			this.bed.advance(QUARTER);
		}
	}

	/** Compares what the energy dashboard shows with the meter, hour by hour from `fromS` on; returns the hours. */
	check(fromS = 0): number {
		const changes = this.server.changesOf("import");
		let hours = 0;
		for (const [startS, change] of changes) {
			if (startS < fromS) continue;
			const [before, after] = [this.counters.get(startS), this.counters.get(startS + 3600)];
			assert.equal(change, after! - before!, new Date(startS * 1000).toISOString());
			hours++;
		}
		return hours;
	}

	get total(): number {
		return [...this.server.changesOf("import").values()].reduce((sum, change) => sum + change, 0);
	}
}

describe("Statistics for the hub", function () {
	this.timeout(60_000);

	it("contain each hour of the meter from the first set-up on, within a quarter of an hour, and no jump at the beginning", () => {
		const home = new Home();
		home.turn(false).run(3 * DAY);
		home.turn(true).run(HOUR);
		assert.equal(home.bed.hub.statistics.state, "ok");
		assert.equal(home.check(), 72);
		assert.ok(home.server.imports.every((count) => count <= 25));
		const { imports } = home.server;
		imports.splice(0);
		home.run(5 * HOUR);
		assert.equal(home.check(), 77);
		// Four series of one row an hour.
		assert.deepEqual(imports, new Array(20).fill(1));
		assert.equal(home.bed.hub.statistics.uptoS, Math.floor(START_MS / 1000 - 3) + 77 * 3600);
		const [startS, { sum }] = home.server.rowsOf("import").at(-1)!;
		assert.equal(sum * 1000, home.counters.get(startS + 3600));
	});

	it("have export and both tariffs, with names and units that Home Assistant accepts", () => {
		const home = new Home();
		home.run(4 * HOUR);
		const [, imported] = home.server.rowsOf("import").at(-1)!;
		const [, tariff1] = home.server.rowsOf("import_t1").at(-1)!;
		const [, tariff2] = home.server.rowsOf("import_t2").at(-1)!;
		assert.equal(Math.round((tariff1.sum + tariff2.sum) * 1000), Math.round(imported.sum * 1000));
		assert.deepEqual(new Set(home.server.changesOf("import_t2").values()), new Set([40]));
		assert.deepEqual(new Set(home.server.changesOf("export").values()), new Set([12]));
		assert.deepEqual(home.server.metadata.get("smart_meter_gateway:smart_gateway_export"), {
			statistic_id: "smart_meter_gateway:smart_gateway_export",
			source: "smart_meter_gateway",
			name: "Smart-Gateway export",
			has_sum: true,
			mean_type: 0,
			unit_class: "energy",
			unit_of_measurement: "kWh",
		});
	});

	it("contain every hour of a day without network, and do not disturb the states", () => {
		const home = new Home();
		home.run(6 * HOUR);
		home.turn(false).run(DAY);
		assert.equal(home.check(), 5);
		home.turn(true).run(2 * HOUR);
		assert.equal(home.check(), 31);
		assert.equal(home.total, home.counters.get(Math.floor(START_MS / 1000) - 3 + 31 * 3600)! - 5_000_000);
		assert.equal(home.bed.hub.state, "ok");
	});

	it("continue after restarts of the gateway between two pieces, whichever messages were accepted", () => {
		const home = new Home();
		home.turn(false).run(9 * DAY);
		home.turn(true);
		for (let cut = 1; cut <= 12; cut++) {
			// In each round the hub accepts one message more before the power is cut.
			let left = 2 * cut;
			home.server.answer = () => (left-- > 0 ? undefined : CUT);
			home.run(QUARTER);
			home.restart();
		}
		home.run(2 * HOUR);
		assert.equal(home.check(), 9 * 24 + 4);
	});

	it("have true sums although a readout arrives while the history is read", () => {
		const home = new Home();
		home.run(20 * DAY);
		const { bed } = home;
		// Everything is sent again, beginning at different times before a readout.
		for (let ms = 2100; ms < 4000; ms += 100) {
			bed.world.time.set(() => bed.hub.settingsChanged(), QUARTER - ms);
			home.run(HOUR);
			home.check();
			assert.equal(bed.hub.statistics.state, "ok");
		}
	});

	it("are the same if everything is sent again", () => {
		const home = new Home();
		home.run(2 * DAY);
		const before = structuredClone(home.server.rows);
		home.server.imports.splice(0);
		home.bed.hub.settingsChanged();
		home.bed.advance(MINUTE);
		assert.deepEqual(home.server.rows, before);
		// All hours, and the row before them, of four series.
		assert.equal(
			home.server.imports.reduce((sum, count) => sum + count, 0),
			4 * 48,
		);
	});

	it("have no jump after a reset of the gateway, because the sum is the meter's counter", () => {
		const home = new Home();
		home.run(DAY);
		home.storage.delete("hub_statistics");
		home.bed.history!.whenErasing();
		home.restart();
		home.run(DAY);
		const changes = [...home.server.changesOf("import").values()];
		assert.ok(
			changes.every((change) => change >= 0 && change < 1500),
			changes.join(),
		);
	});

	it("have no negative and no huge consumption after an exchange of the meter, also during an outage", () => {
		const home = new Home();
		for (const isUp of [true, false]) {
			home.run(5 * HOUR);
			home.turn(isUp).run(2 * HOUR);
			home.serial += "9";
			home.wh = isUp ? 123_000 : 77_000_000;
			home.tariff2 = 3000;
			home.exported = 5;
			home.run(3 * HOUR);
			home.turn(true).run(3 * HOUR);
		}
		for (const key of ["import", "import_t1", "import_t2", "export"]) {
			const changes = [...home.server.changesOf(key).values()];
			assert.ok(
				changes.every((change) => change >= 0 && change < 1500),
				`${key}: ${changes}`,
			);
			assert.ok(changes.length >= 23, `${changes.length}`);
		}
		// All again: the offset remains, and so does each sum.
		const sums = () => home.server.rowsOf("import").map(([at, row]) => `${at} ${row.sum.toFixed(3)}`);
		const before = sums();
		home.bed.hub.settingsChanged();
		home.bed.advance(MINUTE);
		assert.deepEqual(sums(), before);
	});

	it("consist of days where the history no longer has hours, without a jump", () => {
		const home = new Home();
		home.turn(false).run(40 * DAY);
		home.turn(true).run(HOUR);
		const changes = home.server.changesOf("import");
		// At least two weeks of hours, and days before them.
		assert.ok(changes.size > 14 * 24 && changes.size < 30 * 24, `${changes.size}`);
		const starts = [...changes.keys()];
		assert.deepEqual(
			starts.slice(1, 8).map((startS, i) => startS - starts[i]),
			new Array(7).fill(86_400),
		);
		// At most 150 Wh in each quarter of an hour.
		assert.ok([...changes.values()].every((change) => change >= 0 && change < 151 * 96));
		const firstS = [...home.counters.keys()][0];
		const lastS = [...changes.keys()].at(-1)! + 3600;
		assert.equal(home.total, home.counters.get(lastS)! - home.counters.get(firstS)!);
		home.restart();
		home.bed.hub.settingsChanged();
		const before = home.total;
		home.run(HOUR);
		assert.ok(home.total > before);
	});

	it("are off at first, and then nothing but states is sent", () => {
		const home = new Home();
		home.bed.settings.statistics = false;
		home.run(5 * HOUR);
		assert.equal(home.server.messages, 0);
		assert.equal(home.bed.hub.statistics.state, "off");
		assert.equal(home.bed.hub.state, "ok");
	});

	const refusals: [string, Message][] = [
		["an unknown command", { code: "unknown_command", message: "Unknown command." }],
		["a wrong format", { code: "invalid_format", message: `"${"x".repeat(700)}"` }],
	];
	for (const [name, error] of refusals) {
		it(`report ${name}, try again, and go on`, () => {
			const home = new Home();
			let asked = 0;
			home.server.answer = ({ id, type }) => {
				if (type === "auth") return undefined;
				asked++;
				return { id, type: "result", success: false, error };
			};
			home.run(3 * HOUR);
			assert.equal(home.bed.hub.statistics.state, "statistics_refused");
			assert.equal(home.bed.hub.state, "ok");
			assert.deepEqual(home.bed.events, []);
			assert.ok(asked >= 4 && asked <= 12, `${asked}`);
			assert.ok(home.bed.server.takeLog().length > 10 * 5);
			home.server.answer = undefined;
			home.run(3 * HOUR);
			assert.equal(home.bed.hub.statistics.state, "ok");
			assert.equal(home.check(), 5);
		});
	}

	it("report a token that the WebSocket refuses, a proxy that lets no WebSocket through, and a missing server", () => {
		const home = new Home();
		home.server.answer = () => ({ type: "auth_invalid", message: "Invalid access token" });
		home.run(2 * HOUR);
		assert.equal(home.bed.hub.statistics.state, "statistics_refused");
		home.restart();
		home.server.handshake = () => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
		home.run(HOUR);
		assert.equal(home.bed.hub.statistics.state, "statistics_refused");
		home.restart();
		home.server.answer = () => CUT;
		home.run(HOUR);
		assert.equal(home.bed.hub.statistics.state, "connection_lost");
		assert.equal(home.bed.hub.state, "ok");
	});

	it("send the token once, and end if the hub asks for it again and again", () => {
		const home = new Home();
		home.server.answer = () => ({ type: "auth_required", ha_version: "2026.2.3" });
		home.run(2 * HOUR);
		assert.equal(home.bed.hub.statistics.state, "statistics_refused");
		// One message in each run, of which there is one after each readout.
		assert.ok(home.server.messages > 0 && home.server.messages <= 8, `${home.server.messages}`);
	});

	it("use one connection for each piece, and give way to a test at once", () => {
		const home = new Home();
		home.turn(false).run(8 * DAY);
		const { bed } = home;
		home.turn(true).run(HOUR);
		const { imports } = home.server;
		assert.equal(home.check(), 8 * 24);
		imports.splice(0);
		bed.hub.settingsChanged();
		bed.advance(5000);
		// The first piece has the row before the first hour too.
		assert.deepEqual(imports, [25, 25, 25, 25]);
		bed.advance(10_000);
		assert.deepEqual(imports.splice(0), [25, 25, 25, 25, 24, 24, 24, 24]);
		bed.advance(2 * MINUTE);
		assert.equal(bed.hub.statistics.uptoS, Math.floor(START_MS / 1000 - 3) + (8 * DAY) / 1000);
		// A test in the middle of a piece is answered at once.
		bed.hub.settingsChanged();
		home.server.answer = ({ type }) => (type === "recorder/import_statistics" ? SILENCE : undefined);
		bed.advance(3000);
		const outcome = bed.test();
		assert.equal(outcome?.failure, undefined);
		assert.ok(outcome!.ms < 2000, `${outcome!.ms}`);
	});

	it("are sent again from the oldest row that was filled in from the meter", () => {
		const home = new Home();
		home.run(3 * DAY);
		const { backfill, hub } = home.bed;
		const { imports } = home.server;
		const before = structuredClone(home.server.rows);
		imports.splice(0);
		backfill.filledS = Math.floor(START_MS / 1000) - 3 + 2 * 24 * 3600;
		home.bed.advance(10 * MINUTE);
		const sent = () => imports.splice(0).reduce((sum, count) => sum + count, 0);
		assert.equal(sent(), 4 * 23);
		assert.equal(hub.statistics.state, "ok");
		assert.deepEqual(home.server.rows, before);
		// They are sent again only once, even after a restart.
		home.bed.advance(10 * MINUTE);
		home.restart();
		home.bed.backfill.filledS = backfill.filledS;
		home.bed.advance(10 * MINUTE);
		assert.equal(sent(), 0);
	});

	it("use one TLS connection at a time, with the permit", () => {
		const { certificate } = OWN_CERTIFICATE;
		const home = new Home();
		home.turn(false).run(DAY);
		const { bed } = home;
		const { server, tlsPermit } = bed;
		bed.settings[HUB_URL.name] = "https://hub.lan:8123";
		bed.trust(certificate);
		server.serve(8123, { certificate });
		const other: PermitClient = { permitGranted: () => {}, permitRequested: () => {} };
		const peers: VirtualClient[] = [];
		const upgrade = server.upgrade!;
		server.upgrade = (peer, head) => {
			assert.ok(peers.every(({ isClosed }) => isClosed));
			assert.equal(tlsPermit.request(other), false, "the hub has the permit");
			tlsPermit.release(other);
			peers.push(peer);
			upgrade(peer, head);
		};
		home.run(2 * HOUR);
		assert.equal(home.check(), 25);
		assert.ok(peers.length >= 2, `${peers.length} connections`);
		assert.equal(tlsPermit.request(other), true, "the permit was released");
	});

	it("are not sent to a hub that refuses states", () => {
		const home = new Home();
		home.bed.settings.token = `${TOKEN}x`;
		home.run(3 * HOUR);
		assert.equal(home.server.messages, 0);
	});
});
