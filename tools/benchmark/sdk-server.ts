/**
 * Reference for the benchmark of the firmware's HTTP server: the HTTP server of the Moddable SDK, from $MODDABLE. It
 * answers each request with constant bytes. It is built with the firmware's options and memory limits.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Firmware } from "../sdk/linux.js";
import { writeChanged } from "../sdk/project.js";
import { findSDK, findToolchain, ROOT } from "../sdk/sdk.js";

const NAME = "sdk-server";
const SERVER = "examples/io/listener/httpserver/manifest_httpserver.json";

const MANIFEST = {
	include: [join(ROOT, "manifest.json"), join("$(MODDABLE)", SERVER)],
	modules: { main: "./main", "*": join(ROOT, "hosts/linux/system.c") },
	preload: ["main"],
};

const MODULES = Object.freeze({ server: '"embedded:network/http/server"', listener: '"embedded:io/socket/listener"' });

function program(port: number, body: string): string {
	return `import HTTPServer from ${MODULES.server};
import Listener from ${MODULES.listener};

export default function () {
	const reply = ArrayBuffer.fromString(${JSON.stringify(body)});
	const route = {
		onResponse(response) {
			response.headers.set("content-type", "application/json");
			response.headers.set("cache-control", "no-store");
			response.headers.set("content-length", reply.byteLength);
			this.respond(response);
		},
		onWritable() {
			this.write(reply);
		},
	};
	globalThis.server = new HTTPServer({
		io: Listener,
		port: ${port},
		onConnect(connection) {
			connection.accept({
				onRequest() {
					this.route = route;
				},
			});
		},
	});
}
`;
}

export function buildSDKServer({ runner, bits }: Firmware, port: number, body: string): Firmware {
	const sdk = findSDK();
	const toolchain = findToolchain(bits);
	const folder = join(ROOT, ".build", "linux", NAME);
	const output = join(ROOT, ".build", `sdk${bits}`);
	mkdirSync(folder, { recursive: true });
	writeChanged(join(folder, "main.js"), program(port, body));
	writeChanged(join(folder, "manifest.json"), JSON.stringify(MANIFEST));
	const env = {
		...process.env,
		...toolchain.environment,
		CC: toolchain.compiler,
		MODDABLE: sdk.folder,
		PATH: `${sdk.tools}${delimiter}${process.env["PATH"]}`,
	};
	const args = ["-m", "-p", "lin", "-t", "build", "-o", output, join(folder, "manifest.json")];
	const result = spawnSync(join(sdk.tools, "mcconfig"), args, { cwd: ROOT, env, encoding: "utf8" });
	if (result.status !== 0) throw new Error(`${result.stdout}${result.stderr}\nThe SDK's server could not be built.`);
	return { runner, bits, firmware: join(output, "bin", "lin", "mc", "release", NAME, "mc.so") };
}
