import assert from "node:assert/strict";
import {
	type AccessPointOptions,
	type StationOptions,
	type StationStatus,
	WIFI_REASON_AUTH_FAIL,
	WIFI_REASON_NO_AP_FOUND,
	type WiFi,
} from "../../modules/io/wifi.js";
import { WIFI_LOST, WIFI_NO_ADDRESS, WIFI_NOT_FOUND, WIFI_WRONG_PASSWORD } from "../../modules/network/failures.js";
import {
	APPLY_ACCESS_POINT,
	APPLY_FLAGS,
	APPLY_STATION,
	STATION_JOINING,
	STATION_OFF,
	STATION_ONLINE,
	STATION_WAITING,
	WiFiPolicy,
	type WiFiSettings,
} from "../../modules/network/policy.js";

const S = 1000;
const HOME: StationOptions = Object.freeze({ ssid: "home", password: "home-secret", hostname: "gateway" });
const NEW: StationOptions = Object.freeze({ ssid: "new", password: "new-secret", hostname: "gateway" });
const STATUS: StationStatus = Object.freeze({
	...{ ssid: "home", bssid: "02005e200006", rssi: -50, channel: 6, authmode: 3 },
	...{ ip: "192.0.2.20", netmask: "255.255.255.0", gateway: "192.0.2.1" },
});

/** A radio that only records its calls. */
class RecordingRadio implements WiFi {
	station: StationStatus | undefined = STATUS;
	accessPoint: AccessPointOptions | undefined;
	joining: StationOptions | undefined;
	channel = 6;
	canScan = true;
	transmitDBm = -1;
	connects = 0;
	isClosed = false;

	connect(options: StationOptions): void {
		assert.notEqual(this.transmitDBm, -1, "it would transmit with full power");
		this.joining = options;
		this.connects++;
	}
	disconnect(): void {
		this.joining = undefined;
	}
	startAccessPoint(options: AccessPointOptions): void {
		assert.notEqual(this.transmitDBm, -1, "it would transmit with full power");
		this.accessPoint = options;
	}
	stopAccessPoint(): void {
		this.accessPoint = undefined;
	}
	scan(): boolean {
		return this.canScan;
	}
	scanned(): undefined {}
	setTransmitPower(dBm: number): void {
		this.transmitDBm = dBm;
	}
	close(): void {
		this.isClosed = true;
	}
}

/** The policy with its settings and its radio; the test sets the time. */
class Bed {
	nowMs = 1000;
	readonly radio = new RecordingRadio();
	readonly settings = {
		wifiEnabled: true as boolean,
		fallbackEnabled: true as boolean,
		accessPointEnabled: false as boolean,
		accessPoint: { ssid: "gateway", password: "access-point-key" },
		transmitDBm: 0,
		station: undefined as StationOptions | undefined,
		onTrial: false as boolean,
		retained: 0,
		reverted: 0,
		keepStation: () => {
			this.settings.retained++;
			this.settings.onTrial = false;
		},
		revertStation: () => {
			this.settings.reverted++;
			this.settings.onTrial = false;
			this.settings.station = HOME;
		},
	} satisfies WiFiSettings & Record<string, unknown>;
	readonly policy = new WiFiPolicy(this.settings, () => {});

	/** Calls the policy as the driver does: all effects follow a change. */
	update<Result>(change: (policy: WiFiPolicy, nowMs: number) => Result): Result {
		try {
			return change(this.policy, this.nowMs);
		} finally {
			if (this.policy.isScanOver(this.nowMs)) this.policy.endScan();
			this.policy.settle(this.nowMs);
			this.check();
		}
	}

	/** Advances time, and the policy whenever it is due. */
	pass(ms: number): void {
		const untilMs = this.nowMs + ms;
		for (let calls = 0; this.policy.deadlineMs <= untilMs; calls++) {
			assert.ok(calls < 1000, "the policy is due again and again");
			this.nowMs = Math.max(this.nowMs, this.policy.deadlineMs);
			this.update((policy, nowMs) => policy.advance(nowMs));
		}
		this.nowMs = untilMs;
	}

	apply(what: number): void {
		this.update((policy, nowMs) => policy.applySoon(what, nowMs));
		this.pass(1500);
	}

	/** Checks the invariants of every state. */
	private check(): void {
		const { policy, radio } = this;
		if (radio.isClosed) {
			assert.equal(policy.deadlineMs, Number.POSITIVE_INFINITY);
			return;
		}
		assert.equal(policy.accessPointOn, radio.accessPoint !== undefined);
		if (!policy.isOn) assert.deepEqual([policy.state, policy.accessPointOn], [STATION_OFF, false]);
		if (policy.state === STATION_JOINING) assert.notEqual(radio.joining, undefined);
		if (policy.state === STATION_OFF) assert.equal(radio.joining, undefined);
		if (!policy.accessPointOn) assert.equal(policy.clients, 0);
	}
}

/** A bed that was brought into this state by as few events as possible. */
function bedIn(state: number): Bed {
	const bed = new Bed();
	if (state !== STATION_OFF) bed.settings.station = HOME;
	bed.update((policy, nowMs) => policy.start(bed.radio, nowMs));
	if (state === STATION_WAITING) bed.update((policy, nowMs) => policy.disconnected(WIFI_REASON_NO_AP_FOUND, nowMs));
	if (state === STATION_ONLINE) bed.update((policy, nowMs) => policy.connected(nowMs));
	assert.equal(bed.policy.state, state);
	return bed;
}

const STATES = [STATION_OFF, STATION_WAITING, STATION_JOINING, STATION_ONLINE] as const;
const NAMES = ["OFF", "WAITING", "JOINING", "ONLINE"];
const NOBODY = { scanned: () => {} };

/** Events, each with the next states from OFF, WAITING, JOINING and ONLINE. */
const TRANSITIONS: readonly [string, (bed: Bed) => void, readonly number[]][] = [
	[
		"an address",
		(bed) => bed.update((policy, nowMs) => policy.connected(nowMs)),
		[STATION_OFF, STATION_WAITING, STATION_ONLINE, STATION_ONLINE],
	],
	[
		"a failure or a loss",
		(bed) => bed.update((policy, nowMs) => policy.disconnected(WIFI_REASON_AUTH_FAIL, nowMs)),
		[STATION_OFF, STATION_WAITING, STATION_WAITING, STATION_WAITING],
	],
	["an early call", (bed) => bed.update((policy, nowMs) => policy.advance(nowMs)), STATES],
	[
		"the end of its waiting time",
		(bed) => {
			bed.nowMs += 30 * S;
			bed.update((policy, nowMs) => policy.advance(nowMs));
		},
		[STATION_OFF, STATION_JOINING, STATION_WAITING, STATION_ONLINE],
	],
	[
		"a scan",
		(bed) =>
			assert.equal(
				bed.update((policy, nowMs) => policy.scan(NOBODY, nowMs)),
				true,
			),
		[STATION_OFF, STATION_WAITING, STATION_WAITING, STATION_ONLINE],
	],
	[
		"a scan that the radio refuses, and the next event-loop pass",
		(bed) => {
			bed.radio.canScan = false;
			assert.equal(
				bed.update((policy, nowMs) => policy.scan(NOBODY, nowMs)),
				false,
			);
			bed.pass(0);
		},
		[STATION_OFF, STATION_WAITING, STATION_JOINING, STATION_ONLINE],
	],
	["the end of a scan that was not started", (bed) => bed.update((policy) => policy.endScan()), STATES],
	["a cancelled scan that was not requested", (bed) => bed.update((policy) => policy.cancelScan(NOBODY)), STATES],
	["clients of the access point", (bed) => bed.update((policy) => policy.clientsChanged(2)), STATES],
	["a press of the button", (bed) => bed.update((policy, nowMs) => policy.bringUp(nowMs)), STATES],
	[
		"Wi-Fi being turned off",
		(bed) => {
			bed.settings.wifiEnabled = false;
			bed.apply(APPLY_FLAGS);
		},
		[STATION_OFF, STATION_OFF, STATION_OFF, STATION_OFF],
	],
	[
		"a forgotten network",
		(bed) => {
			bed.settings.station = undefined;
			bed.apply(APPLY_STATION);
		},
		[STATION_OFF, STATION_OFF, STATION_OFF, STATION_OFF],
	],
	[
		"a new network",
		(bed) => {
			bed.settings.station = NEW;
			bed.settings.onTrial = true;
			bed.apply(APPLY_STATION);
			assert.equal(bed.radio.joining, NEW);
		},
		[STATION_JOINING, STATION_JOINING, STATION_JOINING, STATION_JOINING],
	],
	[
		"other settings of the access point",
		(bed) => {
			bed.settings.accessPointEnabled = true;
			bed.update((policy, nowMs) => policy.applySoon(APPLY_ACCESS_POINT, nowMs));
			bed.nowMs = bed.policy.deadlineMs;
			bed.update((policy, nowMs) => policy.advance(nowMs));
		},
		[STATION_OFF, STATION_JOINING, STATION_JOINING, STATION_ONLINE],
	],
];

describe("wifi/policy", () => {
	for (const [what, change, expected] of TRANSITIONS) {
		it(`handles ${what} in every state`, () => {
			for (const state of STATES) {
				const bed = bedIn(state);
				change(bed);
				assert.equal(NAMES[bed.policy.state], NAMES[expected[state]], `from ${NAMES[state]}`);
				// From any state, the access point opens in the end while no network is in reach, and one in reach is joined.
				bed.settings.wifiEnabled = true;
				bed.settings.station = HOME;
				bed.apply(APPLY_STATION | APPLY_FLAGS);
				bed.pass(700 * S);
				assert.equal(bed.policy.accessPointOn, true, `from ${NAMES[state]}`);
				for (let i = 0; bed.policy.state !== STATION_JOINING; i++) {
					assert.ok(i < 700, `from ${NAMES[state]}`);
					bed.pass(100);
				}
				bed.update((policy, nowMs) => policy.connected(nowMs));
				assert.equal(bed.policy.state, STATION_ONLINE);
			}
		});
	}

	it("does nothing before its start and after its end, whatever is called", () => {
		for (const state of STATES) {
			const bed = bedIn(state);
			bed.update((policy) => policy.stop());
			const { connects } = bed.radio;
			for (const bedOf of [bed, new Bed()]) {
				bedOf.update((policy, nowMs) => policy.connected(nowMs));
				bedOf.update((policy, nowMs) => policy.disconnected(WIFI_REASON_AUTH_FAIL, nowMs));
				assert.equal(
					bedOf.update((policy, nowMs) => policy.scan(NOBODY, nowMs)),
					false,
				);
				bedOf.update((policy) => policy.cancelScan(NOBODY));
				bedOf.update((policy, nowMs) => policy.bringUp(nowMs));
				bedOf.update((policy, nowMs) => policy.applySoon(APPLY_STATION, nowMs));
				bedOf.update((policy, nowMs) => policy.advance(nowMs + 100 * S));
				assert.equal(bedOf.policy.deadlineMs, Number.POSITIVE_INFINITY);
				assert.equal(bedOf.policy.station, undefined);
			}
			assert.equal(bed.radio.connects, connects);
		}
	});

	it("is on trial from the first attempt, for 45 s or until it gets an address", () => {
		const trial = (): Bed => {
			const bed = bedIn(STATION_ONLINE);
			bed.settings.station = NEW;
			bed.settings.onTrial = true;
			bed.apply(APPLY_STATION);
			return bed;
		};
		const lost = trial();
		lost.pass(45 * S - 1);
		assert.equal(lost.settings.reverted, 0);
		lost.pass(1);
		assert.deepEqual([lost.settings.reverted, lost.radio.joining], [1, HOME]);
		assert.equal(lost.policy.lastError, WIFI_NO_ADDRESS);
		const won = trial();
		won.update((policy, nowMs) => policy.connected(nowMs));
		won.pass(45 * S);
		assert.deepEqual([won.settings.retained, won.settings.reverted], [1, 0]);
		// Wi-Fi is off for a while, and the trial restarts with the next attempt.
		const paused = trial();
		paused.settings.wifiEnabled = false;
		paused.apply(APPLY_FLAGS);
		paused.pass(100 * S);
		paused.settings.wifiEnabled = true;
		paused.apply(APPLY_FLAGS);
		paused.pass(44 * S);
		assert.equal(paused.settings.reverted, 0);
		paused.pass(1 * S);
		assert.equal(paused.settings.reverted, 1);
	});

	it("reports why a network was given up, until another one is set", () => {
		const bed = bedIn(STATION_ONLINE);
		bed.settings.station = NEW;
		bed.settings.onTrial = true;
		bed.apply(APPLY_STATION);
		bed.pass(44 * S);
		bed.update((policy, nowMs) => policy.disconnected(WIFI_REASON_AUTH_FAIL, nowMs));
		bed.pass(1 * S);
		assert.deepEqual([bed.radio.joining, bed.policy.lastError], [HOME, WIFI_WRONG_PASSWORD]);
		bed.update((policy, nowMs) => policy.disconnected(WIFI_REASON_NO_AP_FOUND, nowMs));
		bed.pass(1 * S);
		bed.update((policy, nowMs) => policy.connected(nowMs));
		assert.deepEqual([bed.policy.state, bed.policy.lastError], [STATION_ONLINE, WIFI_WRONG_PASSWORD]);
		bed.settings.station = HOME;
		bed.apply(APPLY_STATION);
		bed.update((policy, nowMs) => policy.disconnected(WIFI_REASON_NO_AP_FOUND, nowMs));
		assert.equal(bed.policy.lastError, WIFI_NOT_FOUND);
		bed.pass(1 * S);
		bed.update((policy, nowMs) => policy.connected(nowMs));
		bed.update((policy, nowMs) => policy.disconnected(1, nowMs));
		assert.equal(bed.policy.lastError, WIFI_LOST);
	});

	it("ends a trial, and keeps trying, if flash refuses to restore the previous network", () => {
		const bed = bedIn(STATION_ONLINE);
		bed.settings.station = NEW;
		bed.settings.onTrial = true;
		bed.settings.revertStation = () => {
			throw new Error("flash is full");
		};
		bed.apply(APPLY_STATION);
		assert.throws(() => bed.pass(45 * S), /flash is full/);
		assert.deepEqual([bed.policy.state, bed.radio.joining], [STATION_JOINING, NEW]);
		bed.pass(100 * S);
		assert.equal(bed.policy.accessPointOn, true);
	});

	it("limits the transmit power before it transmits, and again when the setting changes", () => {
		const bed = new Bed();
		bed.settings.transmitDBm = 8;
		bed.update((policy, nowMs) => policy.start(bed.radio, nowMs));
		assert.equal(bed.radio.transmitDBm, 8);
		bed.settings.transmitDBm = 15;
		bed.apply(APPLY_FLAGS);
		assert.equal(bed.radio.transmitDBm, 15);
	});

	it("has no clients without an access point", () => {
		const bed = bedIn(STATION_OFF);
		bed.update((policy) => policy.clientsChanged(3));
		assert.equal(bed.policy.clients, 3);
		bed.settings.wifiEnabled = false;
		bed.apply(APPLY_FLAGS);
		assert.equal(bed.policy.clients, 0);
		bed.update((policy) => policy.clientsChanged(3));
		assert.equal(bed.policy.clients, 0);
	});
});
