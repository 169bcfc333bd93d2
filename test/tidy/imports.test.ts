/** Checks which files may import which. To allow another import, add it to IMPORTS and give the reason. */
import assert from "node:assert/strict";
import { posix } from "node:path";
import { assertNone, code, placeOf, read, type Source, XS } from "./tree.js";

/**
 * Permitted imports between "rooms". A room is a folder of modules/, a host, tools/ or test/; in `io` each file is a
 * separate room, because most rooms may know the types but not the driver. Files of one room may always import each
 * other. "*" is everything in modules/.
 */
const IMPORTS: readonly { rooms: string; from: string; why: string }[] = [
	{
		rooms: "bytes product without io/crypto io/wifi io/client io/fault io/flash io/memory",
		from: "",
		why: "used by all other rooms, so they import none",
	},
	{
		rooms: "io/host",
		from: "io/crypto io/wifi io/ethernet io/client io/flash io/memory",
		why: "its type Host contains cryptography, radio, Ethernet, clients, flash and memory",
	},
	{ rooms: "omitted", from: "without", why: "searches the list of omitted parts" },
	{ rooms: "io/ethernet", from: "io/wifi", why: "both use the same type for a static address" },
	{ rooms: "io/machine", from: "io/host", why: "a machine's output can set the format of the line" },
	{
		rooms: "io/driver",
		from: "io/host io/machine",
		why: "gives all machines their clock and timer, and catches their exceptions",
	},
	{
		rooms: "io/link",
		from: "bytes io/host io/machine io/driver",
		why: "runs a machine on a port, with parity in software",
	},
	{ rooms: "io/datagrams", from: "io/fault io/host io/machine io/driver", why: "runs a machine on UDP" },
	{ rooms: "obis", from: "bytes", why: "codes, their names and their mappings are plain data" },
	{
		rooms: "readout",
		from: "bytes obis io/crypto io/host io/machine time",
		why: "a readout has the same form in all protocols; readings of meters on M-Bus are compared by their times",
	},
	{
		rooms: "hdlc dlms sml tic kmp mbus",
		from: "bytes obis io/host io/machine readout",
		why: "protocols never know each other",
	},
	{
		rooms: "amis",
		from: "bytes obis io/crypto io/host io/machine readout mbus",
		why: "an AMIS meter sends ciphered records of M-Bus in frames of M-Bus",
	},
	{
		rooms: "iec62056-21",
		from: "bytes obis io/host io/machine readout time",
		why: "as the other protocols; a load profile is requested from a given time on",
	},
	{
		rooms: "cosem",
		from: "bytes obis io/crypto io/host io/machine io/link readout iec62056-21 hdlc dlms mbus time",
		why: "combines the layers of DLMS/COSEM: sign-on, HDLC or M-Bus, association, objects",
	},
	{
		rooms: "json config time auth",
		from: "bytes io/crypto io/fault io/host io/machine",
		why: "none of them knows another: callers pass in what is needed",
	},
	{
		rooms: "hpke",
		from: "io/crypto io/host",
		why: "encrypts to a public key with the host's cryptography",
	},
	{
		rooms: "diagnostics",
		from: "bytes io/fault io/host io/flash",
		why: "stores events in memory and flash; other rooms report them",
	},
	{
		rooms: "http",
		from: "bytes io/crypto io/host io/client io/machine io/driver io/memory",
		why: "a connection is a machine that the driver runs, and needs memory",
	},
	{
		rooms: "meter",
		from: "bytes omitted without obis io/crypto io/fault io/host io/machine io/driver io/link io/memory readout iec62056-21 hdlc cosem sml tic kmp mbus amis time",
		why: "decides when to read the meter by which protocol, and stores the readouts",
	},
	{
		rooms: "live-meter",
		from: "bytes io/host json readout config fields features",
		why: "turns readouts into the messages of other makers' meters; its service and ports query the gateway",
	},
	{
		rooms: "history",
		from: "bytes obis io/host io/flash io/machine io/driver io/memory readout time",
		why: "stores readouts in its own area of flash; the time zone is passed in",
	},
	{
		rooms: "backfill",
		from: "readout obis time history meter",
		why: "takes counters and times from the rows of a meter's load profile",
	},
	{ rooms: "prices", from: "bytes time", why: "stores prices, each with the day from which it is valid" },
	{
		rooms: "peaks",
		from: "io/host io/machine io/driver io/memory readout time history live-meter",
		why: "computes means of intervals from readouts, after a start from the history",
	},
	{
		rooms: "wifi dns sntp",
		from: "bytes product io/crypto io/host io/wifi io/ethernet io/machine io/driver io/datagrams",
		why: "decide how to use the host's radio, cable and sockets",
	},
	{
		rooms: "power",
		from: "bytes io/host io/flash io/machine io/driver",
		why: "button, light, supply, sleep; and flash, which is closed when the batteries are empty",
	},
	{
		rooms: "fields",
		from: "bytes product config diagnostics io/crypto obis dlms prices",
		why: "names and permitted values of a part's settings and events",
	},
	{
		rooms: "improv",
		from: "product core io/host io/machine io/driver wifi config provision fields features",
		why: "sets up Wi-Fi and takes settings files over the console, as the API does over the network",
	},
	{
		rooms: "publish",
		from: "bytes obis io/crypto io/fault io/host io/client io/machine io/driver io/memory http json readout config power time",
		why: "all that outputs have in common, without transport and format; visits are made by HTTP",
	},
	{
		rooms: "websocket",
		from: "bytes http io/crypto io/host io/client io/machine io/driver",
		why: "begins as HTTP, whose scanners and limits it uses",
	},
	{
		rooms: "homeassistant",
		from: "bytes product obis io/crypto io/fault io/host io/client io/machine io/driver io/memory json http websocket readout history publish config fields time power",
		why: "sends readouts and the hours of the history; http and websocket have its clients",
	},
	{
		rooms: "mqtt",
		from: "provision bytes product obis io/crypto io/host io/client io/machine io/driver io/memory json http readout publish config fields time power",
		why: "sends readouts with their time and the battery's state; http has its client",
	},
	{
		rooms: "ota",
		from: "io/host io/fault io/crypto io/client io/flash io/machine io/driver io/memory http config fields publish power diagnostics",
		why: "receives firmware files, checks for newer releases, and logs the result",
	},
	{
		rooms: "hawkbit",
		from: "bytes io/host io/client io/flash io/machine io/driver json http publish",
		why: "asks a server, and reads and writes JSON; http has its client",
	},
	{
		rooms: "provision",
		from: "io/client io/crypto io/memory ota api core http json publish fields",
		why: "checks and requests a file as ota does a firmware file, and answers its settings as an exchange",
	},
	{
		rooms: "zigbee",
		from: "bytes obis io/fault io/host io/flash io/machine readout ota time",
		why: "the bridge is one machine on the link; the gateway passes in all that it needs except the firmware installer",
	},
	{
		rooms: "core",
		from: "bytes io/crypto io/driver io/flash io/host io/memory json config diagnostics power publish readout time",
		why: "all parts use it; it knows none of them",
	},
	{
		rooms: "api",
		from: "core bytes product io/crypto io/host io/memory json http auth config time",
		why: "helpers for all routes, and the maker's address; it knows no part",
	},
	{ rooms: "part", from: "api config core diagnostics", why: "the type of a part" },
	{ rooms: "absent", from: "part api config core http io/host", why: "stands for a part that the build leaves out" },
	{
		rooms: "features certificate system parts",
		from: "*",
		why: "settings, routes and wiring of a part lie in its folder, and may use lower layers and other parts",
	},
	{ rooms: "app", from: "*", why: "the gateway creates all parts and forwards events to them" },
	{ rooms: "hosts/browser", from: "product", why: "the page isn't firmware: it uses only the gateway's API" },
	{
		rooms: "hosts/native",
		from: "bytes io/crypto io/host io/client io/flash io/memory",
		why: "shared by the hosts in XS: TypeScript interfaces to C and to the SDK",
	},
	{
		rooms: "hosts/simulated",
		from: "bytes io/crypto io/host io/wifi io/ethernet io/client io/flash",
		why: "replaces hardware that a host doesn't have",
	},
	{
		rooms: "hosts/node hosts/linux hosts/esp32",
		from: "bytes io/crypto io/fault io/host io/wifi io/ethernet io/client io/flash io/memory io/machine io/link wifi app part provision features hosts/native hosts/simulated",
		why: "a host creates the gateway's Host and knows no other host",
	},
	{ rooms: "tools", from: "* hosts/node hosts/simulated hosts/esp32 hosts/browser", why: "programs for developers" },
	{
		rooms: "test",
		from: "* hosts/node hosts/native hosts/simulated hosts/linux hosts/esp32 hosts/browser tools",
		why: "tests may import everything",
	},
];

/** Files that connect a folder to the gateway's parts; the folder's other files know nothing of parts. */
const FEATURE =
	/^modules\/([\w-]+\/(routes\/.*|routes|([\w-]+-)?part)|auth\/(access|settings)|meter\/(metering|report|state|\w+-store|schedule-settings)|live-meter\/((absent-)?settings|dialect-port|live-meter|live-service|rpc|rpc-sockets|sma|sunspec)|ota\/(firmware|security-updates|trial)|peaks\/peaks|backfill\/backfill|hawkbit\/(hawkbit|rollout)|provision\/(file-pieces|file-source|provisioning)|publish\/send-route|wifi\/(networking|services|settings)|zigbee\/(zigbee|status))\.ts$/;

/** Imported modules that belong to the Moddable SDK or are generated by its build; no npm package has them. */
const SDK_MODULES = [
	"Resource",
	"timer",
	"text/decoder",
	"text/encoder",
	"mc/config",
	"gateway/board",
	"gateway/release",
];

/** The room that a file belongs to; undefined for a file outside of all rooms. */
function roomOf(path: string): string | undefined {
	const [top, second = "", third = ""] = path.split("/");
	if (top === "tools" || top === "test") return top;
	if (top === "hosts") return `hosts/${second}`;
	if (top !== "modules") return undefined;
	if (third === "") return second.replace(/\.ts$/, "");
	if (/(fields|log-events)\.ts$/.test(third)) return "fields";
	if (FEATURE.test(path)) return "features";
	return second === "io" ? `io/${third.replace(/\.ts$/, "")}` : second;
}

function mayImport(room: string, target: string): boolean {
	const row = IMPORTS.find((candidate) => candidate.rooms.split(" ").includes(room));
	const allowed = row?.from.split(" ") ?? [];
	const isModule = target !== "tools" && target !== "test" && !target.startsWith("hosts/");
	return room === target || allowed.includes(target) || (allowed.includes("*") && isModule);
}

/** Import lines of a file: the imported name and the position. */
function importsOf(source: Source): { name: string; index: number }[] {
	const lines = /^(?:import|export)\s(?:[^"'`;=()]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
	return [...source.code.matchAll(lines)].map((match) => ({ name: match[1] ?? match[2], index: match.index }));
}

function checkImports(source: Source): string[] {
	const room = roomOf(source.path);
	if (room === undefined) return [];
	return importsOf(source).flatMap(({ name, index }) => {
		if (!name.startsWith(".")) return [];
		const target = roomOf(posix.join(posix.dirname(source.path), name).replace(/\.js$/, ".ts"));
		if (target !== undefined && mayImport(room, target)) return [];
		return [
			`${placeOf(source, index)}: ${room} may not import ${target ?? name}: pass it in, or give IMPORTS a reason`,
		];
	});
}

/**
 * Files that import each other in a circle, types included, directly or through other files; each circle once, as a
 * path.
 */
function circlesIn(sources: readonly Source[]): string[] {
	const targets = new Map(
		sources.map((source) => {
			const names = importsOf(source).filter(({ name }) => name.startsWith("."));
			const files = names.flatMap(({ name }) => {
				const path = posix.join(posix.dirname(source.path), name);
				return [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")];
			});
			return [source.path, files] as const;
		}),
	);
	const circles: string[] = [];
	const done = new Set<string>();
	const walk = (path: string, way: readonly string[]) => {
		if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
		else if (!done.has(path)) for (const next of targets.get(path) ?? []) walk(next, [...way, path]);
		done.add(path);
	};
	for (const path of targets.keys()) walk(path, []);
	return circles;
}

describe("tidy: imports", () => {
	const packages = JSON.parse(read("package.json"));
	const pinned: Record<string, string> = Object.assign(
		{},
		...Object.keys(packages)
			.filter((key) => /ependencies$/.test(key))
			.map((key) => packages[key]),
	);

	it("lets each folder import only what the table allows", () => {
		assertNone(code.flatMap(checkImports));
	});

	it("lets the meter reader import no particular protocol", () => {
		const readers = /^modules\/meter\/(reader|probe|pending-reads)\.ts$/;
		const known = /\/(iec62056-21|hdlc|dlms|sml)\/|\/(dlms|simulator)[^/]*$/;
		const found = code.filter((source) => readers.test(source.path));
		assert.equal(found.length, 3);
		const advice = "ask the row of meter/protocols.ts: what is of one protocol is its own";
		assertNone(
			found.flatMap((source) =>
				importsOf(source)
					.filter(({ name }) => known.test(name))
					.map(({ name, index }) => `${placeOf(source, index)}: "${name}": ${advice}`),
			),
		);
	});

	it("detects an import that the table doesn't allow", () => {
		const check = (path: string, name: string) => {
			const text = `import type {\n\tA,\n} from "${name}";\n`;
			return checkImports({ path, text, code: text }).length;
		};
		assert.equal(check("modules/auth/x.ts", "../config/store.js"), 1);
		assert.equal(check("modules/auth/x.ts", "../bytes/hex.js"), 0);
		assert.equal(check("modules/hdlc/x.ts", "../dlms/axdr.js"), 1);
		assert.equal(check("modules/hdlc/x.ts", "../io/link.js"), 1);
		assert.equal(check("modules/app/x.ts", "../../hosts/node/host.js"), 1);
		assert.equal(check("modules/unheard/x.ts", "../bytes/hex.js"), 1);
		assert.equal(check("hosts/node/x.ts", "../linux/host.js"), 1);
		assert.equal(check("hosts/node/x.ts", "../../modules/http/server.js"), 1);
		assert.equal(check("tools/x.ts", "../test/x.js"), 1);
		assert.equal(check("tools/x.ts", "../hosts/node/host.js"), 0);
	});

	it("has no files outside of test/ that import each other in a circle, types included", () => {
		const tested = code.filter(({ path }) => !path.startsWith("test/"));
		assertNone(circlesIn(tested).map((circle) => `${circle}: move out what both need`));
	});

	it("detects a circle of imports", () => {
		const file = (path: string, name: string) => {
			const text = `import type { A } from "${name}";\n`;
			return { path, text, code: text };
		};
		const [a, b, c] = [
			file("modules/x/a.ts", "./b.js"),
			file("modules/x/b.ts", "../y/c.js"),
			file("modules/y/c.ts", "../x/a.js"),
		];
		assert.equal(circlesIn([a, b, c]).length, 1);
		assert.equal(circlesIn([a, b]).length, 0);
	});

	it("has a row of the import table for every folder", () => {
		const known = IMPORTS.flatMap((row) => row.rooms.split(" "));
		const rooms = new Set(code.map((source) => roomOf(source.path)!));
		assertNone([...rooms].filter((room) => !known.includes(room)).map((room) => `${room}: give it a row in IMPORTS`));
	});

	it("imports only packages that package.json names, and Node's own modules with the prefix node:", () => {
		assertNone(
			code.flatMap((source) =>
				importsOf(source)
					.filter(({ name }) => !name.startsWith(".") && !name.startsWith("node:"))
					.filter(({ name }) => !(XS.test(source.path) && SDK_MODULES.includes(name)))
					.filter(({ name }) => !(name.match(/^(@[^/]+\/)?[^/]+/)![0] in pinned))
					.map(({ name, index }) => `${placeOf(source, index)}: "${name}": add it to package.json, or write node:`),
			),
		);
	});

	it("pins every dependency to one version", () => {
		assertNone(
			Object.entries(pinned)
				.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
				.map(([name, version]) => `package.json: ${name} ${version}: name one exact version`),
		);
	});
});
