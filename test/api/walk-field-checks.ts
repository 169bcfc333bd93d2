/**
 * Each field of each body: bounds, each JSON type, missing, huge and duplicate values, broken text; unknown members
 * beside the field.
 */
import assert from "node:assert/strict";
import { isError, type Reply, type TestGateway, vectorOf } from "./gateway.js";
import { deleteTokens } from "./token-checks.js";
import { JSON_ROUTES, keepHostname } from "./walk.js";
import { FIELDS, type WalkField } from "./walk-fields.js";

/** Valid JSON numbers that no field accepts: beyond a double, and of 30 digits. */
const HUGE_NUMBERS = ["1e400", `1${"0".repeat(29)}`];
const UNKNOWN = '"unknown":{"a":[{"b":1}]},"":null,"x":1e400';
const MARK = "MARK";

/**
 * Checks that the body was valid: the request succeeds or fails for another reason. Examples have proofs for another
 * unit's nonce, a unit without a part refuses to enable it, and a second PIN waits for the first.
 */
export function isTaken(reply: Reply, what: string): void {
	if (reply.status === 200) return;
	const { error } = JSON.parse(reply.text);
	assert.ok(
		[`401 nonce_invalid`, `409 busy`, `501 unsupported`].includes(`${reply.status} ${error}`),
		`${what}: ${reply.text}`,
	);
}

/** Checks that this field was rejected, and no other. */
function isRefused(reply: Reply, { label }: WalkField, what: string): void {
	assert.equal(reply.status, 400, `${what}: ${reply.text}`);
	const { error, field } = JSON.parse(reply.text);
	assert.equal(error, "invalid_field", `${what}: ${reply.text}`);
	assert.equal(field, label, what);
}

export function walkFieldChecks(gateway: () => TestGateway): void {
	describe("each field", () => {
		let offMs = 0;

		before(async () => {
			await gateway().login();
			// POST meter/pin needs the port of the optical head.
			await gateway().connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			offMs = (await gateway().read("system/clock")).timestamp * 1000 - Date.now();
		});
		after(async () => {
			await gateway().write("system/clock", { timestamp: Math.floor((Date.now() + offMs) / 1000) });
			await gateway().post("system/factory_reset");
			await gateway().rebooted();
		});

		for (const route of JSON_ROUTES) {
			const fields = FIELDS.filter((one) => one.route === route);
			const post = (body: string | Uint8Array): Promise<Reply> => gateway().post(route.path, body);
			const take = async (body: string, what = body): Promise<Reply> => {
				const reply = await post(body);
				isTaken(reply, `${route.name} ${what}`);
				if (route.path === "system/tokens") await deleteTokens(gateway());
				if (route.path === "network/wifi") await keepHostname(gateway());
				return reply;
			};
			const refuse = async (field: WalkField, body: string) =>
				isRefused(await post(body), field, `${route.name} ${body.slice(0, 200)}`);

			it(`of ${route.name} accepts its valid values and no others, not even huge ones`, async () => {
				for (const field of fields) {
					for (const value of field.good) await take(field.body(JSON.stringify(value)));
					for (const value of field.bad) await refuse(field, field.body(JSON.stringify(value)));
					for (const number of HUGE_NUMBERS) await refuse(field, field.body(number));
					const room = route.limit - Buffer.byteLength(field.body('""'));
					await refuse(field, field.body(`"${"x".repeat(room)}"`));
				}
			});
			it(`of ${route.name} is reported if required and missing; of duplicates the last counts, but none may be invalid`, async () => {
				for (const field of fields) {
					const body = field.body(undefined);
					if (field.required) isError(await post(body), 400, "missing_field", field.label);
					else await take(body);
					const good = JSON.stringify(field.good[0]);
					const last = JSON.stringify(field.good.at(-1));
					const twice = (first: string, second: string) => field.body(`${first},"${field.name}":${second}`);
					const reply = await take(twice(good, last));
					const shown = reply.text === "" ? {} : JSON.parse(reply.text);
					if (field.label in shown && reply.status === 200 && typeof field.good[0] !== "object")
						assert.deepEqual(shown[field.label], field.good.at(-1), `${route.name} ${field.label}`);
					await refuse(field, twice("null", last));
					await refuse(field, twice(good, "null"));
				}
			});
			it(`of ${route.name} is rejected with an incomplete character; unknown members beside it are ignored`, async () => {
				for (const field of fields) {
					for (const half of ["\\ud800", "\\udc00"]) isError(await post(field.body(`"${half}"`)), 400, "invalid_json");
					const [before, after] = field.body(`"${MARK}"`).split(MARK);
					const bytes = Buffer.concat([Buffer.from(before), Buffer.of(0xc3, 0x28), Buffer.from(after)]);
					isError(await post(bytes), 400, "invalid_json");
				}
				const members = JSON.stringify(fields[0].base).slice(1, -1);
				await take(`{${UNKNOWN},${members},${UNKNOWN}}`);
			});
		}
	});
}
