/**
 * Tables and examples of docs/api.md: they are complete and up to date with the tool; the examples match their schemas
 * and a gateway's replies.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { makeCertificate } from "../../hosts/node/self-signed.js";
import { DOCUMENT } from "../../tools/api/document.js";
import type { Node } from "../../tools/api/files.js";
import { guideFile } from "../../tools/api-examples.js";
import { complaintOf, contentPointer, OPERATIONS, resolve } from "../api/document.js";
import { type JSONObject, type Reply, vectorOf } from "../api/gateway.js";
import { START_UTC_MS, VirtualGateway } from "../api/virtual-gateway.js";
import { pathOf, RESTARTING, routeOf, visit, WALK, type WalkRoute } from "../api/walk.js";
import { dlmsMeter } from "../cosem/meters.js";

const GUIDE = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
/** A generated part of docs/api.md, without the padding of table columns. */
const partOf = (name: string) =>
	GUIDE.slice(GUIDE.indexOf(`<!-- ${name}:`), GUIDE.indexOf(`<!-- end of ${name} -->`)).replace(/ +\|/g, " |");
const PART = partOf("examples");
/** A shell function in place of curl that prints its arguments, one call per line. */
const CURL = 'B=https://host/api/v1 TOKEN=secret\ncurl() { printf "%s\\0" "$@"; printf "\\n"; }\n';
/** Status of routes that a unit refuses because it lacks the part, or has it switched off. */
const REFUSED: Readonly<Record<string, number>> = {
	"POST zigbee/reset": 501,
	"GET hub/send": 400,
	"GET mqtt/send": 400,
	// The unit has no signing keys.
	"POST system/ota": 501,
	"POST provision/file": 501,
	"POST system/upgrade/install": 501,
	"GET system/diagnostic": 501,
};
/** Values that differ between units and times. */
const OWN = /^(token|id|nonce|salt|created|base_topic)$/;

/** Checks that a reply has all members of the example. */
function agrees(shown: unknown, found: unknown, where: string): void {
	if (typeof shown !== "object" || shown === null || typeof found !== "object" || found === null) return;
	if (Array.isArray(shown)) return;
	for (const [name, value] of Object.entries(shown)) {
		assert.ok(name in found, `${where}: the reply has no ${name}`);
		agrees(value, (found as JSONObject)[name], `${where}: ${name}`);
	}
}

describe("npm run api -- --make", () => {
	it("has made the tables and examples in docs/api.md", () => {
		assert.equal(guideFile().text, GUIDE);
	});

	it("lists every operation, every error and every field of a body", () => {
		for (const [key, { requestBody }] of OPERATIONS) {
			const [method, path] = key.split(" ");
			const title = `${method} \`${path.slice(8).replace("{", "<").replace("}", ">")}\``;
			assert.equal(partOf("routes").split(`| ${title} |`).length, 2, key);
			if (requestBody === undefined) continue;
			const table = partOf("fields").split(`\n${title}`)[1]?.split("\nPOST ")[0];
			assert.ok(table, key);
			const { properties = {} } = resolve(Object.values<Node>(requestBody.content)[0].schema);
			for (const name of Object.keys(properties)) assert.match(table, new RegExp(`^\\| \\*{0,2}\`${name}\``, "m"), key);
		}
		for (const { const: code } of DOCUMENT.components.schemas.Error.properties.error.oneOf)
			assert.equal(partOf("errors").split(`| \`${code}\` |`).length, 2, code);
	});

	it("shows every operation, except GETs of settings whose reply is that of the POST beside them", () => {
		for (const [key, operation] of OPERATIONS) {
			const [method, path] = key.split(" ");
			const title = (name: string) => `**${name} \`${path.slice(8).replace("{", "<").replace("}", ">")}\`**`;
			const count = PART.split(title(method)).length - 1;
			if (count === 0) {
				const post = OPERATIONS.get(`POST ${path}`);
				const [own, other] = [operation, post].map((one) => JSON.stringify(one?.responses[200]?.content));
				assert.ok(method === "GET" && own && other && PART.includes(title("POST")), key);
			} else assert.equal(count, 1, key);
		}
	});

	it("gives commands that a shell accepts, each with the body and path of its example", () => {
		const blocks = [...PART.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]);
		const { stdout, status } = spawnSync("sh", ["-e"], { input: CURL + blocks.join(""), encoding: "utf8" });
		assert.equal(status, 0);
		const calls = stdout.trimEnd().split("\n");
		assert.equal(calls.length, blocks.length);
		for (const call of calls) {
			const words = call.split("\0");
			const url = words.find((word) => word.startsWith("https://host/api/v1/"));
			assert.ok(url, call);
			if (!words.includes("-d")) continue;
			const { requestBody } = OPERATIONS.get(`POST ${url.replace("https://host", "")}`)!;
			const body = JSON.parse(words[words.indexOf("-d") + 1]);
			assert.deepEqual(body, requestBody.content["application/json"].example);
		}
	});
});

describe("The examples of the API's description", () => {
	it("exist for every body, reply and path parameter, and match their schemas", () => {
		const check = (key: string, status: string, part: Node) => {
			for (const [type, content] of Object.entries<Node>(resolve(part).content ?? {})) {
				// A file has no readable example.
				if (type === "application/octet-stream") continue;
				assert.ok("example" in content, `${key} ${status}: ${type}`);
				const pointer = `${contentPointer(key, status)}/${type.replace("/", "~1")}/schema`;
				assert.equal(complaintOf(pointer, content.example), "", `${key} ${status}`);
			}
		};
		for (const [key, { requestBody, responses, parameters = [] }] of OPERATIONS) {
			if (requestBody) check(key, "", requestBody);
			if (responses[200]) check(key, "200", responses[200]);
			for (const one of parameters) assert.ok(one.in === "query" || typeof one.example === "string", key);
		}
	});

	describe("sent to a gateway", () => {
		let gateway: VirtualGateway;

		beforeEach(async () => {
			gateway = await VirtualGateway.loggedIn();
			await gateway.connectMeter({ telegram: vectorOf("landis-gyr-zmf100-m26-padded-left").telegram });
			await gateway.write("system/timezone", { timezone: "Europe/Berlin" });
		});
		afterEach(() => gateway.stop());

		const contentOf = ({ name, path }: WalkRoute): Node => {
			const key = name.replace(path, `/api/v1/${path.replace("<", "{").replace(">", "}")}`);
			return resolve(OPERATIONS.get(key)!.responses[200]).content;
		};
		const typesOf = (route: WalkRoute): string[] => Object.keys(contentOf(route) ?? {});
		const exampleOf = (route: WalkRoute): Node => contentOf(route)?.["application/json"]?.example;
		const isLike = (route: WalkRoute, reply: Reply) => {
			const status = REFUSED[route.name] ?? 200;
			assert.equal(reply.status, status, `${route.name}: ${reply.text}`);
			const [type] = (reply.headers.get("content-type") ?? "").split(";");
			if (status !== 200 || reply.text === "") return;
			if (type === "application/json") agrees(exampleOf(route), JSON.parse(reply.text), route.name);
			// Other tests check texts; here only the type is compared.
			else
				assert.ok(
					typesOf(route).some((documented) => documented.split(";")[0] === type),
					`${route.name}: ${type}`,
				);
		};

		for (const route of WALK.filter((one) => !RESTARTING.includes(one.name) && one.schema === undefined)) {
			it(`${route.name} is answered as documented`, async () => {
				// The address is shown only while the hub is enabled.
				if (route.name === "GET hub") await gateway.write("hub", routeOf("POST hub").example);
				// The built-in simulator has no load profile.
				if (route.name === "GET meter/profile") {
					gateway.world.serial.meter.connect(dlmsMeter());
					await gateway.write("meter/protocol", { protocol: "dlms" });
					await gateway.write("dlms/config", { server_physical: 17, opening: "direct" });
					await gateway.write("iec62056/control", { simulator_en: false });
				}
				if (route.name === "GET meter/now") {
					await gateway.write("prices", { periods: [{ from: "2000-01-01", import_micro: 318_700 }] });
					await gateway.write("iec62056/control", { simulator_en: true });
					await gateway.read("iec62056/read");
				}
				isLike(route, await visit(gateway, route));
			});
		}
		for (const route of WALK.filter(({ schema }) => schema !== undefined)) {
			it(`${route.name} is answered as documented, word for word`, async () => {
				const isAttempt = /login|password$/.test(route.path);
				const reply = isAttempt ? await visit(gateway, route) : await gateway.post(route.path, route.example);
				isLike(route, reply);
				if (reply.text === "") return;
				const shown = Object.entries(exampleOf(route)).filter(([name]) => !OWN.test(name));
				const found = JSON.parse(reply.text);
				for (const [name, value] of shown) {
					if (route.path !== "system/clock" || !/^(utc|localtime)$/.test(name))
						assert.deepEqual(found[name], value, name);
				}
			});
		}
		it("POST system/certificate, reboot and factory_reset are answered as documented", async () => {
			const times = { validFromMs: START_UTC_MS, validToMs: START_UTC_MS + 1e11 };
			const { certificate, key } = makeCertificate({ names: ["cellar"], ...times });
			const file = Buffer.from(certificate).toString("latin1") + Buffer.from(key).toString("latin1");
			for (const route of WALK.filter(({ name }) => RESTARTING.includes(name))) {
				isLike(route, await gateway.post(pathOf(route), route.path === "system/certificate" ? file : undefined));
				await gateway.loginAfterReboot();
			}
		});
	});
});
