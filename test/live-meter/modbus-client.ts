/** Clients of the gateway's Modbus TCP port. */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import type { VirtualGateway } from "../api/virtual-gateway.js";

const PORT = 502;
const REPLY_MS = 200;

/** Connects from this address; returns undefined if the gateway does not listen. */
export function openModbus(gateway: VirtualGateway, from: string): VirtualClient | undefined {
	return gateway.world.network.tcpListener(PORT).connect(from);
}

export function connectModbus(gateway: VirtualGateway, from: string): VirtualClient {
	const client = openModbus(gateway, from);
	assert.ok(client !== undefined, "connection refused");
	return client;
}

/** Sends bytes and returns the reply, which is empty if the connection stays silent. */
export async function sendModbus(gateway: VirtualGateway, client: VirtualClient, bytes: Uint8Array): Promise<Buffer> {
	client.send(bytes);
	await gateway.pass(REPLY_MS);
	const reply = Buffer.from(client.received);
	client.discard(reply.length);
	return reply;
}
