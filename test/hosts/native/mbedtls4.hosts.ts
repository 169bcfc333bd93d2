/**
 * The TLS tests of the native C once more, with Mbed TLS 4, the version of ESP-IDF. Debian has no package of it: MBEDTLS4
 * in the environment names the folder in which it is installed (include, lib). It must support threads
 * (MBEDTLS_THREADING_C), as in ESP-IDF.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT, skipBecause } from "./compile.js";

const FOLDER = process.env["MBEDTLS4"];
const MOCHA = join(ROOT, "node_modules", "mocha", "bin", "mocha.js");
/** The tests whose programs contain Mbed TLS. */
const FILES = [
	"certificate",
	"p256",
	"stream-client",
	"stream-client-hostile",
	"stream-server",
	"stream-server-hostile",
	"stream-server-memory",
];
const PROBE = `#include <mbedtls/build_info.h>
#if MBEDTLS_VERSION_MAJOR != 4 || !defined(MBEDTLS_THREADING_C)
#error
#endif
`;

interface Results {
	readonly stats: { readonly passes: number };
	readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message: string } }[];
}

function missingMbedTLS4(): string | undefined {
	if (!FOLDER) return "$MBEDTLS4 does not name the folder of an installed Mbed TLS 4";
	const { status } = spawnSync("gcc", [`-I${FOLDER}/include`, "-E", "-x", "c", "-"], { input: PROBE });
	return status === 0 ? undefined : `there is no Mbed TLS 4 with MBEDTLS_THREADING_C in ${FOLDER} ($MBEDTLS4)`;
}

describe("The native TLS tests with Mbed TLS 4", function () {
	this.timeout(280_000);

	before(function () {
		const reason = missingMbedTLS4();
		if (reason !== undefined) skipBecause(this, reason);
	});

	for (const name of FILES) {
		it(`pass: ${name}`, () => {
			const file = join(import.meta.dirname, `${name}.test.js`);
			const args = [
				"--enable-source-maps",
				MOCHA,
				"--no-config",
				"--exit",
				"--timeout",
				"120000",
				"--reporter",
				"json",
				file,
			];
			const env = { ...process.env, MBEDTLS: FOLDER };
			const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8", maxBuffer: 1 << 26 });
			assert.match(stdout, /^\{/, stderr);
			const { stats, failures }: Results = JSON.parse(stdout);
			assert.deepEqual(
				failures.map(({ fullTitle, err }) => `${fullTitle}: ${err.message}`),
				[],
			);
			assert.ok(stats.passes > 0, stderr);
		});
	}
});
