/**
 * The usual client of Improv over serial in browsers (npm: improv-wifi-serial-sdk), on a simulated line. It is written
 * for bundlers: Node can't load it unchanged.
 */
import { build } from "esbuild";
import type { ImprovSerial } from "improv-wifi-serial-sdk/dist/serial.js";

const { outputFiles } = await build({
	entryPoints: ["improv-wifi-serial-sdk/dist/serial.js"],
	bundle: true,
	format: "esm",
	platform: "browser",
	write: false,
});
const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`;
const { ImprovSerial: Client } = (await import(url)) as { ImprovSerial: typeof ImprovSerial };

/** Stand-in for a serial port of the browser. */
export class WebPort {
	readonly readable: ReadableStream<Uint8Array>;
	readonly writable: WritableStream<Uint8Array>;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;

	constructor(send: (bytes: Uint8Array) => void) {
		this.readable = new ReadableStream({
			start: (controller) => {
				this.#controller = controller;
			},
		});
		this.writable = new WritableStream({ write: (bytes) => send(bytes) });
	}

	/** Delivers bytes from the gateway. */
	deliver(bytes: Uint8Array): void {
		this.#controller?.enqueue(Uint8Array.from(bytes));
	}
}

/** `log` receives every packet and error that the client reports. */
export function openClient(port: WebPort, log: unknown[] = []): ImprovSerial {
	const quiet = { log: () => {}, debug: () => {}, error: (...words: unknown[]) => log.push(words.join(" ")) };
	return new Client(port as unknown as ConstructorParameters<typeof ImprovSerial>[0], quiet);
}

/** The states reported to a client from now on. */
export function statesOf(client: ImprovSerial): number[] {
	const states: number[] = [];
	client.addEventListener("state-changed", (event) => states.push((event as CustomEvent<number>).detail));
	return states;
}
