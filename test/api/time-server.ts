/** A time server for tests, over real UDP. */
import { createSocket } from "node:dgram";
import { once } from "node:events";

const LOOPBACK = "127.0.0.1";
/** Seconds from 1900 to 1970. */
const TO_UNIX_S = 2_208_988_800;

/** A time server (RFC 4330, 4) with the clock `utcMs()`. Its replies wait until `released`. Port 0 is any free port. */
export async function serveTime(
	utcMs: () => number,
	released?: Promise<void>,
	port = 0,
): Promise<{ port: number; requests: number; close(): void }> {
	const socket = createSocket("udp4");
	const server = { port: 0, requests: 0, close: () => socket.close() };
	socket.on("message", async (question, { address, port: asker }) => {
		server.requests++;
		await released;
		const reply = Buffer.alloc(48);
		reply[0] = 0x24;
		reply[1] = 2;
		question.copy(reply, 24, 40, 48);
		const now = utcMs();
		for (const at of [16, 32, 40]) {
			reply.writeUInt32BE((Math.floor(now / 1000) + TO_UNIX_S) % 2 ** 32, at);
			reply.writeUInt32BE(Math.floor(((now % 1000) / 1000) * 2 ** 32), at + 4);
		}
		socket.send(reply, asker, address);
	});
	socket.bind(port, LOOPBACK);
	await once(socket, "listening");
	server.port = socket.address().port;
	return server;
}
