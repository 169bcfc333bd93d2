/**
 * Texts in which each character needs an escape in JSON, in XS on Linux with the device's memory. The stack must not grow
 * with the number of these characters (tools/sdk/jumps.ts).
 */
import assert from "node:assert/strict";
import { ProcessGateway, RESTARTED } from "../api/process-gateway.js";
import { STACK_RESERVE } from "./memory-limits.js";

/** A telegram of mode C whose value has as many quotes as the log keeps in one entry. */
const TELEGRAM = Buffer.from(`/XYZ5TEST\r\n\x021-0:96.1.0(${'"'.repeat(400)})\r\n!\r\n\x03\x00`);

describe("A text with 400 characters that need an escape", function () {
	this.timeout(120_000);
	let gateway: ProcessGateway;

	before(async () => {
		gateway = await ProcessGateway.loggedIn("linux");
		await gateway.write("iec62056/control", { log_en: true });
	});
	after(() => gateway?.stop());

	it("takes no more stack than another text", async () => {
		await gateway.connectMeter({ telegram: TELEGRAM });
		await gateway.get("iec62056/read");
		const log = (await gateway.get("iec62056/log")).text;
		assert.ok(log.split('\\"').length > 150, log);
		const { stack, stackLimit } = await gateway.memory();
		assert.ok(stack <= stackLimit - STACK_RESERVE, `${stack} slots of stack, of ${stackLimit}`);
		assert.doesNotMatch(gateway.diagnosis, RESTARTED);
	});
});
