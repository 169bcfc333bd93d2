/** Each field of each settings route, with values below, at and above its bounds and of each wrong type. */
import assert from "node:assert/strict";
import { DEFAULT_CONFIG, DEFAULT_CONTROL, isError, type TestGateway } from "./gateway.js";

const SPEEDS = [300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200];
const NO_BOOLEAN = [0, 1, "true", "false", "", null, [], [true], {}, { true: true }];
const NO_NUMBER = ["600", "", true, false, null, [], [600], {}, { 600: 600 }];
const NO_TEXT = [0, 1, true, null, [], ["1"], {}, { 1: "1" }];
/** JSON texts of numbers other than the integer 600. */
const NO_600 = ["600.5", "600.0000000001", "6e-2", "1e400", "-600", `600${"0".repeat(40)}`, "-0", "599.99999999999"];

interface FieldChecks {
	readonly path: string;
	readonly field: string;
	readonly good: readonly unknown[];
	readonly bad: readonly unknown[];
	readonly badTexts?: readonly string[];
}

const FIELDS: readonly FieldChecks[] = [
	...["mode_d_enabled", "battery", "mode_e_dlms"].map((field) => ({
		path: "iec62056/config",
		field,
		good: [true, false],
		bad: NO_BOOLEAN,
	})),
	...["simulator_en", "log_en"].map((field) => ({
		path: "iec62056/control",
		field,
		good: [true, false],
		bad: NO_BOOLEAN,
	})),
	{
		path: "iec62056/config",
		field: "mode_d_baudrate",
		good: SPEEDS,
		bad: [...NO_NUMBER, ...SPEEDS.flatMap((speed) => [speed - 1, speed + 1, -speed]), 0, 150, 28800, 230400],
		badTexts: NO_600,
	},
	{
		path: "iec62056/config",
		field: "baudrate_max",
		good: [300, 301, 599, 600, 9599, 9601, 19199, 19200],
		bad: [...NO_NUMBER, 0, 1, -1, 299, 19201, 38400, 2 ** 31, 2 ** 53, -300],
		badTexts: NO_600,
	},
	{
		path: "iec62056/config",
		field: "device_address",
		good: ["1", "0", "AZaz09", "a b", " ", "0".repeat(31), "Z".repeat(32), "/#", "/4405296170", ""],
		bad: [
			...NO_TEXT,
			"0".repeat(33),
			"0".repeat(1000),
			"1!",
			"/?",
			"1\r\n",
			"\t",
			"-1",
			"ä",
			"１",
			"1\u0000",
			"\ud83d\ude00",
		],
	},
];

/** Levels and GPIOs of the port's lines at first. */
const LINES = Object.freeze({ rx_inverted: false, tx_inverted: false, rx_pin: -1, tx_pin: -1 });

export function settingsChecks(gateway: () => TestGateway): void {
	describe("GET of the settings", () => {
		it("shows the defaults and no other fields", async () => {
			await gateway().restartAndLogin();
			assert.deepEqual(await gateway().read("meter/protocol"), { protocol: "iec62056", ...LINES });
			assert.deepEqual(await gateway().read("iec62056/config"), DEFAULT_CONFIG);
			assert.deepEqual(await gateway().read("iec62056/control"), DEFAULT_CONTROL);
		});
	});

	for (const { path, field, good, bad, badTexts = [] } of FIELDS) {
		describe(`field ${field}`, () => {
			it("accepts each valid value, and the reply is what GET shows from then on", async () => {
				const before = await gateway().read(path);
				for (const value of good) {
					const reply = await gateway().write(path, { [field]: value });
					assert.deepEqual(reply, { ...before, [field]: value });
					assert.deepEqual(await gateway().read(path), reply);
				}
			});
			it("rejects every other value, and then stores nothing from the body", async () => {
				const before = await gateway().read(path);
				const other = path === "iec62056/control" ? ["simulator_en", "log_en"] : ["battery", "mode_e_dlms"];
				const changes = other.filter((name) => name !== field).map((name) => `"${name}":true`);
				for (const text of [...bad.map((value) => JSON.stringify(value)), ...badTexts]) {
					isError(await gateway().post(path, `{"${field}":${text}}`), 400, "invalid_field", field);
					const mixed = `{${changes[0]},"${field}":${text},${changes.at(-1)}}`;
					isError(await gateway().post(path, mixed), 400, "invalid_field", field);
				}
				assert.deepEqual(await gateway().read(path), before);
			});
		});
	}

	describe("a rejection", () => {
		it("names the field and what it may be", async () => {
			for (const [path, field, message] of [
				["iec62056/config", "battery", /battery.*true or false/],
				["iec62056/config", "baudrate_max", /baudrate_max.*300.*19200/],
				[
					"iec62056/config",
					"mode_d_baudrate",
					/mode_d_baudrate.*300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200/,
				],
				["iec62056/config", "device_address", /device_address.*32/],
				["meter/protocol", "protocol", /protocol.*iec62056.*dlms/],
			] as const) {
				const reply = await gateway().post(path, { [field]: null });
				assert.match(JSON.parse(reply.text).message, message);
			}
		});
	});

	describe("an invalid text", () => {
		it("is rejected with a message that gives the limits and the allowed characters", async () => {
			const long = "x".repeat(600);
			const wifi = { ssid: "home", password: "", dhcp: true };
			const login = { username: "admin", nonce: "0", proof: "0" };
			for (const [path, body, message] of [
				["network/wifi", { ...wifi, ssid: long }, "at most 31 characters, none of them a control character."],
				["network/wifi", { ...wifi, ssid: "" }, "1 to 31 characters and at most 32 bytes."],
				["network/wifi", { ...wifi, hostname: long }, "at most 31 characters, each one of -, 0 to 9, A to Z, a to z."],
				["network/ap", { ap_password: long }, "at most 63 characters, none of them a control character."],
				["system/tokens", { name: long }, "1 to 32 characters, each one of blank to ~."],
				["system/password", { ...login, new_hash: "f" }, "exactly 64 characters, each one of 0 to 9, a to f, A to F."],
				["system/login", { ...login, username: "x".repeat(300) }, "characters."],
				["dlms/config", { auth_key: long }, "at most 32 characters, each one of 0 to 9, A to F, a to f."],
				["hub", { enabled: false, token: long }, "at most 512 characters, each one of ! to ~."],
				["zigbee/map", { mapping: [{ obis: "x", mapping_id: "00000000" }] }, "without a billing period."],
				[
					"zigbee/map",
					{ mapping: [{ obis: "1.8.0", mapping_id: "07020002" }] },
					"must be one of 00000000, 07020000, 07020001, 07020400, 0B040505, 0B040508.",
				],
			] as const) {
				const reply = await gateway().post(path, body);
				assert.equal(reply.status, 400, reply.text);
				const shownMessage = JSON.parse(reply.text).message as string;
				assert.ok(shownMessage.endsWith(message), shownMessage);
				assert.doesNotMatch(shownMessage, /\b0 to [1-9]\d|(\d+) to \1\b/, shownMessage);
			}
		});
	});

	describe("a number", () => {
		it("may be written in any way that JSON allows", async () => {
			for (const text of ["600", "600.0", "6e2", "6E+2", "60.00e1", "6000e-1"]) {
				await gateway().write("iec62056/config", { baudrate_max: 300 });
				const reply = await gateway().post("iec62056/config", `{"baudrate_max":${text}}`);
				assert.equal(JSON.parse(reply.text).baudrate_max, 600, text);
			}
		});
	});

	describe("several fields at once", () => {
		it("are changed together, and missing ones keep their values", async () => {
			await gateway().write("iec62056/config", { mode_d_baudrate: 9600, baudrate_max: 4800, device_address: "12" });
			const expected = { ...DEFAULT_CONFIG, mode_d_baudrate: 9600, baudrate_max: 4800, device_address: "12" };
			assert.deepEqual(await gateway().write("iec62056/config", {}), expected);
			assert.deepEqual(await gateway().write("iec62056/config", { battery: true }), { ...expected, battery: true });
			assert.deepEqual(await gateway().write("iec62056/config", DEFAULT_CONFIG), DEFAULT_CONFIG);
		});
		it("may be simulator, log or both", async () => {
			const path = "iec62056/control";
			assert.deepEqual(await gateway().write(path, { log_en: true }), { simulator_en: false, log_en: true });
			assert.deepEqual(await gateway().write(path, { simulator_en: true }), { simulator_en: true, log_en: true });
			assert.deepEqual(await gateway().write(path, DEFAULT_CONTROL), DEFAULT_CONTROL);
		});
	});

	describe("field protocol", () => {
		const path = "meter/protocol";

		it("accepts iec62056", async () => {
			assert.deepEqual(await gateway().write(path, { protocol: "iec62056" }), { protocol: "iec62056", ...LINES });
		});
		it("accepts dlms", async () => {
			assert.deepEqual(await gateway().write(path, { protocol: "dlms" }), { protocol: "dlms", ...LINES });
			assert.deepEqual(await gateway().read(path), { protocol: "dlms", ...LINES });
			await gateway().write(path, { protocol: "iec62056" });
		});
		it("rejects everything else", async () => {
			for (const protocol of [...NO_TEXT, "", "IEC62056", "iec62056 ", "DLMS", "iec62056\u0000", "x".repeat(1000)]) {
				isError(await gateway().post(path, { protocol }), 400, "invalid_field", "protocol");
			}
			isError(await gateway().post(path, { protokoll: "iec62056" }), 400, "missing_field", "protocol");
		});
	});

	describe("a restart", () => {
		const config = {
			mode_d_enabled: true,
			mode_d_baudrate: 19200,
			baudrate_max: 301,
			battery: true,
			mode_e_dlms: true,
			device_address: "Zz 09",
			password_set: true,
		};
		const control = { simulator_en: true, log_en: true };

		async function change(): Promise<void> {
			await gateway().write("iec62056/config", { ...config, password: "00000001" });
			await gateway().write("iec62056/control", control);
		}

		it("keeps the settings and the password, and ends the sessions and the nonces", async () => {
			await change();
			const { salt, nonce } = await gateway().read("system/challenge");
			const token = gateway().token;
			await gateway().restart();
			isError(await gateway().get("meter/protocol", { token }), 401, "unauthorized");
			const body = { username: "admin", nonce, proof: "00".repeat(32) };
			isError(await gateway().post("system/login", body), 401, "nonce_invalid");
			assert.equal((await gateway().read("system/challenge")).salt, salt);
			gateway().token = await gateway().loginByChallenge();
			assert.deepEqual(await gateway().read("iec62056/config"), config);
			assert.deepEqual(await gateway().read("iec62056/control"), control);
		});
		it("with a damaged entry in flash resets only that entry, until it is set again", async () => {
			await change();
			await gateway().restartAndLogin("control");
			assert.deepEqual(await gateway().read("iec62056/control"), DEFAULT_CONTROL);
			assert.deepEqual(await gateway().read("iec62056/config"), config);
			await gateway().write("iec62056/control", control);
			await gateway().restartAndLogin("iec62056");
			assert.deepEqual(await gateway().read("iec62056/config"), DEFAULT_CONFIG);
			assert.deepEqual(await gateway().read("iec62056/control"), control);
		});
		it("with a damaged account restores the label's password, and keeps the settings", async () => {
			await change();
			const { salt } = await gateway().read("system/challenge");
			await gateway().restart("access");
			assert.notEqual((await gateway().read("system/challenge", { token: null })).salt, salt);
			gateway().token = await gateway().loginByChallenge();
			assert.deepEqual(await gateway().read("iec62056/config"), config);
		});
	});
}
