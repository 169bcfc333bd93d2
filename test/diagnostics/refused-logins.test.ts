/** During password guessing the event log keeps both the intruder's actions and the refused attempts. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { REFUSED_LIMIT } from "../../modules/diagnostics/event-log.js";
import {
	EVENT_LOGIN,
	EVENT_LOGIN_REFUSED,
	EVENT_METER_FAILED,
	EVENT_NETWORK_DOWN,
	EVENT_PASSWORD,
	EVENT_SETTINGS,
	EVENT_STARTED,
	EVENT_TOKEN_MADE,
} from "../../modules/diagnostics/events.js";
import { EVENT_UPDATE_INSTALLED } from "../../modules/update/log-events.js";
import { seedOfRun } from "../fuzz/mutator.js";
import { Unit } from "./unit.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const seed = seedOfRun();

const stranger = (i: number) => `192.168.1.${i % 254}`;

function refuse(unit: Unit, count: number, everyMs = 10, addresses = 240): void {
	for (let i = 0; i < count; i++) {
		unit.log.note(EVENT_LOGIN_REFUSED, stranger(i % addresses));
		unit.time.advance(everyMs);
	}
}

const isRefused = (text: string) => text.startsWith("login_refused");
const countOf = (text: string) => Number(/ x(\d+)$/.exec(text)?.[1] ?? 1);
/** Number of refused logins in the log. */
const refusedIn = (unit: Unit) => unit.shown.filter(isRefused).reduce((sum, text) => sum + countOf(text), 0);

describe(`diagnostics/event-log among refused logins (SEED=${seed})`, () => {
	it("keeps an intruder's login and the actions after it over 1000 refused logins and a restart", () => {
		const unit = new Unit();
		const acts = [
			[EVENT_LOGIN, "192.168.1.9"],
			[EVENT_TOKEN_MADE, "intruder"],
			[EVENT_PASSWORD, "192.168.1.9"],
			[EVENT_SETTINGS, "hub"],
			[EVENT_UPDATE_INSTALLED, "1.2.3 from 192.168.1.9"],
		] as const;
		const counted = ["started", ...acts.map(([{ name }, detail]) => `${name} ${detail}`)];
		unit.log.note(EVENT_STARTED);
		refuse(unit, 45, 10, 45);
		for (const [kind, detail] of acts) unit.log.note(kind, detail);
		refuse(unit, 1000);
		for (const restarted of [false, true]) {
			if (restarted) unit.start();
			const { shown } = unit;
			assert.deepEqual(
				shown.filter((text) => !isRefused(text)),
				counted,
			);
			assert.ok(shown.filter(isRefused).length <= REFUSED_LIMIT + 1, `${shown}`);
		}
	});

	it("has a record for each of the last 8 addresses, and one without an address for all others", () => {
		const unit = new Unit();
		unit.log.note(EVENT_STARTED);
		assert.equal(REFUSED_LIMIT, 8);
		for (let i = 0; i < 20; i++)
			for (let times = 0; times <= i; times++) unit.log.note(EVENT_LOGIN_REFUSED, stranger(i));
		const last = Array.from({ length: 8 }, (_, i) => `login_refused ${stranger(12 + i)} x${13 + i}`);
		assert.deepEqual(unit.shown, ["started", "login_refused x78", ...last]);
		unit.log.note(EVENT_LOGIN_REFUSED, stranger(12));
		assert.deepEqual(unit.shown.slice(1), ["login_refused x78", ...last.slice(1), `login_refused ${stranger(12)} x14`]);
		unit.log.note(EVENT_LOGIN_REFUSED, stranger(0));
		assert.equal(unit.shown[1], "login_refused x92");
		assert.equal(unit.log.dropped, 0);
	});

	it("shows after a power cut how many logins were refused before one succeeded", () => {
		const unit = new Unit();
		refuse(unit, 1000);
		unit.log.note(EVENT_LOGIN, "192.168.1.9");
		unit.log.note(EVENT_TOKEN_MADE, "intruder");
		unit.start();
		assert.equal(refusedIn(unit), 1000);
		assert.deepEqual(unit.shown.slice(-3), ["login_refused x992", "login 192.168.1.9", "token_made intruder"]);
		unit.start();
		unit.log.note(EVENT_LOGIN_REFUSED, stranger(1));
		unit.start();
		assert.equal(refusedIn(unit), 1001);
	});

	it("writes the count to flash each hour of a continuing attack", () => {
		const unit = new Unit();
		refuse(unit, 5 * 3600, 1000);
		const { operations } = unit.flash;
		unit.start();
		const counted = refusedIn(unit);
		assert.ok(counted > 4 * 3600 && counted <= 5 * 3600, `${counted}`);
		assert.ok(operations <= 8 + 5 + 2, `${operations} writes`);
	});

	it("keeps an intruder's actions in flash through a week of refused logins", () => {
		const unit = new Unit();
		unit.log.note(EVENT_LOGIN, "192.168.1.9");
		unit.log.note(EVENT_TOKEN_MADE, "intruder");
		for (let hour = 0; hour < 7 * 24; hour++) {
			refuse(unit, 240, HOUR_MS / 240);
			if (hour % 24 === 0) unit.log.note(EVENT_LOGIN, "192.168.1.20");
		}
		for (const restarted of [false, true]) {
			if (restarted) unit.start();
			const [login, token] = unit.shown.filter((text) => !isRefused(text));
			assert.deepEqual([login, token], ["login 192.168.1.9", "token_made intruder"]);
		}
	});

	it("reserves flash writes for events that need a login, whatever else happens", () => {
		const unit = new Unit();
		for (let i = 0; i < 100; i++) {
			unit.log.note(EVENT_METER_FAILED, `code ${i}`);
			unit.log.note(EVENT_NETWORK_DOWN, `${i}`);
			unit.log.note(EVENT_LOGIN_REFUSED, stranger(i));
		}
		for (let i = 0; i < 15; i++) unit.log.note(EVENT_TOKEN_MADE, `token ${i}`);
		unit.start();
		assert.equal(unit.shown.filter((text) => text.startsWith("token_made")).length, 15);
	});

	it("counts each refused login exactly once, and loses no other event because of it", () => {
		const step = fc.oneof(
			{ weight: 6, arbitrary: fc.record({ address: fc.nat(30), times: fc.integer({ min: 1, max: 20 }) }) },
			{ weight: 2, arbitrary: fc.record({ token: fc.nat(1000) }) },
			{ weight: 1, arbitrary: fc.record({ pauseMs: fc.integer({ min: 1, max: 2 * DAY_MS }) }) },
			{ weight: 1, arbitrary: fc.record({ restart: fc.constant(true) }) },
		);
		fc.assert(
			fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
				const unit = new Unit();
				let refused = 0;
				let known = 0;
				const tokens: string[] = [];
				for (const [index, one] of steps.entries()) {
					if ("address" in one) {
						for (let i = 0; i < one.times; i++) unit.log.note(EVENT_LOGIN_REFUSED, stranger(one.address));
						refused += one.times;
					} else if ("token" in one) {
						// The budget permits one write in 90 s, and each token may need two.
						unit.time.advance(180_000);
						unit.log.note(EVENT_TOKEN_MADE, `${index} ${one.token}`);
						tokens.push(`token_made ${index} ${one.token}`);
						known = refused;
					} else if ("pauseMs" in one) unit.time.advance(one.pauseMs);
					else {
						unit.start();
						const counted = refusedIn(unit);
						assert.ok(
							counted >= known && counted <= refused,
							`${counted} of ${refused}, ${known} of them before a token`,
						);
						refused = known = counted;
					}
					assert.equal(refusedIn(unit), refused);
					const { shown } = unit;
					assert.ok(shown.filter(isRefused).length <= REFUSED_LIMIT + 1, `${shown}`);
					assert.deepEqual(
						shown.filter((text) => !isRefused(text)),
						tokens,
					);
				}
				assert.equal(unit.log.dropped, 0);
				assert.deepEqual(unit.flash.mistakes, []);
			}),
			{ numRuns: 100, seed },
		);
	});
});
