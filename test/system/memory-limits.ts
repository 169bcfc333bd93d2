/** Memory limits of the firmware on the microcontroller, for the tests on Linux: XS has the same memory there. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../tools/sdk/sdk.js";
import type { Memory, ProcessGateway } from "../api/process-gateway.js";

/**
 * Limits after boot, which takes 1877 slots as an access point, and 1886 in a network. The margin of 24 is the most that
 * one part has added while it is off.
 */
export const BOOT = { slots: 1910, chunks: 36 * 1024 };
/** Limits after boot with a Zigbee radio: link, chip, clusters, reports, and the clients for time and firmware. */
export const BOOT_ZIGBEE = { slots: BOOT.slots + 240, chunks: BOOT.chunks };
/** Limits in a Zigbee network, with a logged-in client. */
export const JOINED_ZIGBEE = { slots: BOOT_ZIGBEE.slots + 150, chunks: BOOT.chunks };
/** Limits on Ethernet, after a login. */
export const CABLED = { slots: BOOT.slots + 150, chunks: BOOT.chunks };
export const ANY = { slots: 3400, chunks: 56 * 1024 };
/**
 * The same with a Zigbee radio, live values and a stream too, while strangers besiege the gateway: 400 slots and 4 KB of
 * chunks stay free. An hour of random load has taken 57 948 bytes at most.
 */
export const EVERYTHING = { slots: 3700, chunks: 60 * 1024 };
/** Slots of the stack that must stay unused; the machine ends when the stack is full. */
export const STACK_RESERVE = 100;
/** Slots of the stack. */
export const STACK: number = JSON.parse(readFileSync(join(ROOT, "manifest.json"), "utf8")).creation.stack;

/** The DLMS settings of the simulated meter that need the most memory. */
export const DLMS = {
	auth: "high_gmac",
	use_encryption: true,
	client_address: 1,
	server_physical: 17,
	block_cipher_key: "000102030405060708090a0b0c0d0e0f",
	auth_key: "d0d1d2d3d4d5d6d7d8d9dadbdcdddedf",
};

/** The higher figures of two measurements. */
export function higher(one: Memory, other: Memory): Memory {
	return {
		slots: Math.max(one.slots, other.slots),
		chunks: Math.max(one.chunks, other.chunks),
		stack: Math.max(one.stack, other.stack),
		stackLimit: other.stackLimit,
	};
}

/** Connects the simulated meter in mode E, with these settings. */
export async function connectDLMS(gateway: ProcessGateway, ...options: readonly string[]): Promise<void> {
	await gateway.connectProgram(["--protocol", "dlms", "--mode-e", ...options, "--quiet"]);
	await gateway.write("meter/protocol", { protocol: "dlms" });
	await gateway.write("dlms/config", DLMS);
}

/** Compares the memory in use after a collection with a limit, and puts it into the test's title. */
export async function probe(gateway: ProcessGateway, context: Mocha.Context, limit: typeof ANY): Promise<Memory> {
	const memory = await gateway.memory();
	const { slots, chunks, stack, stackLimit } = memory;
	context.test!.title += ` (${slots} slots, ${chunks} bytes, stack ${stack} of ${stackLimit})`;
	assert.ok(slots <= limit.slots, `${slots} slots, ${limit.slots} are allowed`);
	assert.ok(chunks <= limit.chunks, `${chunks} bytes of chunks, ${limit.chunks} are allowed`);
	assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}`);
	return memory;
}
