/** Serial port of the PC, with an optical head for the meter's side or a null-modem cable. */
import { SerialPort } from "serialport";
import { reasonOf } from "../../hosts/node/serial.js";
import { FORMAT_7E1, FORMAT_8E1, FORMAT_8N1, FORMAT_8N2, type SerialFormat } from "../../modules/io/host.js";
import type { LinePort } from "./line-port.js";

type Done = (error?: Error | null) => void;

const FORMS = {
	[FORMAT_7E1]: { dataBits: 7, parity: "even", stopBits: 1 },
	[FORMAT_8N1]: { dataBits: 8, parity: "none", stopBits: 1 },
	[FORMAT_8E1]: { dataBits: 8, parity: "even", stopBits: 1 },
	[FORMAT_8N2]: { dataBits: 8, parity: "none", stopBits: 2 },
} as const;

export async function openRealPort(path: string, format: SerialFormat, baudRate = 300): Promise<LinePort> {
	const port = new SerialPort({ path, baudRate, ...FORMS[format], autoOpen: false });
	await new Promise<void>((resolve, reject) =>
		port.open((error) => {
			const message = `The serial port ${path} can't be opened: ${reasonOf(error)}. Choose another with --port.`;
			if (error) reject(new Error(message));
			else resolve();
		}),
	);
	return new RealPort(port);
}

class RealPort implements LinePort {
	readonly path: string;
	readonly #port: SerialPort;
	#last = Promise.resolve();
	#tell: (message: string) => void = () => {};

	constructor(port: SerialPort) {
		this.path = port.path;
		this.#port = port;
		port.on("error", (error) => this.#tell(`${this.path}: ${error.message}`));
		port.on("close", () => this.#tell(`${this.path} is gone.`));
	}

	write(bytes: Uint8Array): void {
		this.#next((done) => this.#port.write(bytes, done));
	}

	onData(listener: (bytes: Uint8Array) => void): void {
		this.#port.on("data", listener);
	}

	onError(listener: (message: string) => void): void {
		this.#tell = listener;
	}

	changeBaud(baudRate: number): void {
		this.#next((done) => this.#port.drain(done));
		this.#next((done) => this.#port.update({ baudRate }, done));
	}

	close(): Promise<void> {
		this.#tell = () => {};
		return new Promise((resolve) => this.#port.close(() => resolve()));
	}

	#next(start: (done: Done) => void): void {
		const step = (resolve: () => void) =>
			start((error) => {
				if (error) this.#tell(`${this.path}: ${error.message}`);
				resolve();
			});
		this.#last = this.#last.then(() => new Promise<void>(step));
	}
}
