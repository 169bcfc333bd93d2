/** The native resolver, without the network's name servers. */
import assert from "node:assert/strict";
import { compileNative, needNative } from "./compile.js";
import { run } from "./stream-server-driver.js";

describe("The native resolver", function () {
	this.timeout(120_000);
	let program = "";

	const compile = (output: string) =>
		compileNative({
			sources: [
				`test/hosts/native/${output}.c`,
				...["resolver", "ipv4", "thread-start"].map((name) => `hosts/native/${name}.c`),
			],
			output,
		});

	before(function () {
		needNative(this);
		program = compile("resolver-peer");
	});

	async function resolveNames(...names: string[]): Promise<string[]> {
		const { status, stdout, stderr } = await run(program, names);
		assert.equal(stderr, "");
		assert.equal(status, 0);
		return stdout.trim().split("\n").sort();
	}

	it("resolves the names that this computer knows, and reports unknown ones", async () => {
		assert.deepEqual(await resolveNames("localhost"), ["localhost 127.0.0.1"]);
		assert.deepEqual(await resolveNames("nothing.invalid"), ["nothing.invalid none"]);
	});

	it("returns addresses unchanged, and accepts nothing similar as an address", async () => {
		assert.deepEqual(await resolveNames("192.0.2.1"), ["192.0.2.1 192.0.2.1"]);
		assert.deepEqual(await resolveNames("192.0.2.256"), ["192.0.2.256 none"]);
	});

	it("answers four requests at once and rejects the fifth", async () => {
		const answers = await resolveNames(...new Array(5).fill("nothing.invalid"));
		assert.deepEqual(answers, [...new Array(4).fill("nothing.invalid none"), "nothing.invalid refused"]);
	});

	it("rejects names that are empty or too long", async () => {
		const label = "a".repeat(63);
		const longest = `${label}.${label}.${label}.${"a".repeat(61)}`;
		assert.deepEqual(await resolveNames(longest), [`${longest} none`]);
		assert.deepEqual(await resolveNames(`${longest}a`), [`${longest}a refused`]);
		assert.deepEqual(await resolveNames("", "localhost"), ["localhost 127.0.0.1", "refused"]);
	});

	it("resolves all names in two threads, which rest for a moment, and drops those of closed resolvers", async () => {
		assert.deepEqual(await run(compile("resolver-threads-peer"), []), { status: 0, stdout: "", stderr: "" });
	});

	it("reports nothing after it was closed", async () => {
		assert.deepEqual(await resolveNames("close", "nothing.invalid", "localhost", "192.0.2.1"), [""]);
	});
});
