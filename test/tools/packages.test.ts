/** npm packages: each is pinned with its hash, and the page contains documented packages only. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../hosts/native/compile.js";

interface Locked {
	readonly version: string;
	readonly integrity?: string;
	readonly dev?: boolean;
	readonly optional?: boolean;
	readonly cpu?: readonly string[];
	readonly libc?: readonly string[];
}

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const packages: Record<string, Locked> = JSON.parse(read("package-lock.json")).packages;

/** Packages that are not installed on Linux; the lock file has no hash for them. */
const WITHOUT_HASH = [
	...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64", "linux-arm64-musl", "linux-x64-musl"],
	...["win32-arm64", "win32-x64"],
].map((system) => `node_modules/@biomejs/cli-${system}`);

describe("The npm packages", () => {
	it("are pinned with their hashes, except the linter's programs for other systems", () => {
		const locked = Object.entries(packages).filter(([path]) => path !== "");
		assert.ok(locked.length > 300, `${locked.length}`);
		for (const [path, { version, integrity }] of locked) {
			assert.match(version, /^\d+\.\d+\.\d+/, path);
			if (!WITHOUT_HASH.includes(path)) assert.match(integrity ?? "", /^sha512-[\w+/]{86}==$/, path);
		}
		// A package that has a hash must be removed from the list.
		for (const path of WITHOUT_HASH) {
			const { integrity, dev, optional } = packages[path];
			assert.deepEqual([integrity, dev, optional], [undefined, true, true], path);
		}
	});

	it("are named in the threat model and in NOTICE if the page uses them", () => {
		const imported = new Set<string>();
		for (const path of readdirSync(join(ROOT, "hosts/browser"), { recursive: true, encoding: "utf8" })) {
			if (!/\.tsx?$/.test(path)) continue;
			for (const [, name] of read(`hosts/browser/${path}`).matchAll(/(?:^(?:import|\}).* |import\()"([^."][^"]*)"/gm))
				imported.add(/^(@[^/]+\/)?[^/]+/.exec(name)![0]);
		}
		assert.deepEqual([...imported].sort(), ["@noble/hashes", "lean-qr", "preact"]);
		for (const name of imported) assert.ok(read("NOTICE").includes(`  ${name} `), name);
		assert.match(read("docs/threat-model.md"), /only Preact, `@noble\/hashes` \([^)]*\) and a QR code's encoder/);
	});
});
