/** POST system/ota on virtual time: rights, order, time limits, and the state after a failed transfer. */
import assert from "node:assert/strict";
import type { VirtualClient } from "../../hosts/node/virtual-network.js";
import { encodeRequest } from "../../hosts/node/virtual-request.js";
import type { VirtualSlots } from "../../hosts/node/virtual-update.js";
import { SLOTS } from "../../hosts/simulated/boot-loader.js";
import { FRONT_LENGTH } from "../../modules/update/front.js";
import { makeFile, makeImage, makeSlots, newSigner, VERSION } from "../update/firmware-files.js";
import { type GatewayOptions, LAN_CLIENT, START_UTC_MS, VirtualGateway } from "./virtual-gateway.js";

const FILE = makeFile(makeImage(300_000));
const STRANGE = makeFile(makeImage(300_000), { signer: newSigner() });
const SLOT_SIZE = 0x1e0000;

describe("Upload of a firmware file", () => {
	let slots: VirtualSlots;
	let gateway: VirtualGateway;

	async function start(options: Partial<GatewayOptions> = {}, mode: "client" | "ap" = "client"): Promise<void> {
		await gateway?.stop();
		slots = options.slots ?? makeSlots();
		gateway = await VirtualGateway.loggedIn(mode, { utcMs: START_UTC_MS, slots, ...options });
	}
	beforeEach(() => start());
	afterEach(() => gateway.stop());

	const status = () => gateway.read("system/status");
	const send = (body: Uint8Array, options: object = {}) => gateway.request("POST", "system/ota", { body, ...options });

	async function updateStatus() {
		const { ota_state, ota_received, ota_total, ota_last_error } = await status();
		return [ota_state, ota_received, ota_total, ota_last_error];
	}

	/** Begins an upload; the test sends the body through the returned client. */
	function begin(length: number | undefined = FILE.length, headers: Record<string, string> = {}): VirtualClient {
		const client = gateway.world.connect(true, LAN_CLIENT);
		const size: Record<string, string> = length === undefined ? {} : { "Content-Length": String(length) };
		const all = { Authorization: `Bearer ${gateway.token}`, ...size, ...headers };
		client.send(encodeRequest("/api/v1/system/ota", { method: "POST", headers: all }));
		gateway.world.advance(10);
		return client;
	}

	async function isRefused(reply: { status: number; text: string }, status: number, code: string): Promise<void> {
		assert.deepEqual([reply.status, JSON.parse(reply.text).error], [status, code], reply.text);
	}

	/** Waits until the new firmware has started. */
	async function installed(): Promise<void> {
		await gateway.rebooted();
		assert.equal(gateway.world.info.firmwareVersion, VERSION);
	}

	/** Checks that all resources are released and that the next file is accepted. */
	async function isUnharmed(): Promise<void> {
		assert.equal(slots.openInflaters, 0);
		assert.equal((await send(FILE)).status, 200);
		await installed();
	}

	it("installs the file, replies once it is verified, and restarts into it", async () => {
		assert.deepEqual(await updateStatus(), ["idle", 0, 0, ""]);
		const reply = await send(FILE);
		assert.deepEqual([reply.status, reply.text], [200, ""]);
		assert.deepEqual(await updateStatus(), ["restarting", 0, 0, ""]);
		await installed();
		await gateway.login();
		const [state, , , error] = await updateStatus();
		assert.deepEqual([state, error], ["trial", ""]);
		const { events } = await gateway.read("system/log");
		const noted = events.find(({ event }: { event: string }) => event === "update_installed");
		assert.equal(noted?.detail, `${VERSION} from ${LAN_CLIENT}`);
		assert.deepEqual(slots.flash.mistakes, []);
	});

	it("accepts a chunked body, and plain HTTP over the access point", async () => {
		assert.equal((await send(FILE, { chunked: true })).status, 200);
		await start({}, "ap");
		assert.equal((await send(FILE, { secure: false })).status, 200);
		await installed();
	});

	it("shows its progress in the status and in events", async () => {
		const follower = gateway.follow();
		const client = begin();
		client.send(FILE.subarray(0, 100_000));
		gateway.world.advance(2000);
		assert.deepEqual(await updateStatus(), ["receiving", 100_000, FILE.length, ""]);
		assert.equal(follower.last("state").ota_state, "receiving");
		assert.ok(follower.last("state").ota_received > 30_000);
		client.send(FILE.subarray(100_000));
		assert.equal(gateway.world.awaitReply(client).status, 200);
		follower.leave();
	});

	it("does not stop other requests and readouts", async () => {
		await gateway.write("iec62056/control", { simulator_en: true });
		const client = begin();
		client.send(FILE.subarray(0, 50_000));
		const readout = gateway.begin("GET", "iec62056/read", { from: "127.0.0.2" });
		for (let at = 50_000; at < FILE.length - 1000; at += 1000) {
			client.send(FILE.subarray(at, at + 1000));
			gateway.world.advance(100);
		}
		assert.equal((await readout.reply()).status, 200);
		assert.equal((await status()).ota_state, "receiving");
		client.close();
	});

	it("is refused with 503 while another is running", async () => {
		const client = begin();
		client.send(FILE.subarray(0, 50_000));
		gateway.world.advance(1000);
		const second = await send(FILE);
		await isRefused(second, 503, "busy");
		assert.equal(second.headers.get("retry-after"), "5");
		client.send(FILE.subarray(50_000));
		assert.equal(gateway.world.awaitReply(client).status, 200);
		await isRefused(await send(FILE), 503, "busy");
	});

	it("may take a quarter of an hour, with some bytes every half minute", async () => {
		const client = begin();
		const pieces = 30;
		const size = Math.ceil(FILE.length / pieces);
		for (let at = 0; at < FILE.length; at += size) {
			client.send(FILE.subarray(at, at + size));
			gateway.world.advance(29_000);
		}
		assert.equal(gateway.world.awaitReply(client).status, 200);
	});

	it("ends with 408 after half a minute of silence or a quarter of an hour in all", async () => {
		let client = begin();
		client.send(FILE.subarray(0, 50_000));
		gateway.world.advance(29_000);
		assert.equal((await status()).ota_state, "receiving");
		gateway.world.advance(2000);
		await isRefused(gateway.world.awaitReply(client), 408, "timeout");
		assert.deepEqual(await updateStatus(), ["idle", 0, 0, "ota_interrupted"]);
		await gateway.login();
		client = begin();
		for (let sent = 0; sent < 36; sent++) {
			client.send(FILE.subarray(sent * 100, sent * 100 + 100));
			gateway.world.advance(25_000);
		}
		gateway.world.advance(1000);
		await isRefused(gateway.world.awaitReply(client), 408, "timeout");
		await isUnharmed();
	});

	it("is dropped if it breaks off, and the next one is accepted", async () => {
		for (const length of [0, 100, FRONT_LENGTH, 50_000, FILE.length - 1]) {
			const client = begin();
			if (length > 0) client.send(FILE.subarray(0, length));
			gateway.world.advance(2000);
			client.close();
			gateway.world.advance(100);
			assert.deepEqual(await updateStatus(), ["idle", 0, 0, "ota_interrupted"]);
		}
		const { events } = await gateway.read("system/log");
		assert.ok(events.some(({ detail }: { detail: string }) => detail === `ota_interrupted from ${LAN_CLIENT}`));
		await isUnharmed();
	});

	it("is installed even if the client disconnects after the last byte", async () => {
		const client = begin();
		const slot = slots.flash.open(SLOTS[1])!;
		const read = slot.read.bind(slot);
		slot.read = (...what) => {
			client.close();
			read(...what);
		};
		client.send(FILE);
		await installed();
	});

	describe("in pieces", () => {
		const PIECE = 4000;
		const piece = (offset: number, end = Math.min(offset + PIECE, FILE.length), total = FILE.length) =>
			gateway.request("POST", `system/ota?offset=${offset}&total=${total}`, { body: FILE.subarray(offset, end) });

		async function sendFrom(start: number, stop = FILE.length): Promise<void> {
			for (let offset = start; offset < stop; offset += PIECE) {
				const reply = await piece(offset, Math.min(offset + PIECE, stop));
				assert.deepEqual([offset, reply.status, reply.text], [offset, 200, ""]);
			}
		}

		it("installs the file, and replies to the last piece once it is verified", async () => {
			await sendFrom(0);
			assert.equal((await updateStatus())[0], "restarting");
			await installed();
		});

		/** Sends a piece's head and its first bytes. */
		function sendPart(offset: number, length: number) {
			const client = gateway.world.connect(true, LAN_CLIENT);
			const headers = { Authorization: `Bearer ${gateway.token}`, "Content-Length": String(PIECE) };
			const path = `/api/v1/system/ota?offset=${offset}&total=${FILE.length}`;
			client.send(encodeRequest(path, { method: "POST", headers }));
			client.send(FILE.subarray(offset, offset + length));
			gateway.world.advance(1000);
			return client;
		}

		it("continues after a piece that was processed in part", async () => {
			await sendFrom(0, 5 * PIECE);
			const client = sendPart(5 * PIECE, 1000);
			await isRefused(await piece(0), 503, "busy");
			client.close();
			gateway.world.advance(100);
			const [state, received] = await updateStatus();
			assert.deepEqual([state, received], ["receiving", 5 * PIECE + 1000]);
			await isRefused(await piece(6 * PIECE), 500, "ota_interrupted");
			await isRefused(await piece(received - PIECE - 1), 500, "ota_interrupted");
			await isRefused(await piece(received, received + PIECE, FILE.length - 1), 500, "ota_interrupted");
			await sendFrom(received);
			await installed();
		});

		it("accepts a piece again if its reply was lost", async () => {
			await sendFrom(0, 5 * PIECE);
			await sendFrom(4 * PIECE, 5 * PIECE);
			assert.deepEqual(await updateStatus(), ["receiving", 5 * PIECE, FILE.length, ""]);
			sendPart(5 * PIECE, 1000).close();
			gateway.world.advance(100);
			await sendFrom(5 * PIECE);
			await installed();
		});

		it("accepts a piece again even before it notices that the first connection is lost", async () => {
			await sendFrom(0, 5 * PIECE);
			const client = sendPart(5 * PIECE, 1000);
			await sendFrom(5 * PIECE, 6 * PIECE);
			await isRefused(gateway.world.awaitReply(client), 500, "ota_interrupted");
			client.send(FILE.subarray(5 * PIECE + 1000, 6 * PIECE));
			gateway.world.advance(1000);
			assert.deepEqual(await updateStatus(), ["receiving", 6 * PIECE, FILE.length, ""]);
			await sendFrom(6 * PIECE);
			await installed();
		});

		it("begins again with offset 0", async () => {
			await sendFrom(0, 5 * PIECE);
			await sendFrom(0);
			await installed();
		});

		it("ends two minutes after the last piece", async () => {
			await sendFrom(0, PIECE);
			gateway.world.advance(119_000);
			await sendFrom(PIECE, 2 * PIECE);
			gateway.world.advance(119_000);
			assert.equal((await updateStatus())[0], "receiving");
			gateway.world.advance(2000);
			assert.deepEqual(await updateStatus(), ["idle", 0, 0, "ota_interrupted"]);
			await isRefused(await piece(2 * PIECE), 500, "ota_interrupted");
			await isUnharmed();
		});

		it("can be cancelled", async () => {
			const cancel = () => gateway.request("DELETE", "system/ota");
			assert.equal((await cancel()).status, 200);
			await sendFrom(0, PIECE);
			assert.equal((await cancel()).status, 200);
			assert.deepEqual(await updateStatus(), ["idle", 0, 0, "ota_interrupted"]);
			await isRefused(await piece(PIECE), 500, "ota_interrupted");
			await isUnharmed();
		});

		it("excludes another upload", async () => {
			await sendFrom(0, PIECE);
			await isRefused(await send(FILE), 503, "busy");
			await sendFrom(PIECE);
			await start();
			const client = begin();
			client.send(FILE.subarray(0, 50_000));
			gateway.world.advance(1000);
			await isRefused(await piece(0), 503, "busy");
			client.close();
		});

		it("names the error of a bad file", async () => {
			const strange = gateway.request("POST", `system/ota?offset=0&total=${STRANGE.length}`, {
				body: STRANGE.subarray(0, PIECE),
			});
			await isRefused(await strange, 500, "ota_bad_signature");
			await isRefused(await piece(PIECE), 500, "ota_interrupted");
			await isUnharmed();
		});

		it("replies 400 to a piece without a valid offset and total, and 413 to a file that is too large", async () => {
			for (const query of ["offset=0", `total=${FILE.length}`, "offset=-1&total=9000", "offset=5001&total=9000"]) {
				const reply = await gateway.request("POST", `system/ota?${query}`, { body: FILE.subarray(0, PIECE) });
				await isRefused(reply, 400, "invalid_field");
			}
			await isRefused(await piece(0, PIECE, 99_999_999), 413, "too_large");
			await isUnharmed();
		});
	});

	describe("when rejected", () => {
		it("replies 401 without a token, before it touches flash", async () => {
			await isRefused(await send(FILE, { token: null }), 401, "unauthorized");
			await isRefused(await send(FILE, { token: "x".repeat(64) }), 401, "unauthorized");
			assert.equal(slots.flash.operations, 0);
			assert.deepEqual(await updateStatus(), ["idle", 0, 0, ""]);
		});

		it("replies 405 to any other method", async () => {
			for (const method of ["GET", "HEAD", "PUT", "PATCH"]) {
				const reply = await gateway.request(method, "system/ota");
				assert.deepEqual([reply.status, reply.headers.get("allow")], [405, "POST, DELETE"], method);
			}
		});

		it("replies 403 to a page of another site", async () => {
			const reply = await send(FILE, { headers: { Origin: "https://example.com" } });
			await isRefused(reply, 403, "forbidden_origin");
		});

		it("replies 413 to a Content-Length that is too large, before the body arrives", async () => {
			for (const length of [SLOT_SIZE + 4097, 2 ** 31]) {
				const client = begin(length);
				const reply = gateway.world.awaitReply(client);
				await isRefused(reply, 413, "too_large");
				client.close();
			}
			await isRefused(await send(new Uint8Array(SLOT_SIZE + 5000), { chunked: true }), 500, "ota_invalid_image");
			assert.equal(slots.flash.operations, 0);
			await isUnharmed();
		});

		it("names the error of a bad file, even to a client that sends all of it before it reads", async () => {
			for (const [file, code] of [
				[STRANGE, "ota_bad_signature"],
				[makeFile(makeImage(), { deviceId: 7 }), "ota_wrong_device"],
				[new Uint8Array(300_000), "ota_invalid_image"],
				[new Uint8Array(0), "ota_invalid_image"],
				[FILE.subarray(0, 200), "ota_invalid_image"],
			] as const) {
				const client = begin(file.length);
				client.paused = true;
				if (file.length > 0) client.send(file);
				gateway.world.advance(1500);
				assert.equal(client.isClosed, false);
				client.paused = false;
				const reply = gateway.world.awaitReply(client);
				await isRefused(reply, 500, code);
				assert.ok(JSON.parse(reply.text).message.length > 30);
				client.close();
				assert.deepEqual(await updateStatus(), ["idle", 0, 0, code]);
			}
			assert.equal(slots.flash.operations, 0);
			await isUnharmed();
		});

		it("names an error that occurs in the middle of the file", async () => {
			const damaged = FILE.slice();
			damaged[FILE.length >> 1] ^= 1;
			await isRefused(await send(damaged), 500, "ota_invalid_image");
			slots.flash.refusals = 1;
			await isRefused(await send(FILE), 500, "ota_write_failed");
			assert.deepEqual(await updateStatus(), ["idle", 0, 0, "ota_write_failed"]);
			await isUnharmed();
		});

		it("replies 503 while the running firmware is on trial", async () => {
			assert.equal((await send(FILE)).status, 200);
			await gateway.loginAfterReboot();
			await isRefused(await send(FILE), 503, "busy");
			assert.equal((await status()).ota_state, "trial");
		});

		it("replies 500 when the battery is nearly empty, unless USB power is connected", async () => {
			for (const [volts, usb, expected] of [
				[3.2, 0, 500],
				[3.2, 5, 200],
				[4.2, 0, 200],
			]) {
				const power = {
					cells: 3,
					batteryVoltage: () => volts,
					usbVoltage: () => usb,
					temperatureC: () => 20,
				};
				await start({ power });
				const reply = await send(FILE);
				assert.equal(reply.status, expected);
				if (expected === 500) await isRefused(reply, 500, "ota_low_power");
			}
		});

		it("replies 501 without OTA slots or without a key", async () => {
			for (const options of [{ slots: undefined }, { slots: makeSlots({ keys: [] }) }]) {
				await gateway.stop();
				gateway = await VirtualGateway.loggedIn("client", { utcMs: START_UTC_MS, ...options } as GatewayOptions);
				await isRefused(await send(FILE), 501, "unsupported");
				assert.deepEqual(await updateStatus(), ["idle", 0, 0, ""]);
			}
		});

		it("replies 503 while memory is short, and accepts the file afterwards", async () => {
			slots.inflaterRefusals = 1;
			await isRefused(await send(FILE), 503, "busy");
			await isUnharmed();
			let isFull = false;
			await start({ memory: { suffices: () => !isFull } });
			isFull = true;
			await isRefused(await send(FILE), 503, "busy");
			isFull = false;
			assert.equal((await send(FILE)).status, 200);
		});
	});
});
