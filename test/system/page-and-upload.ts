/** A slow upload of a firmware while the page is loaded repeatedly: load for tests that read a meter meanwhile. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SLOT_SIZE } from "../../hosts/simulated/boot-loader.js";
import { IMAGE_CHIP, IMAGE_DEVICE_ID } from "../../hosts/simulated/image.js";
import { publicKeyOf } from "../../tools/ota/keys.js";
import { type EngineName, ProcessGateway, type ProcessOptions } from "../api/process-gateway.js";
import { makeFile, makeImage, SIGNER } from "../update/firmware-files.js";

const PIECE = 8192;
const PAUSE_MS = 25;

/** Starts a gateway in access point mode that accepts the firmware. */
export async function startUploadable(engine: EngineName, options: ProcessOptions = {}): Promise<ProcessGateway> {
	const folder = mkdtempSync(join(tmpdir(), "upload-"));
	const key = join(folder, "key.pem");
	writeFileSync(key, publicKeyOf(SIGNER.point).export({ type: "spki", format: "pem" }));
	try {
		return await ProcessGateway.start(engine, { ...options, mode: "ap", args: ["--update-key", key] });
	} finally {
		rmSync(folder, { recursive: true });
	}
}

export class PageAndUpload {
	readonly #gateway: ProcessGateway;
	readonly #file = makeFile(makeImage(SLOT_SIZE), { packed: false, chip: IMAGE_CHIP, deviceId: IMAGE_DEVICE_ID });
	readonly #upload: ClientRequest;
	#uploaded = 0;
	#pages = 0;

	/** The gateway must be logged in. */
	constructor(gateway: ProcessGateway) {
		this.#gateway = gateway;
		const [host, port] = gateway.authority(false).split(":");
		const headers = { Authorization: `Bearer ${gateway.token}`, "Content-Length": this.#file.length };
		this.#upload = request({ host, port, method: "POST", path: "/api/v1/system/ota", headers, agent: false });
		this.#upload.on("error", () => {});
	}

	/** Uploads a piece of the firmware, and loads the whole page. */
	async go(): Promise<void> {
		const end = Math.min(this.#uploaded + PIECE, this.#file.length - 1);
		if (this.#upload.writableNeedDrain === false) {
			this.#upload.write(this.#file.subarray(this.#uploaded, end));
			this.#uploaded = end;
		}
		assert.equal((await this.#gateway.request("GET", "/", { secure: false })).status, 200);
		this.#pages++;
		await sleep(PAUSE_MS);
	}

	/** Aborts the upload, after checking that it progressed; returns a summary. */
	async end(): Promise<string> {
		assert.equal((await this.#gateway.read("system/status")).ota_state, "receiving");
		this.#upload.destroy();
		return `${this.#pages} pages, ${this.#uploaded} bytes uploaded`;
	}
}
