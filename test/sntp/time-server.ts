/** A time server of the virtual world. */
import type { VirtualWorld } from "../../hosts/node/virtual.js";

const PORT = 123;
const DELAY_MS = 20;
const TO_UNIX_S = 2_208_988_800;

/** Serves the time of this clock, Unix ms; undefined: no reply. */
export function serveTime(world: VirtualWorld, address: string, utcMs: () => number | undefined): void {
	world.udp.serve(
		address,
		PORT,
		(question) => {
			const now = utcMs();
			return now === undefined ? [] : [replyTo(question, now)];
		},
		DELAY_MS,
	);
}

/** A valid reply (RFC 4330, 4) of a server with this clock. */
function replyTo(question: Uint8Array, utcMs: number): Uint8Array {
	const reply = Buffer.alloc(48);
	reply[0] = 0x24;
	reply[1] = 2;
	reply.set(question.subarray(40, 48), 24);
	for (const at of [32, 40]) reply.writeUInt32BE((Math.floor(utcMs / 1000) + TO_UNIX_S) % 2 ** 32, at);
	return reply;
}
