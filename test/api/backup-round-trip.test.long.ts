/**
 * A backup of random valid settings, restored on a unit with other random ones, gives an equal backup there. Values come
 * from the walk over all fields (walk-fields.ts). Certificates have no place in a backup and are not set.
 */
import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { byRun } from "../runs.js";
import type { JSONObject } from "./gateway.js";
import { BACKUP_GROUPS } from "./tables.js";
import { VirtualGateway } from "./virtual-gateway.js";
import { FIELDS, type WalkField } from "./walk-fields.js";

const BACKUP = "system/backup";
const ROUNDS = byRun({ test: 8, long: 400 });
/** Number of random bodies for each group. */
const BODIES = 4;
const SEED = Number(process.env["SEED"] ?? 5);

/** A secret for each flag of a backup, which the owner adds to the file. */
const SECRETS: Readonly<Record<string, JSONObject>> = {
	"network/wifi": { password: "wifi-password" },
	"network/ap": { ap_password: "own-password" },
	"iec62056/config": { password: "meter" },
	"dlms/config": { password: "meter", block_cipher_key: "0f".repeat(16), auth_key: "f0".repeat(16) },
	hub: { token: "hub-token" },
	hawkbit: { token: "hawkbit-token" },
	mqtt: { password: "mqtt-password" },
};

/** Values that the walk avoids, because they would turn off what it needs. */
const MORE: Readonly<Record<string, readonly unknown[]>> = {
	"network/ap ap_enabled": [true, false],
	"network/wifi-enabled wifi_enabled": [true, false],
	"network/ethernet ethernet_enabled": [true, false],
	"meter/backfill enabled": [true, false],
	"zigbee/config enabled": [true, false],
	"iec62056/schedule period_value": [1, 2, 4, 5, 6, 7, 8, 10, 12, 14, 15, 28, 30],
	"iec62056/schedule trigger_hour": [0, 7, 23],
	"iec62056/schedule trigger_minute": [0, 31, 59],
	"iec62056/schedule trigger_day": [1, 15, 28],
};

const GROUPS = BACKUP_GROUPS.map(({ path }) => ({
	path,
	fields: FIELDS.filter(({ route, label, name }) => route.name === `POST ${path}` && label === name),
}));

describe("A backup of random settings", function () {
	this.timeout(byRun({ test: 120_000, long: 1_800_000 }));
	const random = new SeededRandom(SEED);
	const pick = <T>(from: readonly T[]): T => from[random.below(from.length)];
	const anyOf = ({ route, name, good }: WalkField) => pick(MORE[`${route.path} ${name}`] ?? good);
	const gateways: VirtualGateway[] = [];

	async function unit(): Promise<VirtualGateway> {
		const gateway = new VirtualGateway("client");
		gateways.push(gateway);
		await gateway.login();
		return gateway;
	}

	/** Sends random bodies for all groups, and adds path and field of each accepted value to `accepted`. */
	async function change(gateway: VirtualGateway, accepted: Set<string>): Promise<void> {
		for (const { path, fields } of GROUPS) {
			for (let i = 0; i < BODIES; i++) {
				const chosen = fields.filter(() => random.oneIn(2));
				const values = Object.fromEntries(chosen.map((field) => [field.name, anyOf(field)]));
				const reply = await gateway.post(path, { ...fields[0].base, ...values });
				if (reply.status !== 200) assert.ok([400, 501].includes(reply.status), `${path}: ${reply.text}`);
				else for (const { name } of chosen) accepted.add(`${path} ${name}`);
			}
		}
	}

	const settingsOf = async (gateway: VirtualGateway): Promise<JSONObject> => (await gateway.read(BACKUP)).settings;

	/** The file with a secret in place of each flag that is set. */
	function withSecrets(settings: JSONObject): JSONObject {
		const groups = Object.entries<JSONObject>(settings).map(([path, group]) => {
			const secrets = Object.entries(SECRETS[path] ?? {}).filter(([name]) => group[`${name}_set`] === true);
			return [path, { ...group, ...Object.fromEntries(secrets) }];
		});
		return Object.fromEntries(groups);
	}

	/** Without the flags: a secret that the file lacks is kept as long as its address does not change. */
	function plain(settings: JSONObject): JSONObject {
		const groups = Object.entries<JSONObject>(settings).map(([path, group]) => {
			return [path, Object.fromEntries(Object.entries(group).filter(([name]) => !name.endsWith("_set")))];
		});
		return Object.fromEntries(groups);
	}

	afterEach(async () => {
		for (const gateway of gateways.splice(0)) await gateway.stop();
	});

	it(`gives an equal backup on another unit (${ROUNDS} rounds)`, async () => {
		const accepted = new Set<string>();
		for (let round = 0; round < ROUNDS; round++) {
			const [from, to] = [await unit(), await unit()];
			await change(from, accepted);
			await change(to, accepted);
			const file = await from.read(BACKUP);
			const what = `round ${round} with SEED=${SEED}`;
			const { enter_again, ignored } = await to.write(BACKUP, { ...file, settings: withSecrets(file.settings) });
			assert.deepEqual([enter_again, ignored], [[], []], what);
			assert.deepEqual(plain(await settingsOf(to)), plain(file.settings), what);
			await to.restartAndLogin();
			assert.deepEqual(plain(await settingsOf(to)), plain(file.settings), `${what}, restarted`);
			for (const gateway of gateways.splice(0)) await gateway.stop();
		}
		const all = GROUPS.flatMap(({ path, fields }) => fields.map(({ name }) => `${path} ${name}`));
		const never = all.filter((name) => !accepted.has(name));
		assert.deepEqual(never, [], "fields of which no value was accepted");
	});
});
