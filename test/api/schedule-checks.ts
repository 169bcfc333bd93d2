/** `iec62056/schedule`: each unit with its values and triggers. */
import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway } from "./gateway.js";

const PATH = "iec62056/schedule";
export const DEFAULT_SCHEDULE = Object.freeze({
	enabled: true,
	period_unit: "minutes",
	period_value: 15,
	trigger_hour: 0,
	trigger_minute: 0,
	trigger_day: 1,
});
const UNITS: readonly { unit: string; values: readonly number[]; triggers: readonly string[] }[] = [
	{ unit: "minutes", values: [1, 5, 10, 15, 30], triggers: [] },
	{ unit: "hours", values: [1, 2, 4, 8, 12], triggers: ["trigger_minute"] },
	{ unit: "days", values: [1, 7, 14, 28], triggers: ["trigger_hour", "trigger_minute"] },
	{ unit: "months", values: [1, 2, 3, 6], triggers: ["trigger_hour", "trigger_minute", "trigger_day"] },
];
const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
	trigger_hour: [0, 23],
	trigger_minute: [0, 59],
	trigger_day: [1, 28],
};
const TRIGGERS = Object.keys(BOUNDS);
const NO_NUMBER = ["1", "", true, false, null, [], [1], {}, 1.5, 1e40];

export function scheduleChecks(gateway: () => TestGateway): void {
	describe("the schedule", () => {
		beforeEach(async () => {
			const months = { ...DEFAULT_SCHEDULE, period_unit: "months", period_value: 1 };
			await gateway().write(PATH, months);
			await gateway().write(PATH, DEFAULT_SCHEDULE);
		});
		const refused = async (body: JSONObject, code: string, field: string) => {
			const before = await gateway().read(PATH);
			isError(await gateway().post(PATH, body), 400, code, field);
			assert.deepEqual(await gateway().read(PATH), before);
		};

		it("is shown as it was set, here every 15 minutes", async () => {
			assert.deepEqual(await gateway().read(PATH), DEFAULT_SCHEDULE);
		});
		it("requires enabled, unit and value, each of its type", async () => {
			const good = { enabled: false, period_unit: "minutes", period_value: 1 };
			for (const field of Object.keys(good)) {
				await refused({ ...good, [field]: undefined }, "missing_field", field);
				for (const bad of [null, [], {}, "", -1, 31, "year"]) {
					await refused({ ...good, [field]: bad }, "invalid_field", field);
				}
			}
			for (const bad of [0, 1, "true"]) await refused({ ...good, enabled: bad }, "invalid_field", "enabled");
			for (const bad of ["Minutes", "minutes ", "weeks"])
				await refused({ ...good, period_unit: bad }, "invalid_field", "period_unit");
			for (const bad of NO_NUMBER) await refused({ ...good, period_value: bad }, "invalid_field", "period_value");
		});
		for (const { unit, values, triggers } of UNITS) {
			const base = { enabled: true, period_unit: unit, trigger_hour: 3, trigger_minute: 4, trigger_day: 5 };
			const used = Object.fromEntries(triggers.map((name) => [name, base[name as keyof typeof base]]));

			it(`in ${unit} accepts only ${values.join(", ")}`, async () => {
				for (let value = 0; value <= 31; value++) {
					const body = { ...base, period_value: value };
					if (!values.includes(value)) await refused(body, "invalid_field", "period_value");
					else {
						const reply = await gateway().write(PATH, body);
						assert.deepEqual(reply, {
							...DEFAULT_SCHEDULE,
							enabled: true,
							period_unit: unit,
							period_value: value,
							...used,
						});
						assert.deepEqual(await gateway().read(PATH), reply);
					}
				}
			});
			it(`in ${unit} requires ${triggers.join(", ") || "no trigger"}, and neither checks nor changes other triggers`, async () => {
				const good: JSONObject = { ...base, period_value: values[0] };
				for (const name of TRIGGERS) {
					const [low, high] = BOUNDS[name];
					if (triggers.includes(name)) {
						await refused({ ...good, [name]: undefined }, "missing_field", name);
						for (const bad of [low - 1, high + 1, ...NO_NUMBER])
							await refused({ ...good, [name]: bad }, "invalid_field", name);
						for (const value of [low, high])
							assert.equal((await gateway().write(PATH, { ...good, [name]: value }))[name], value);
						const text = JSON.stringify(good).slice(0, -1);
						isError(await gateway().post(PATH, `${text},"${name}":null,"${name}":${low}}`), 400, "invalid_field", name);
					} else {
						for (const odd of [low, high + 1, ...NO_NUMBER, undefined])
							assert.equal((await gateway().write(PATH, { ...good, [name]: odd }))[name], BOUNDS[name][0]);
					}
				}
			});
		}
		it("survives a restart; a damaged one becomes that of a new unit", async () => {
			const schedule = {
				enabled: false,
				period_unit: "months",
				period_value: 6,
				trigger_hour: 23,
				trigger_minute: 59,
				trigger_day: 28,
			};
			await gateway().write(PATH, schedule);
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read(PATH), schedule);
			await gateway().restartAndLogin("schedule");
			assert.deepEqual(await gateway().read(PATH), DEFAULT_SCHEDULE);
		});
	});
}
