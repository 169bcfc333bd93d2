/**
 * A chip for the TypeScript of hosts/esp32: natives and the Moddable SDK's modules, written in JavaScript. The firmware
 * is the compiler's output, bundled into one script that imports them from the chip.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { findBoard } from "../../../hosts/esp32/boards.js";
import { NodeCrypto } from "../../../hosts/node/platform.js";
import { madeFor } from "../../../tools/sdk/esp32.js";
import { noteFault } from "../../faults.js";

const BUILD = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const MAIN = join(BUILD, "hosts/esp32/main.js");

const SDK: Record<string, string> = {
	"mc/config": "export default chip.config;",
	timer: "export default chip.timer;",
	Resource: "export default chip.Resource;",
	"text/encoder": "export default chip.TextEncoder;",
	"text/decoder": "export default chip.TextDecoder;",
};

const given = (modules: Record<string, string>): Plugin => ({
	name: "given",
	setup({ onResolve, onLoad }) {
		const filter = new RegExp(`^(${Object.keys(modules).join("|")})$`);
		onResolve({ filter }, ({ path }) => ({ path, namespace: "given" }));
		onLoad({ filter: /.*/, namespace: "given" }, ({ path }) => ({ contents: modules[path] }));
	},
});

/** Loads stand-ins in the place of modules that the board leaves out. */
const replacing = (replaced: Readonly<Record<string, string>>): Plugin => ({
	name: "replacing",
	setup({ onLoad }) {
		for (const [path, contents] of Object.entries(replaced)) {
			const resolveDir = join(BUILD, dirname(path));
			onLoad({ filter: new RegExp(`/.build/${path}$`) }, () => ({ contents, resolveDir }));
		}
	},
});

/** Bundles the firmware as a function of the chip and the natives. */
async function bundleFirmware(board: string): Promise<string> {
	const { modules, constants, replaced = {} } = madeFor(findBoard(board));
	const { outputFiles } = await build({
		entryPoints: [MAIN],
		bundle: true,
		format: "iife",
		globalName: "firmware",
		platform: "neutral",
		target: "es2023",
		write: false,
		logLevel: "warning",
		define: constants,
		plugins: [given({ ...SDK, ...modules }), replacing(replaced)],
	});
	return `${outputFiles[0].text}\nreturn firmware.default;`;
}

/** A call from the firmware into C. */
interface Call {
	readonly name: string;
	readonly args: readonly unknown[];
}

export class FakeChip {
	board = "esp32c3-devkitm";
	/** Values as the build sets them. */
	config = { version: "0.1.2", builtUtcMs: Date.UTC(2026, 0, 1) };
	/** Beginning of the partition with the factory data. */
	factory: Uint8Array | undefined;
	/** End of the previous run: cause, and whether it was a fault. */
	ending: readonly [cause: string, isFault: boolean, isLowVoltage: boolean] = ["power", false, false];
	/** Reason of the wake-up: a value of WAKE_… */
	wakeReason = 0;
	/** Voltages at the ADC by pin; other pins have no ADC. */
	readonly millivolts = new Map<number, number>();
	/** Memory that survives a restart. */
	retained: Uint8Array | undefined;
	readonly flash = new Map<string, Uint8Array>();
	/** Bindings that throw, with their messages. */
	readonly failing = new Map<string, string>();
	readonly calls: Call[] = [];
	readonly timers = new Map<object, { callback: () => void; delayMs: number }>();
	readonly #crypto = new NodeCrypto();
	readonly #answers: Record<string, (...args: never[]) => unknown> = {
		xs_factory_data_read: () => this.factory && Uint8Array.from(this.factory).buffer,
		xs_factory_data_settings: () => undefined,
		xs_storage_get: (key: string) => this.flash.get(key)?.slice().buffer,
		xs_storage_set: (key: string, value: Uint8Array) => void this.flash.set(key, value.slice()),
		xs_storage_delete: (key: string) => void this.flash.delete(key),
		xs_storage_was_erased: () => false,
		xs_system_mac: () => "34b7da0102ef",
		xs_system_monotonic: () => 1000,
		xs_system_trace: (line: string) => noteFault(line),
		xs_system_utc: () => 1000,
		xs_system_switched_on: () => true,
		xs_system_ending: () => this.ending,
		xs_power_retained: () => this.retained?.slice().buffer,
		xs_power_retain: (bytes: Uint8Array) => {
			this.retained = bytes.slice();
		},
		xs_power_wake_reason: () => this.wakeReason,
		xs_power_millivolts: (pin: number) => this.millivolts.get(pin),
		xs_wifi_mac: () => "34b7da0102ef",
		xs_ethernet_mac: () => "34b7da0102f2",
		xs_ethernet_get_speed: () => 0,
		xs_ethernet_start: () => true,
		xs_wifi_connect: () => false,
		xs_wifi_start_access_point: () => true,
		xs_uart_configure: () => true,
		xs_stream_server_get_port: () => 0,
		xs_stream_server_take: () => -1,
		xs_memory_free: (what: number) => [1000, 20_000, 70_000, 65_000][what],
		xs_memory_stacks: () => "main 7860\nwifi 3528\n",
		xs_crypto_random: (length: number) => Uint8Array.from(this.#crypto.random(length)).buffer,
		xs_crypto_sha256: (...parts: Uint8Array[]) => Uint8Array.from(this.#crypto.sha256(...parts)).buffer,
		xs_crypto_make_certificate: () => [new ArrayBuffer(500), new ArrayBuffer(200)],
	};

	/** Runs the firmware's `main`. */
	async start(): Promise<void> {
		const chip = {
			config: this.config,
			timer: {
				set: (callback: () => void, delayMs = 0) => {
					const timer = {};
					this.timers.set(timer, { callback, delayMs });
					return timer;
				},
				clear: (timer: object) => void this.timers.delete(timer),
			},
			Resource: FileResource,
			TextEncoder,
			TextDecoder,
		};
		const native =
			(name: string) =>
			(...args: unknown[]) =>
				this.#call(name, args);
		const wrapped = (name: string) => ({ call: (_self: unknown, ...args: unknown[]) => native(name)(...args) });
		const main = new Function("chip", "native", "Native", await bundleFirmware(this.board))(
			chip,
			wrapped,
			() => class {},
		);
		main();
	}

	argsOf(name: string): (readonly unknown[])[] {
		return this.calls.filter((call) => call.name === name).map(({ args }) => args);
	}

	get console(): string[] {
		return this.argsOf("xs_system_trace").map(([line]) => String(line));
	}

	#call(name: string, args: unknown[]): unknown {
		this.calls.push({ name, args });
		const problem = this.failing.get(name);
		if (problem !== undefined) throw new Error(problem);
		return this.#answers[name]?.(...(args as never[]));
	}
}

/** A file of modules/resources, as in flash. */
class FileResource {
	static readonly #folder = join(BUILD, "../modules/resources");

	static exists(name: string): boolean {
		return /^[a-z-]+\.bin$/.test(name) && existsSync(join(FileResource.#folder, name));
	}

	constructor(name: string) {
		// biome-ignore lint/correctness/noConstructorReturn: the SDK's class gives a buffer, too
		return Uint8Array.from(readFileSync(join(FileResource.#folder, name))).buffer;
	}
}
