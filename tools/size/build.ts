/**
 * Builds the byte code, the resources and the preloaded machine of the ESP32's firmware, as far as that needs no
 * ESP-IDF: the SDK's mcconfig writes a makefile, of which only the two files are made that hold them. The firmware is
 * that of the root manifest with the TypeScript of hosts/native/ and hosts/esp32/, and a main that does nothing.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join, posix } from "node:path";
import { type Manifest, manifestPaths, ROOT_MANIFEST, runtimeImports, typescriptNames } from "../manifest/lists.js";
import type { SDK } from "../sdk/sdk.js";

export interface Built {
	/** What the linker has made of all modules. */
	image: string;
	/** Our modules by target, each after those that it imports. */
	order: string[];
	/** Bytes of the files in flash, by name. */
	resources: Map<string, number>;
	/** What the linker found wrong: state in a preloaded module, which doesn't work or takes RAM. */
	warnings: string[];
}

/** Throws an Error with all that was said when a step fails. `folder` is an empty one for everything that is made. */
export function buildImage(root: string, sdk: SDK, folder: string): Built {
	const project = join(folder, "size");
	const output = join(folder, "output");
	for (const path of [project, output]) mkdirSync(path);
	const namesIn = (host: string) => typescriptNames(root, host).map((name) => `${host}/${name}`);
	const faces = [...namesIn("hosts/native"), ...namesIn("hosts/esp32")];
	const filesOf = (host: string) => namesIn(host).map((name) => join(root, `${name}.ts`));
	const manifest: Manifest = {
		include: [join(root, ROOT_MANIFEST), ...partsOfTheSDK(root)],
		modules: { main: "./main", "hosts/native/*": filesOf("hosts/native"), "hosts/esp32/*": filesOf("hosts/esp32") },
		preload: ["main", ...faces],
	};
	writeFileSync(join(project, "manifest.json"), JSON.stringify(manifest, null, "\t"));
	writeFileSync(join(project, "main.js"), "export default function () {}\n");

	const env = { ...process.env, MODDABLE: sdk.folder, PATH: `${sdk.tools}${delimiter}${process.env["PATH"]}` };
	const say = (command: string, args: readonly string[]): string => {
		const run = spawnSync(command, args, { cwd: project, env, encoding: "utf8", maxBuffer: 1 << 26 });
		const said = `${run.stdout ?? ""}${run.stderr ?? ""}${run.error?.message ?? ""}`;
		if (run.status !== 0) throw new Error(`${said}\n${command} has failed.`);
		return said;
	};
	say("mcconfig", ["-p", "esp32", "-o", output, join(project, "manifest.json")]);
	const made = join(output, "tmp", "esp32", "release", "size");
	// What the makefile asks of ESP-IDF is only wanted for compiling C.
	const withoutIDF = ["IDF_PATH=none", "IDF_VERSION=none", "SDKCONFIG_H="];
	const said = say("make", [
		"-f",
		join(made, "makefile"),
		...withoutIDF,
		join(made, "mc.xs.c"),
		join(made, "mc.resources.c"),
	]);
	return {
		image: readFileSync(join(made, "mc.xs.c"), "utf8"),
		order: modulesInOrder(root, faces),
		resources: new Map(
			readdirSync(join(made, "resources")).map((name) => [name, statSync(join(made, "resources", name)).size]),
		),
		warnings: said.split("\n").filter((line) => /warning:|error:/.test(line)),
	};
}

/** The parts of the SDK that hosts with the same faces name in their manifests. */
function partsOfTheSDK(root: string): string[] {
	const hosts = manifestPaths(root).map((path): Manifest => JSON.parse(readFileSync(join(root, path), "utf8")));
	const users = hosts.filter(({ modules }) => modules?.["hosts/native/*"] !== undefined);
	const includes = users.flatMap(({ include }) => include ?? []);
	return [...new Set(includes.filter((name) => name.startsWith("$(MODULES)/")))];
}

function modulesInOrder(root: string, faces: readonly string[]): string[] {
	const manifest: Manifest = JSON.parse(readFileSync(join(root, ROOT_MANIFEST), "utf8"));
	const order = new Set<string>();
	const visiting = new Set<string>();
	const visit = (name: string): void => {
		if (visiting.has(name)) return;
		visiting.add(name);
		for (const imported of runtimeImports(readFileSync(join(root, `${name}.ts`), "utf8")))
			visit(posix.join(posix.dirname(name), imported).replace(/\.js$/, ""));
		order.add(name);
	};
	for (const name of [...(manifest.preload ?? []), ...faces]) visit(name);
	return [...order];
}
