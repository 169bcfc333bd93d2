import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ALL_PINS, latePeers, newestOf, pinOf } from "../../tools/release/peers.js";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "test", "peers");
const TEXTS = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
	// One only names them; in the other, Home Assistant's test harness determines the version of Home Assistant.
	.filter((name) => !["run.ts", "python/home-assistant-tests.txt"].includes(name))
	.map((name) => join(FOLDER, name))
	.filter((path) => statSync(path).isFile())
	.map((path) => readFileSync(path, "utf8"));

/** Ways to name a version of a package in a list of test/peers. */
function formsOf(name: string, version: string): string[] {
	const artifact = name.slice(name.lastIndexOf("/") + 1);
	return [
		...[`"${name}"`, `${name}==${version}\n`, `${name} v${version}\n`, `/${artifact}/${version}/`],
		`<artifactId>${artifact}</artifactId>\n\t\t<version>${version}<`,
		`<artifactId>${artifact}</artifactId>\n\t\t\t<version>${version}<`,
	];
}

describe("versions of the programs in npm run test:peers", () => {
	it("are those of its lists", () => {
		for (const { name, version } of ALL_PINS) {
			const listed = TEXTS.flatMap((text) => [...text.matchAll(/^([\w.-]+)==(.*)$/gm)]).filter(
				([, one]) => one === name,
			);
			for (const [line, , found] of listed) assert.equal(found, version, line);
			const forms = formsOf(name, version);
			assert.ok(
				TEXTS.some((text) => forms.some((form) => text.includes(form))),
				`${name} ${version} is in no list`,
			);
		}
	});

	it("are compared with the newest ones of the registries", async () => {
		const asked: string[] = [];
		const answering = (answer: string) => async (address: string) => {
			asked.push(address);
			return answer;
		};
		assert.equal(await newestOf(pinOf("aioshelly"), answering('{"info": {"version": "15.0.0"}}')), "15.0.0");
		assert.equal(await newestOf(pinOf("node-red"), answering('{"version": "6.1.0"}')), "6.1.0");
		const metadata = "<versioning><latest>2.0.0-rc</latest><release>2.0.0</release></versioning>";
		assert.equal(await newestOf(pinOf("org.gurux/gurux.dlms"), answering(metadata)), "2.0.0");
		const list = "v0.9.1\nv0.12.3\nv0.12.20\nv1.0.0-rc1\n";
		assert.equal(await newestOf(pinOf("github.com/itchyny/gojq"), answering(list)), "0.12.20");
		assert.deepEqual(asked, [
			"https://pypi.org/pypi/aioshelly/json",
			"https://registry.npmjs.org/node-red/latest",
			"https://repo1.maven.org/maven2/org/gurux/gurux.dlms/maven-metadata.xml",
			"https://proxy.golang.org/github.com/itchyny/gojq/@v/list",
		]);
	});

	it("are unknown without an answer, or with another one", async () => {
		const pin = pinOf("smllib");
		assert.equal(await newestOf(pin, () => Promise.reject(new Error("offline"))), "unknown");
		assert.equal(await newestOf(pin, async () => "<html>"), "unknown");
		assert.deepEqual(await latePeers(() => Promise.reject(new Error("offline"))), []);
	});

	it("stop a release if one is a major version behind, or two years", async () => {
		const newest = new Map([
			["smllib", "2.0"],
			["zeroconf", "0.999.0"],
			["homeassistant", "2027.12.1"],
		]);
		const ask = async (address: string) => {
			const name = /pypi\/([^/]+)\/json$/.exec(address)?.[1] ?? "";
			return JSON.stringify({ info: { version: newest.get(name) } });
		};
		const { version } = pinOf("smllib");
		assert.deepEqual(await latePeers(ask), [`smllib ${version} (newest 2.0)`]);
		newest.set("homeassistant", "2028.1.0");
		assert.equal((await latePeers(ask)).length, 2);
	});
});
