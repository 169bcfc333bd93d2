/** Malformed bodies for each route that expects a JSON object. */
import assert from "node:assert/strict";
import { DEFAULT_CONFIG, isError, PASSWORD, type Reply, type TestGateway, USERNAME } from "./gateway.js";
import { DEFAULT_MAP } from "./zigbee-checks.js";

interface BodyRoute {
	readonly path: string;
	readonly limit: number;
	/** A valid body without its closing brace. */
	readonly good: string;
	/** Name of a required field, which `{}` lacks. */
	readonly missing: string | undefined;
}

const ROUTES: readonly BodyRoute[] = [
	{
		path: "system/login",
		limit: 512,
		good: `{"username":"${USERNAME}","password":"${PASSWORD}"`,
		missing: "username",
	},
	{
		path: "system/password",
		limit: 512,
		good: `{"old_password":"${PASSWORD}","new_password":"${PASSWORD}"`,
		missing: "nonce",
	},
	{ path: "meter/protocol", limit: 2048, good: '{"protocol":"iec62056"', missing: "protocol" },
	{ path: "iec62056/config", limit: 2048, good: '{"baudrate_max":9600', missing: undefined },
	{ path: "iec62056/control", limit: 2048, good: '{"log_en":false', missing: undefined },
	{
		path: "iec62056/schedule",
		limit: 2048,
		good: '{"period_unit":"minutes","period_value":15,"enabled":true',
		missing: "enabled",
	},
	{ path: "dlms/config", limit: 2048, good: '{"auth":"none"', missing: undefined },
	{ path: "dlms/obis", limit: 16384, good: '{"entries":[]', missing: "entries" },
	{ path: "zigbee/config", limit: 2048, good: '{"enabled":false', missing: "enabled" },
	{ path: "zigbee/map", limit: 16384, good: `{"mapping":${JSON.stringify(DEFAULT_MAP)}`, missing: "mapping" },
	{ path: "hub", limit: 16384, good: '{"enabled":false', missing: "enabled" },
];

const NO_OBJECTS = ["[]", "[{}]", "0", "-1.5e3", '"text"', "true", "false", "null"];

const NO_JSON = [
	" ",
	"{",
	"}",
	"{]",
	"{}{}",
	"{} x",
	"{},",
	'{"a"}',
	'{"a":}',
	'{"a":1,}',
	'{,"a":1}',
	'{"a":1 "b":2}',
	"{'a':1}",
	"{a:1}",
	'{"a":01}',
	'{"a":+1}',
	'{"a":.5}',
	'{"a":1.}',
	'{"a":1e}',
	'{"a":--1}',
	'{"a":0x10}',
	'{"a":NaN}',
	'{"a":Infinity}',
	'{"a":undefined}',
	'{"a":True}',
	'{"a":nul}',
	'{"a":truee}',
	'{"a":"x}',
	'{"a":"\\x41"}',
	'{"a":"\\u12"}',
	'{"a":"\\u12G4"}',
	'{"a":"\n"}',
	'{"a":"\u0000"}',
	'{"a":"\\ud800"}',
	'{"a":"\\udc00\\ud800"}',
	'{"a":1}//',
	'/**/{"a":1}',
	'\ufeff{"a":1}',
	'{"a":[1}',
	'{"a":{"b":1]',
	"a=1&b=2",
	"<a>1</a>",
];

/**
 * Invalid UTF-8: a lone continuation byte, truncated sequences, overlong forms, a surrogate, a code above U+10FFFF, FF.
 */
const NO_UTF8 = [
	[0x80],
	[0xc3],
	[0xc0, 0xaf],
	[0xe0, 0x80, 0xaf],
	[0xed, 0xa0, 0x80],
	[0xf4, 0x90, 0x80, 0x80],
	[0xf0, 0x9f, 0x98],
	[0xff],
];

/** Longer than the buffer for a name or a string. */
const LONG = "x".repeat(300);

/** Members that no route knows, nested as deeply as is allowed. */
const UNKNOWN = [
	'"x":1',
	'"x":null',
	'"x":[]',
	'"x":{}',
	'"x":{"y":{"z":[1,2,3]}}',
	'"x":[[["deep"]]]',
	'"x":{"username":1,"protocol":2,"baudrate_max":3,"log_en":4}',
	'"x":["log_en",{"log_en":true}]',
	'"":""',
	'"__proto__":{"log_en":true},"constructor":1,"toString":null,"hasOwnProperty":false',
	'"x":"\\u0000\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t"',
	'"x":123456789012345678901234567890123456789012345678901234567890',
	'"x":-1.5E+400,"y":1e-400',
	`"${LONG}":"x"`,
	`"x":"${LONG}"`,
	'"x":1,"x":2,"x":"three"',
	'"\u00fc\u4e2d\ud83d\ude00":"\u00fc\u4e2d\ud83d\ude00"',
	' \r\n\t"x" \r\n\t: \r\n\t1 \r\n\t',
	'"Log_en":7,"LOG_EN":7,"log_en ":7,"Protocol":7,"USERNAME":7',
];

export function bodyChecks(gateway: () => TestGateway): void {
	for (const route of ROUTES) {
		const { path, limit, good, missing } = route;
		const post = (body: string | Uint8Array, chunked = false): Promise<Reply> =>
			gateway().post(path, body, { chunked });
		/** `good` with its closing brace, padded with blanks to a length. */
		const padded = (length: number) => `${good}${" ".repeat(length - good.length - 1)}}`;

		describe(`body of POST ${path}`, () => {
			it("is invalid JSON if it is empty or missing", async () => {
				isError(await gateway().post(path), 400, "invalid_json");
				isError(await post(""), 400, "invalid_json");
				isError(await post("", true), 400, "invalid_json");
			});
			it("is rejected if it is {} and the route requires a field", async () => {
				const reply = await post("{}");
				if (missing === undefined) assert.equal(reply.status, 200);
				else isError(reply, 400, "missing_field", missing);
			});
			it("is rejected if it is JSON but not an object", async () => {
				for (const body of NO_OBJECTS) isError(await post(body), 400, "invalid_json");
			});
			it("is rejected if it is not JSON", async () => {
				for (const body of NO_JSON) isError(await post(body), 400, "invalid_json");
			});
			it("is rejected if it is not UTF-8, in names, in known values and in unknown ones", async () => {
				const name = /"(\w+)"/.exec(good)?.[1];
				for (const bytes of NO_UTF8) {
					const bad = Buffer.from(bytes);
					for (const [before, after] of [
						[`{"${name}":"`, '"}'],
						['{"x":"', '"}'],
						['{"', '":1}'],
						["{", "}"],
					]) {
						isError(await post(Buffer.concat([Buffer.from(before), bad, Buffer.from(after)])), 400, "invalid_json");
					}
				}
			});
			it("may contain members that the route does not know", async () => {
				for (const member of UNKNOWN) {
					if (good.length + member.length + 2 > limit) continue;
					assert.equal((await post(`${good},${member}}`)).status, 200, member);
					assert.equal((await post(`{${member},${good.slice(1)}}`)).status, 200, member);
				}
			});
			it("may nest four levels deep and no deeper", async () => {
				assert.equal((await post(`${good},"x":[[[]]]}`)).status, 200);
				assert.equal((await post(`${good},"x":{"a":{"b":{}}}}`)).status, 200);
				isError(await post(`${good},"x":[[[[]]]]}`), 400, "invalid_json");
				isError(await post(`${good},"x":{"a":{"b":{"c":{}}}}}`), 400, "invalid_json");
				isError(await post(`${good},"x":[{"a":[{}]}]}`), 400, "invalid_json");
			});
			it(`may have ${limit} bytes and no more, with or without Content-Length`, async () => {
				for (const chunked of [false, true]) {
					assert.equal((await post(padded(limit - 1), chunked)).status, 200);
					assert.equal((await post(padded(limit), chunked)).status, 200);
					isError(await post(padded(limit + 1), chunked), 413, "too_large");
				}
			});
			it("is rejected if it is full of brackets, and the route keeps working", async () => {
				for (const bomb of [
					"[".repeat(limit),
					'{"a":'.repeat(Math.floor(limit / 5)),
					'[{"a":'.repeat(Math.floor(limit / 6)),
					`{"a":${"[],".repeat(Math.floor(limit / 3) - 5)}`,
					`{"${"\\u0061".repeat(Math.floor(limit / 6) - 5)}`,
				]) {
					for (let i = 0; i < 4; i++) isError(await post(bomb), 400, "invalid_json");
				}
				isError(await post("[".repeat(20_000)), 413, "too_large");
				isError(await post('{"a":'.repeat(4000), true), 413, "too_large");
				assert.equal((await post(`${good}}`)).status, 200);
			});
		});
	}

	describe("members of a body", () => {
		const path = "iec62056/config";

		it("may occur twice: the last one counts, and an invalid one rejects the request", async () => {
			const stored = async () => (await gateway().read(path)).baudrate_max;
			assert.equal((await gateway().post(path, '{"baudrate_max":600,"baudrate_max":1200}')).status, 200);
			assert.equal(await stored(), 1200);
			for (const body of [
				'{"baudrate_max":1,"baudrate_max":2400}',
				'{"baudrate_max":2400,"baudrate_max":1}',
				'{"baudrate_max":null,"baudrate_max":2400}',
				'{"baudrate_max":[2400],"baudrate_max":2400}',
			]) {
				isError(await gateway().post(path, body), 400, "invalid_field", "baudrate_max");
				assert.equal(await stored(), 1200);
			}
		});
		it("may be escaped in name and value", async () => {
			const body = '{"\\u0062audrate_ma\\u0078":600,"device\\u005Faddress":"\\u0041b\\u0031"}';
			const reply = await gateway().post(path, body);
			assert.deepEqual(JSON.parse(reply.text), { ...DEFAULT_CONFIG, baudrate_max: 600, device_address: "Ab1" });
		});
		it("are not looked for in nested objects", async () => {
			const body = '{"x":{"baudrate_max":600},"y":[{"battery":true}],"battery":false}';
			assert.deepEqual(JSON.parse((await gateway().post(path, body)).text), DEFAULT_CONFIG);
		});
		it("are checked in the order sent", async () => {
			const one = await gateway().post(path, '{"battery":1,"baudrate_max":1}');
			isError(one, 400, "invalid_field", "battery");
			const other = await gateway().post(path, '{"baudrate_max":1,"battery":1}');
			isError(other, 400, "invalid_field", "baudrate_max");
		});
		it("do not break the login, however many of them are unknown", async () => {
			for (let i = 0; i < 30; i++) {
				const names = Array.from({ length: 20 }, (_, j) => `"${(i * 20 + j).toString(36)}name":${j}`);
				isError(await gateway().post("system/login", `{${names.join(",")}}`), 400, "missing_field", "username");
			}
			await gateway().login();
		});
	});
}
