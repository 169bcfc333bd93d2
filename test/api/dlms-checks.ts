/** `dlms/config` and `dlms/obis`: settings, secrets, rows for lists without codes, and the list of objects. */
import assert from "node:assert/strict";
import { isError, type JSONObject, type TestGateway } from "./gateway.js";

const CONFIG = "dlms/config";
const OBIS = "dlms/obis";

export const DEFAULT_DLMS = Object.freeze({
	auth: "none",
	use_encryption: false,
	client_address: 16,
	server_logical: 1,
	server_physical: 0,
	password_set: false,
	receive_timeout_ms: 1000,
	server_address_length: 0,
	opening: "auto",
	baudrate: 9600,
	push_baudrate: 0,
	security_suite: 0,
	release: false,
	deviation: "standard",
	live_secs: 0,
	block_cipher_key_set: false,
	auth_key_set: false,
	list_rows: "",
	list_seen: "",
});
const NO_NUMBER = ["16", "", true, false, null, [], [16], {}, 16.5];
const NO_TEXT = [0, 1, true, null, [], ["1"], {}];
const KEY = "0123456789abcdefABCDEF9876543210";

const DEFAULT_CODES = [
	"0-0:1.0.0 0-0:96.1.0 1-0:1.8.0 1-0:1.8.1 1-0:1.8.2 1-0:2.8.0 1-0:1.7.0 1-0:2.7.0 1-0:32.7.0 1-0:52.7.0",
	"1-0:72.7.0 1-0:31.7.0 1-0:51.7.0 1-0:71.7.0",
].flatMap((line) => line.split(" "));
const DEFAULT_ENTRIES = DEFAULT_CODES.map((obis, i) => ({
	code: [...obis.split(/[-:.]/).map(Number), 255],
	class_id: [8, 1][i] ?? 3,
	attribute: 2,
	obis,
}));

function entryOf(i: number): JSONObject {
	return { code: [1, 0, i, 255, 0, 255], class_id: 3, attribute: 2 };
}

function shown(entry: JSONObject): JSONObject {
	const [a, b, c, d, e] = entry.code;
	return { ...entry, obis: `${a}-${b}:${c}.${d}.${e}` };
}

export function dlmsChecks(gateway: () => TestGateway): void {
	describe("the DLMS settings", () => {
		before(() => {
			gateway().plant(KEY);
			gateway().plant("canary pass ~");
		});
		beforeEach(async () => {
			const { password_set: _, block_cipher_key_set: _b, auth_key_set: _a, list_seen: _s, ...plain } = DEFAULT_DLMS;
			await gateway().write(CONFIG, { ...plain, password: "", block_cipher_key: "", auth_key: "" });
		});
		const takes = async (field: string, good: readonly unknown[], bad: readonly unknown[]) => {
			for (const value of good) {
				const reply = await gateway().write(CONFIG, { [field]: value });
				assert.deepEqual(reply, { ...DEFAULT_DLMS, [field]: value });
				assert.deepEqual(await gateway().read(CONFIG), reply);
			}
			const before = await gateway().read(CONFIG);
			for (const value of bad) {
				const body = { auth_key: KEY, [field]: value, use_encryption: true, [`${field}x`]: 1 };
				isError(await gateway().post(CONFIG, { ...body, [field]: value }), 400, "invalid_field", field);
			}
			assert.deepEqual(await gateway().read(CONFIG), before);
		};

		it("do not change if the body is {}", async () => {
			assert.deepEqual(await gateway().write(CONFIG, {}), DEFAULT_DLMS);
		});
		it("have four kinds of authentication", () =>
			takes("auth", ["low", "high_gmac", "high_sha256", "none"], [...NO_TEXT, "", "None", "high", "gmac"]));
		it("turn encryption on and off", async () => {
			for (const use_encryption of [true, false])
				assert.deepEqual(await gateway().write(CONFIG, { use_encryption }), { ...DEFAULT_DLMS, use_encryption });
			for (const use_encryption of [0, 1, "true", null, []])
				isError(await gateway().post(CONFIG, { use_encryption }), 400, "invalid_field", "use_encryption");
		});
		it("have security suites 0 and 1, a flag for the release request, live mode, and either sign of the clock's deviation", async () => {
			await takes("security_suite", [1, 0], [...NO_NUMBER, -1, 2]);
			await takes("release", [true, false], [0, 1, "true", null, []]);
			await takes("live_secs", [5, 1, 0], [-1, 6, 2.5, "2", null, true]);
			await takes("deviation", ["swapped", "standard"], [...NO_TEXT, "", "Swapped", "auto"]);
		});
		it("have a client_address from 0 to 127, the range of HDLC", () =>
			takes("client_address", [0, 1, 126, 127], [...NO_NUMBER, -1, 128, 16383]));
		it("have three openings and the speeds of the standard", async () => {
			await takes("opening", ["mode_e", "direct", "auto"], [...NO_TEXT, "", "Auto", "hdlc"]);
			await takes("baudrate", [300, 600, 1200, 2400, 4800, 9600, 19200], [...NO_NUMBER, 0, 299, 9601, 38400]);
		});
		it("reject an address that is too large for its length, and then change nothing", async () => {
			const refused = async (body: JSONObject) => {
				const before = await gateway().read(CONFIG);
				const reply = await gateway().post(CONFIG, { auth: "low", ...body });
				isError(reply, 400, "invalid_field", "server_address_length");
				assert.deepEqual(await gateway().read(CONFIG), before);
			};
			await gateway().write(CONFIG, { server_address_length: 1, server_logical: 127 });
			await refused({ server_physical: 1 });
			await refused({ server_logical: 128 });
			await gateway().write(CONFIG, { server_address_length: 2, server_physical: 127 });
			await refused({ server_physical: 128 });
			await refused({ server_address_length: 1 });
			await gateway().write(CONFIG, { server_address_length: 4, server_physical: 16383, server_logical: 16383 });
			await refused({ server_address_length: 2 });
			await gateway().write(CONFIG, { server_address_length: 0 });
		});
		for (const field of ["server_logical", "server_physical"])
			it(`have a ${field} from 0 to 16383`, () => takes(field, [0, 1, 16382, 16383], [...NO_NUMBER, -1, 16384]));
		it("have a speed for pushes, or none", async () => {
			const speeds = [300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200];
			await takes("push_baudrate", [...speeds, 0], [...NO_NUMBER, 1, 9601]);
		});
		it("have a time-out from 100 to 30000 ms", () =>
			takes("receive_timeout_ms", [100, 101, 29999, 30000], [...NO_NUMBER, 99, 30001, 0, -100]));
		it("have an address of 0, 1, 2 or 4 bytes", () =>
			takes("server_address_length", [0, 1, 2, 4], [...NO_NUMBER, 3, 5, 8, -1]));

		it("keep a secret that is missing in the request, clear an empty one, and show none", async () => {
			for (const [field, flag, good, bad] of [
				["password", "password_set", ["x", "canary pass ~", "p".repeat(64)], [...NO_TEXT, "p".repeat(65), "ä", "a\n"]],
				[
					"block_cipher_key",
					"block_cipher_key_set",
					[KEY, "0".repeat(32)],
					[...NO_TEXT, KEY.slice(1), `${KEY}0`, "g".repeat(32), "00", " "],
				],
				["auth_key", "auth_key_set", [KEY, "F".repeat(32)], [...NO_TEXT, KEY.slice(1), `${KEY}00`, "-".repeat(32)]],
			] as const) {
				for (const value of good) {
					const reply = await gateway().post(CONFIG, { [field]: value });
					assert.deepEqual(JSON.parse(reply.text), { ...DEFAULT_DLMS, [flag]: true });
					assert.deepEqual(await gateway().write(CONFIG, {}), { ...DEFAULT_DLMS, [flag]: true });
				}
				for (const value of bad) {
					const reply = await gateway().post(CONFIG, { auth: "low", [field]: value });
					isError(reply, 400, "invalid_field", field);
					if (typeof value === "string" && value.length > 2) assert.ok(!reply.text.includes(value));
				}
				assert.deepEqual(await gateway().read(CONFIG), { ...DEFAULT_DLMS, [flag]: true });
				assert.deepEqual(await gateway().write(CONFIG, { [field]: "" }), DEFAULT_DLMS);
			}
		});
		it("ignore flags of secrets in a request", async () => {
			assert.deepEqual(await gateway().write(CONFIG, { password_set: true, auth_key_set: 7 }), DEFAULT_DLMS);
		});
		it("survive a restart; if the secrets are damaged, the other settings are kept", async () => {
			const reply = await gateway().write(CONFIG, {
				auth: "high_gmac",
				client_address: 1,
				password: "canary",
				block_cipher_key: KEY,
				auth_key: KEY,
			});
			assert.ok(reply.password_set && reply.block_cipher_key_set && reply.auth_key_set);
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read(CONFIG), reply);
			await gateway().restartAndLogin("dlms_secrets");
			assert.deepEqual(await gateway().read(CONFIG), { ...DEFAULT_DLMS, auth: "high_gmac", client_address: 1 });
			await gateway().restartAndLogin("dlms");
			assert.deepEqual(await gateway().read(CONFIG), DEFAULT_DLMS);
			assert.doesNotMatch(gateway().diagnosis, /canary|0123456789abcdef/i);
		});
	});

	describe("the rows for lists without codes", () => {
		const row = "Meter: ISK 0908=0-0:96.1.0 06=1.8.0e1*30 | 12";
		const longest = `06=1.8.0${" ".repeat(232)}`;
		beforeEach(() => gateway().write(CONFIG, { list_rows: "" }));
		const stored = async () => (await gateway().read(CONFIG)).list_rows;

		it("are replaced as a whole, and survive a restart beside the list of objects", async () => {
			const entries = [entryOf(1)];
			await gateway().write(OBIS, { entries });
			for (const rows of [longest, `${row};06=1.8.0`, "", row])
				assert.equal((await gateway().write(CONFIG, { list_rows: rows })).list_rows, rows);
			await gateway().write(CONFIG, { release: false });
			await gateway().restartAndLogin();
			assert.equal(await stored(), row);
			assert.deepEqual(await gateway().read(OBIS), { entries: entries.map(shown) });
			assert.doesNotMatch(gateway().diagnosis, /ISK 0908/);
		});
		it("are refused if one is wrong: the error names its place, and no setting changes", async () => {
			await gateway().write(CONFIG, { list_rows: row });
			for (const [rows, place] of [
				["06", 2],
				["06=1.8", 6],
				["06=1.8.0;ISK 12=32.7.0e-1 6=1.8.0", 26],
			]) {
				const reply = await gateway().post(CONFIG, { auth: "low", list_rows: rows });
				isError(reply, 400, "invalid_field", "list_rows");
				assert.ok(JSON.parse(reply.text).message.includes(`list_rows is wrong near character ${place}.`), reply.text);
			}
			for (const rows of [...NO_TEXT, `${longest} `, "06=1.8.0\n", "06=1.8.0 ä"])
				isError(await gateway().post(CONFIG, { list_rows: rows }), 400, "invalid_field", "list_rows");
			const { auth, list_rows } = await gateway().read(CONFIG);
			assert.deepEqual([auth, list_rows], ["none", row]);
		});
	});

	describe("the list of DLMS objects", () => {
		before(async () => {
			await gateway().restartAndLogin("dlms_obis");
		});
		const refused = async (text: string, code: string, field: string) => {
			const before = await gateway().read(OBIS);
			isError(await gateway().post(OBIS, text), 400, code, field);
			assert.deepEqual(await gateway().read(OBIS), before, text);
		};
		const one = (entry: unknown) => JSON.stringify({ entries: [entryOf(0), entryOf(1), entry, entryOf(3)] });

		it("is the documented one on a new unit", async () => {
			assert.deepEqual(await gateway().read(OBIS), { entries: DEFAULT_ENTRIES });
		});
		it("accepts 0 to 32 objects, keeps their order, and replies with what GET shows", async () => {
			for (const count of [32, 31, 1, 0]) {
				const entries = Array.from({ length: count }, (_, i) => entryOf(255 - i));
				const reply = await gateway().write(OBIS, { entries });
				assert.deepEqual(reply, { entries: entries.map(shown) });
				assert.deepEqual(await gateway().read(OBIS), reply);
			}
		});
		it("accepts what GET shows", async () => {
			await gateway().write(OBIS, { entries: DEFAULT_ENTRIES });
			assert.deepEqual(await gateway().write(OBIS, await gateway().read(OBIS)), { entries: DEFAULT_ENTRIES });
		});
		it("rejects a 33rd object and anything but a list of objects", async () => {
			await refused(
				JSON.stringify({ entries: Array.from({ length: 33 }, (_, i) => entryOf(i)) }),
				"invalid_field",
				"entries",
			);
			for (const bad of ["null", "1", '"[]"', "true", "{}", "[1]", "[[]]", "[null]", '["x"]', "[{},[]]", "[[[]]]"])
				if (bad === "[{},[]]") await refused(`{"entries":${bad}}`, "missing_field", "entries[0].code");
				else await refused(`{"entries":${bad}}`, "invalid_field", "entries");
			await refused('{"entries":null,"entries":[]}', "invalid_field", "entries");
			await refused('{"entries":[7],"entries":[]}', "invalid_field", "entries");
		});
		it("accepts only codes of six bytes", async () => {
			for (const code of [
				[0, 0, 0, 0, 0, 0],
				[255, 255, 255, 255, 255, 255],
			])
				assert.deepEqual((await gateway().write(OBIS, { entries: [{ ...entryOf(0), code }] })).entries[0].code, code);
			for (const code of [
				[],
				[1, 0, 1, 8, 0],
				[1, 0, 1, 8, 0, 255, 0],
				[1, 0, 1, 8, 0, 256],
				[-1, 0, 1, 8, 0, 255],
				[1, 0, 1, 8.5, 0, 255],
				[1, 0, 1, "8", 0, 255],
				[1, 0, 1, null, 0, 255],
				[true, 0, 1, 8, 0, 255],
				"1-0:1.8.0",
				null,
				7,
				{},
				{ 0: 1 },
			])
				await refused(one({ ...entryOf(2), code }), "invalid_field", "entries[2].code");
			isError(await gateway().post(OBIS, '{"entries":[{"code":[[]]}]}'), 400, "invalid_json");
			isError(await gateway().post(OBIS, '{"entries":[{"code":[{"a":1}]}]}'), 400, "invalid_json");
		});
		it("accepts only the classes 1, 3, 4, 5 and 8, and the attributes 1 to 127", async () => {
			for (const class_id of [1, 3, 4, 5, 8]) await gateway().write(OBIS, { entries: [{ ...entryOf(0), class_id }] });
			for (const attribute of [1, 2, 126, 127])
				await gateway().write(OBIS, { entries: [{ ...entryOf(0), attribute }] });
			for (const bad of [...NO_NUMBER, 0, 2, 6, 7, 9, 255, -1])
				await refused(one({ ...entryOf(2), class_id: bad }), "invalid_field", "entries[2].class_id");
			for (const bad of [...NO_NUMBER, 0, 128, -1]) {
				await refused(one({ ...entryOf(2), attribute: bad }), "invalid_field", "entries[2].attribute");
			}
		});
		it("requires every field of every object, and ignores unknown ones", async () => {
			for (const field of ["code", "class_id", "attribute"])
				await refused(one({ ...entryOf(2), [field]: undefined }), "missing_field", `entries[2].${field}`);
			const odd = { ...entryOf(2), x: 1, obis: "nonsense", y: "z", z: [1], code2: {} };
			assert.deepEqual(await gateway().write(OBIS, { entries: [odd] }), { entries: [shown(entryOf(2))] });
		});
		it("rejects the same object twice, but accepts another attribute of it", async () => {
			await gateway().write(OBIS, {
				entries: [entryOf(0), { ...entryOf(0), attribute: 3 }, { ...entryOf(0), class_id: 1 }],
			});
			await refused(JSON.stringify({ entries: [entryOf(0), entryOf(1), entryOf(0)] }), "invalid_field", "entries[2]");
		});
		it("survives a restart, even if empty; a damaged list becomes that of a new unit", async () => {
			for (const entries of [[entryOf(9)], []]) {
				await gateway().write(OBIS, { entries });
				await gateway().restartAndLogin();
				assert.deepEqual(await gateway().read(OBIS), { entries: entries.map(shown) });
			}
			await gateway().restartAndLogin("dlms_obis");
			assert.deepEqual(await gateway().read(OBIS), { entries: DEFAULT_ENTRIES });
		});
	});
}
