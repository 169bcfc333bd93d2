import assert from "node:assert/strict";
import type { Ethernet, EthernetAddress, EthernetSettings } from "../../modules/io/ethernet.js";
import {
	CABLE_LOST,
	CABLE_NO_ADDRESS,
	CABLE_OFF,
	CABLE_ONLINE,
	CABLE_SEEKING,
	CABLE_WELL,
	CABLE_WITHOUT,
	CablePolicy,
} from "../../modules/network/cable.js";

const S = 1000;
const LEASE: EthernetAddress = Object.freeze({ ip: "192.0.2.30", netmask: "255.255.255.0", gateway: "192.0.2.1" });
const STATIC = Object.freeze({ ...LEASE, ip: "192.0.2.31", dns: "192.0.2.1" });

/** A port that only records its calls. */
class RecordingPort implements Ethernet {
	isLinked = false;
	address: EthernetAddress | undefined;
	settings: EthernetSettings | undefined;
	starts = 0;
	isClosed = false;

	get speed(): number {
		return this.isLinked ? 100 : 0;
	}
	start(settings: EthernetSettings): void {
		this.settings = settings;
		this.starts++;
		this.address = undefined;
	}
	stop(): void {
		this.settings = undefined;
		this.isLinked = false;
		this.address = undefined;
	}
	close(): void {
		this.stop();
		this.isClosed = true;
	}
}

/** The policy with its settings and its port; the test sets the time. */
class Bed {
	nowMs = 1000;
	readonly port = new RecordingPort();
	readonly settings = { ethernetEnabled: true as boolean, ethernet: { hostname: "gateway" } as EthernetSettings };
	readonly policy = new CablePolicy(this.settings, () => {});

	start(): void {
		this.policy.start(this.port, this.nowMs);
		this.check();
	}

	/** Makes the port report this state of its cable. */
	reportLink(isLinked: boolean, address?: EthernetAddress): void {
		this.port.isLinked = isLinked;
		this.port.address = address;
		this.policy.changed(this.nowMs);
		this.check();
	}

	/** Advances time, and the policy whenever it is due. */
	pass(ms: number): void {
		const untilMs = this.nowMs + ms;
		for (let calls = 0; this.policy.deadlineMs <= untilMs; calls++) {
			assert.ok(calls < 100, "the policy is due again and again");
			this.nowMs = Math.max(this.nowMs, this.policy.deadlineMs);
			this.policy.advance(this.nowMs);
			this.check();
		}
		this.nowMs = untilMs;
	}

	apply(change: Partial<Bed["settings"]>): void {
		Object.assign(this.settings, change);
		this.policy.applySoon(this.nowMs);
		this.pass(1499);
		const { starts } = this.port;
		this.pass(1);
		assert.ok(this.port.starts > starts || !this.settings.ethernetEnabled);
	}

	/** Checks the invariants of every state. */
	private check(): void {
		const { policy, port } = this;
		const { state } = policy;
		assert.equal(policy.address, state === CABLE_ONLINE ? port.address : undefined);
		if (state === CABLE_OFF) assert.deepEqual([port.settings, policy.isUsed], [undefined, false]);
		else assert.notEqual(port.settings, undefined);
		assert.equal(policy.keepsWiFiOff, state === CABLE_SEEKING || state === CABLE_ONLINE);
	}
}

/** A bed that was brought into this state by as few events as possible. */
function bedIn(state: number): Bed {
	const bed = new Bed();
	bed.settings.ethernetEnabled = state !== CABLE_OFF;
	bed.start();
	if (state === CABLE_WITHOUT) bed.pass(5 * S);
	if (state === CABLE_ONLINE) bed.reportLink(true, LEASE);
	assert.equal(bed.policy.state, state);
	return bed;
}

const STATES = [CABLE_OFF, CABLE_SEEKING, CABLE_ONLINE, CABLE_WITHOUT] as const;
const NAMES = ["OFF", "SEEKING", "ONLINE", "WITHOUT"];

/** Events, each with the next states from OFF, SEEKING, ONLINE and WITHOUT. */
const TRANSITIONS: readonly [string, (bed: Bed) => void, readonly number[]][] = [
	["a link", (bed) => bed.reportLink(true), [CABLE_OFF, CABLE_SEEKING, CABLE_SEEKING, CABLE_WITHOUT]],
	[
		"a link with an address",
		(bed) => bed.reportLink(true, LEASE),
		[CABLE_OFF, CABLE_ONLINE, CABLE_ONLINE, CABLE_ONLINE],
	],
	["another address", (bed) => bed.reportLink(true, STATIC), [CABLE_OFF, CABLE_ONLINE, CABLE_ONLINE, CABLE_ONLINE]],
	["no link", (bed) => bed.reportLink(false), [CABLE_OFF, CABLE_SEEKING, CABLE_SEEKING, CABLE_WITHOUT]],
	["an early call", (bed) => bed.policy.advance(bed.nowMs), STATES],
	["5 s", (bed) => bed.pass(5 * S), [CABLE_OFF, CABLE_WITHOUT, CABLE_ONLINE, CABLE_WITHOUT]],
	[
		"a link and 30 s",
		(bed) => {
			bed.reportLink(true);
			bed.pass(30 * S);
		},
		[CABLE_OFF, CABLE_WITHOUT, CABLE_WITHOUT, CABLE_WITHOUT],
	],
	["being turned off", (bed) => bed.apply({ ethernetEnabled: false }), [CABLE_OFF, CABLE_OFF, CABLE_OFF, CABLE_OFF]],
	[
		"new settings with the port on",
		(bed) => {
			bed.apply({ ethernetEnabled: true, ethernet: { hostname: "gateway", address: STATIC } });
			assert.deepEqual([bed.port.settings?.address, bed.policy.usesDHCP], [STATIC, false]);
			bed.policy.changed(bed.nowMs);
		},
		[CABLE_WITHOUT, CABLE_SEEKING, CABLE_SEEKING, CABLE_WITHOUT],
	],
];

describe("wifi/cable", () => {
	for (const [what, change, expected] of TRANSITIONS) {
		it(`handles ${what} in every state`, () => {
			for (const state of STATES) {
				const bed = bedIn(state);
				change(bed);
				assert.equal(NAMES[bed.policy.state], NAMES[expected[state]], `from ${NAMES[state]}`);
				// From any state, the cable is used once it has an address, and Wi-Fi takes over after it has lost its link.
				bed.apply({ ethernetEnabled: true });
				bed.reportLink(true, LEASE);
				assert.deepEqual([bed.policy.state, bed.policy.lastError], [CABLE_ONLINE, CABLE_WELL]);
				bed.reportLink(false);
				bed.pass(30 * S);
				assert.deepEqual([bed.policy.state, bed.policy.lastError], [CABLE_WITHOUT, CABLE_LOST]);
			}
		});
	}

	it("does nothing before its start and after its end, whatever is called", () => {
		for (const state of STATES) {
			const bed = bedIn(state);
			bed.policy.stop();
			assert.ok(bed.port.isClosed);
			const { starts } = bed.port;
			for (const { policy, nowMs } of [bed, new Bed()]) {
				policy.changed(nowMs);
				policy.applySoon(nowMs);
				policy.advance(nowMs + 100 * S);
				assert.deepEqual([policy.state, policy.deadlineMs], [CABLE_OFF, Number.POSITIVE_INFINITY]);
				assert.deepEqual([policy.address, policy.isLinked, policy.keepsWiFiOff], [undefined, false, false]);
			}
			assert.equal(bed.port.starts, starts);
		}
	});

	it("waits 5 s for a link at the start, and from then on 30 s for an address", () => {
		const bed = bedIn(CABLE_SEEKING);
		bed.pass(5 * S - 1);
		assert.equal(bed.policy.state, CABLE_SEEKING);
		bed.reportLink(true);
		bed.pass(30 * S - 1);
		assert.equal(bed.policy.state, CABLE_SEEKING);
		bed.pass(1);
		assert.deepEqual([bed.policy.state, bed.policy.lastError], [CABLE_WITHOUT, CABLE_NO_ADDRESS]);
		bed.pass(3600 * S);
		bed.reportLink(true, LEASE);
		assert.deepEqual([bed.policy.state, bed.policy.lastError], [CABLE_ONLINE, CABLE_WELL]);
	});

	it("gives up an unsteady link 30 s after the loss of the address", () => {
		const bed = bedIn(CABLE_ONLINE);
		for (let s = 0; s < 30; s++) {
			bed.reportLink(s % 2 === 1);
			assert.equal(bed.policy.state, CABLE_SEEKING, `after ${s} s`);
			bed.pass(1 * S);
		}
		assert.equal(bed.policy.state, CABLE_WITHOUT);
	});

	it("reports a missing address 30 s after the cable was connected while Wi-Fi is used", () => {
		const bed = bedIn(CABLE_WITHOUT);
		assert.equal(bed.policy.lastError, CABLE_WELL);
		bed.reportLink(true);
		bed.pass(30 * S - 1);
		assert.equal(bed.policy.lastError, CABLE_WELL);
		bed.pass(1);
		assert.equal(bed.policy.lastError, CABLE_NO_ADDRESS);
		bed.reportLink(false);
		assert.equal(bed.policy.lastError, CABLE_LOST);
		assert.equal(bed.policy.deadlineMs, Number.POSITIVE_INFINITY);
	});

	it("counts as used until it is turned off, once it has an address or was connected before Wi-Fi took over", () => {
		const late = bedIn(CABLE_WITHOUT);
		late.reportLink(true);
		assert.equal(late.policy.isUsed, false);
		late.reportLink(true, LEASE);
		assert.equal(late.policy.isUsed, true);
		late.reportLink(false);
		late.pass(100 * S);
		assert.equal(late.policy.isUsed, true);
		const early = bedIn(CABLE_SEEKING);
		early.reportLink(true);
		assert.equal(early.policy.isUsed, true);
		early.apply({ ethernetEnabled: false });
		assert.equal(early.policy.isUsed, false);
	});
});
