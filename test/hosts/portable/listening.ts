/** Shared by the portable checks of listeners: opening them, accepting connections, recording events. */
import type { CertificatePair } from "../../../modules/io/crypto.js";
import type { Host, Listener, ListenerPort, PendingSocket, Socket } from "../../../modules/io/host.js";
import { expect, expectEqual, type Peer, until, untilTaken } from "./check.js";
import { RecordingConnection } from "./connection.js";

const FROM_MS = 1_780_000_000_000;
const TO_MS = 4_102_444_800_000;

export const makePair = ({ crypto }: Host, name: string): CertificatePair =>
	crypto.makeCertificate({ names: [name], validFromMs: FROM_MS, validToMs: TO_MS });

/** A socket that records its events. */
export class RecordingSocket extends RecordingConnection {
	readonly socket: Socket;
	errors = 0;

	constructor(port: ListenerPort, from: PendingSocket) {
		super();
		this.socket = new port.socket({
			from,
			...this.notes,
			onError: () => {
				this.calls++;
				this.errors++;
			},
		});
		expectEqual(this.calls, 0, "calls inside the constructor");
	}

	/** Sends the 100 bytes for which the client waits before it closes, and closes the socket then. */
	async sendUntilClosed(host: Host): Promise<void> {
		await this.sendPattern(host, 100);
		await until(host, () => this.errors === 1, "the client to close");
		this.socket.close();
	}

	protected override read(into: Uint8Array, start?: number): number | undefined {
		return this.socket.read(into, start);
	}

	protected override write(bytes: Uint8Array): number {
		return this.socket.write(bytes);
	}
}

/** Starts a client with this script, and accepts its connection. */
export async function connect(
	host: Host,
	peer: Peer,
	port: ListenerPort,
	listener: Listener,
	script: string,
): Promise<RecordingSocket> {
	peer(script, listener.port);
	return new RecordingSocket(port, await accept(host, listener));
}

/** Opens a listener; a TLS listener gets `identity`, or a pair that is made for it. */
export function listen(host: Host, port: ListenerPort, identity?: CertificatePair): Listener {
	let early = true;
	const listener = new port.io({
		...port.pins,
		...(port.secure ? { identity: identity ?? makePair(host, "gateway") } : {}),
		onReadable: () => expect(!early, "onReadable inside the constructor"),
	});
	early = false;
	expect(listener.port > 0, `listens on port ${listener.port}`);
	expectEqual(listener.read(), undefined, "read without a connection");
	return listener;
}

export function accept(host: Host, listener: Listener): Promise<PendingSocket> {
	return untilTaken(host, () => listener.read(), "a connection");
}
