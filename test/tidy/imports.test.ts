/** Checks which files may import which. To allow another import, add it to IMPORTS and give the reason. */
import assert from "node:assert/strict";
import { posix } from "node:path";
import { assertNone, code, placeOf, read, type Source, XS } from "./tree.js";

/**
 * Permitted imports between "rooms". A room is a folder of modules/, a host, tools/ or test/; all parts together are one;
 * in `io` each file is a separate room, because most rooms may know the types but not the driver. Files of one room may
 * always import each other. "*" is everything in modules/ but the parts and app.
 */
const IMPORTS: readonly { rooms: string; from: string; why: string }[] = [
	{
		rooms: "bytes product io/crypto io/wifi io/client io/fault io/flash io/memory",
		from: "",
		why: "used by all other rooms, so they import none",
	},
	{
		rooms: "io/host",
		from: "io/crypto io/wifi io/ethernet io/client io/flash io/memory",
		why: "its type Host contains cryptography, radio, Ethernet, clients, flash and memory",
	},
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
	{
		rooms: "io/tls-permit",
		from: "bytes io/client",
		why: "hands the only outgoing TLS connection from one sender to the next",
	},
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
		from: "bytes product obis io/crypto io/fault io/host io/machine io/driver io/link io/memory readout iec62056-21 hdlc cosem sml tic kmp mbus amis time",
		why: "decides when to read the meter by which protocol, and stores the readouts",
	},
	{
		rooms: "live-meter",
		from: "bytes io/host json readout",
		why: "turns readouts into the messages of other makers' meters",
	},
	{
		rooms: "history",
		from: "bytes obis io/host io/flash io/machine io/driver io/memory readout time",
		why: "stores readouts in its own area of flash; the time zone is passed in",
	},
	{
		rooms: "network dns sntp",
		from: "bytes product io/crypto io/host io/wifi io/ethernet io/machine io/driver io/datagrams",
		why: "decide how to use the host's radio, cable and sockets",
	},
	{
		rooms: "power",
		from: "bytes io/host io/flash io/machine io/driver",
		why: "button, supply, sleep; and flash, which is closed when the batteries are empty",
	},
	{
		rooms: "publish",
		from: "bytes obis io/crypto io/fault io/host io/client io/machine io/driver io/memory io/tls-permit http json readout config power time",
		why: "all that outputs have in common, without transport and format; visits are made by HTTP",
	},
	{
		rooms: "websocket",
		from: "bytes http io/crypto io/host io/client io/machine io/driver",
		why: "begins as HTTP, whose scanners and limits it uses",
	},
	{
		rooms: "hub",
		from: "bytes io/host io/machine io/driver json http readout history publish time",
		why: "turns readouts and the hours of the history into requests to Home Assistant",
	},
	{
		rooms: "mqtt",
		from: "bytes product io/host io/machine json publish provision",
		why: "speaks MQTT, and makes its messages; a settings file may come as one",
	},
	{
		rooms: "update",
		from: "bytes io/host io/fault io/crypto io/client io/flash io/machine io/driver io/memory io/tls-permit http publish power diagnostics",
		why: "receives firmware files by HTTP, and logs the result",
	},
	{
		rooms: "provision",
		from: "bytes io/crypto io/memory update",
		why: "checks a signed file as an update does",
	},
	{
		rooms: "hawkbit",
		from: "bytes io/host io/client io/flash io/machine io/driver json http publish",
		why: "asks a server, and reads and writes JSON; http has its client",
	},
	{
		rooms: "zigbee",
		from: "bytes obis io/fault io/host io/flash io/machine readout update time",
		why: "the bridge is one machine on the link; the gateway passes in all that it needs except the updater",
	},
	{
		rooms: "core",
		from: "bytes io/crypto io/driver io/flash io/host io/machine io/memory io/tls-permit json config diagnostics readout time",
		why: "what all parts share; it knows none of them",
	},
	{
		rooms: "api",
		from: "core bytes product io/crypto io/host io/memory json http auth config time",
		why: "helpers for all routes, and the maker's address; it knows no part",
	},
	{ rooms: "part", from: "api config core diagnostics http io/host", why: "what a part is, and its stand-in" },
	{
		rooms: "parts",
		from: "*",
		why: "a part connects its engine to the gateway: settings, routes, log events, reactions; it may use other parts",
	},
	{ rooms: "app", from: "* parts", why: "creates what all parts share, has their list, and forwards events to them" },
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
		from: "bytes io/crypto io/fault io/host io/wifi io/ethernet io/client io/flash io/memory io/machine io/link network provision app part parts hosts/native hosts/simulated",
		why: "a host creates the gateway's Host and knows no other host",
	},
	{
		rooms: "tools",
		from: "* app parts hosts/node hosts/simulated hosts/esp32 hosts/browser",
		why: "programs for developers",
	},
	{
		rooms: "test",
		from: "* app parts hosts/node hosts/native hosts/simulated hosts/linux hosts/esp32 hosts/browser tools",
		why: "tests may import everything",
	},
];

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
	if (top !== "modules" || third === "") return undefined;
	return second === "io" ? `io/${third.replace(/\.ts$/, "")}` : second;
}

function mayImport(room: string, target: string): boolean {
	const row = IMPORTS.find((candidate) => candidate.rooms.split(" ").includes(room));
	const allowed = row?.from.split(" ") ?? [];
	const isBelow = !/^(tools|test|hosts\/.*|app|parts)$/.test(target);
	return room === target || allowed.includes(target) || (allowed.includes("*") && isBelow);
}

/** The folder that a file belongs to; for a part and an engine, with the folders in it. */
function folderOf(path: string): string {
	const folders = path.split("/").slice(0, -1);
	if (folders[0] !== "modules") return folders.join("/");
	return folders.slice(0, folders[1] === "parts" ? 3 : 2).join("/");
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

/** Files that a file imports, each with both endings that its name in the import stands for. */
function targetsOf(source: Source): { path: string; targets: string[] } {
	const names = importsOf(source).filter(({ name }) => name.startsWith("."));
	const targets = names.flatMap(({ name }) => {
		const path = posix.join(posix.dirname(source.path), name);
		return [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx")];
	});
	return { path: source.path, targets };
}

/**
 * Files that import each other in a circle, types included, directly or through other files; each circle once, as a
 * path.
 */
function circlesIn(sources: readonly Source[]): string[] {
	const targets = new Map(
		sources.map((source) => {
			const { path, targets } = targetsOf(source);
			return [path, targets] as const;
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

	it("has no two folders that import each other, types included", () => {
		const arrows = new Map<string, string>();
		for (const { path, targets } of code.filter(({ path }) => !path.startsWith("test/")).map(targetsOf))
			for (const target of targets)
				if (target.endsWith(".ts") && folderOf(path) !== folderOf(target))
					arrows.set(`${folderOf(path)} ${folderOf(target)}`, `${path} → ${target}`);
		const both = [...arrows.keys()].filter((arrow) => arrows.has(arrow.split(" ").reverse().join(" ")));
		assertNone(both.map((arrow) => `${arrows.get(arrow)}: move out what both folders need`));
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
