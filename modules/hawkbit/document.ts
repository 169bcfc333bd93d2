/**
 * Reads two documents of hawkBit's Direct Device Integration API (v1) while they arrive. The base document says what
 * the server requests from this gateway (the target). The other one describes a deployment. The memory needed does not
 * depend on their length.
 *
 *   base        config.polling.sleep, _links.{configData,cancelAction,deploymentBase}.href
 *   deployment  id, deployment.update, deployment.chunks[].artifacts[].{filename,_links.{download,download-http}.href}
 *
 * Only the path and the query of a link are used, and the request goes to the server in the settings. So no other
 * server gets the token. Limits: DOCUMENT_LIMIT bytes, TEXT_LIMIT bytes of a link or name.
 */
import { hasOnly, wholeNumber } from "../bytes/ascii.js";
import type { BodySink } from "../http/handler.js";
import type { TextCodec } from "../io/host.js";
import {
	JSONReader,
	TOKEN_END,
	TOKEN_ERROR,
	TOKEN_MORE,
	TOKEN_NAME,
	TOKEN_OBJECT_END,
	TOKEN_STRING,
} from "../json/reader.js";

/** Maximum length of a document, bytes. It is enough for the links of about sixty files. */
export const DOCUMENT_LIMIT = 65_536;
const TEXT_LIMIT = 512;
const DEPTH_LIMIT = 12;

/** Names of the members that are used or that contain such members. Other members are skipped. */
const NAMES = Object.freeze([
	...["config", "polling", "sleep", "_links", "configData", "cancelAction", "deploymentBase", "href"],
	...["id", "deployment", "update", "chunks", "artifacts", "filename", "download", "download-http"],
]);

/** Nesting depths of the objects that have the members which are used. */
const ROOT = 1;
const DEPLOYMENT = 2;
const LINK = 3;
const ARTIFACT = 6;
const FILE_LINK = 8;

export class DDIDocument implements BodySink {
	readonly limit = DOCUMENT_LIMIT;
	/** Pause between two polls, as the server requests it, seconds; 0 if absent or invalid. */
	sleepS = 0;
	/** Path and query of each link; "" if it is absent or unusable. */
	configData = "";
	cancelAction = "";
	deploymentBase = "";
	/** Id of the action to which the deployment belongs. */
	id = "";
	/**
	 * `forced`, `attempt` or `skip`. The server sends `skip` outside the maintenance window, and for a download without
	 * an installation.
	 */
	update = "";
	fileCount = 0;
	/** Link of the last firmware file. */
	file = "";
	/** Link of the file with this board's name. */
	ownFile = "";
	/** True if the document is invalid or too long. */
	isBroken = false;
	readonly #reader = new JSONReader({ maxDepth: DEPTH_LIMIT, scratch: TEXT_LIMIT });
	readonly #text: TextCodec;
	readonly #ownName: string;
	/** Name of the current member at each nesting depth. */
	readonly #names: string[] = [];
	#filename = "";
	#link = "";

	/** `board` is the name of the firmware file for this board, without `.ota`. */
	constructor(text: TextCodec, board: string) {
		this.#text = text;
		this.#ownName = `${board}.ota`;
	}

	/** Begins a document. The values of the previous document remain. */
	begin(): void {
		this.isBroken = false;
		this.#reader.begin();
	}

	write(bytes: Uint8Array, start: number, end: number): void {
		if (this.isBroken) return;
		const reader = this.#reader;
		if (reader.offset + end - start > DOCUMENT_LIMIT) this.isBroken = true;
		else {
			reader.push(bytes, start, end);
			this.read();
		}
	}

	end(): void {
		if (this.isBroken) return;
		this.#reader.finish();
		if (this.read() !== TOKEN_END) this.isBroken = true;
	}

	private read(): number {
		const reader = this.#reader;
		for (;;) {
			const token = reader.next();
			const { depth } = reader;
			if (token === TOKEN_ERROR) this.isBroken = true;
			if (token === TOKEN_MORE || token === TOKEN_END || token === TOKEN_ERROR) return token;
			if (token === TOKEN_NAME) {
				const name = NAMES.find((one) => reader.textEquals(one));
				if (name === undefined) reader.skip();
				else this.#names[depth] = name;
			} else if (token === TOKEN_STRING && !reader.truncated) this.take(depth);
			else if (token === TOKEN_OBJECT_END && depth === ARTIFACT - 1 && this.#filename !== "") this.takeFile();
		}
	}

	private take(depth: number): void {
		const name = this.#names[depth];
		const reader = this.#reader;
		const value = this.#text.decode(reader.text, 0, reader.length);
		if (name === "href") this.takeLink(depth, linkOf(value));
		else if (name === "sleep" && depth === LINK) this.sleepS = durationSeconds(value);
		else if (name === "id" && depth === ROOT) this.id = value;
		else if (name === "update" && depth === DEPLOYMENT) this.update = value;
		else if (name === "filename" && depth === ARTIFACT) this.#filename = value;
	}

	private takeLink(depth: number, link: string): void {
		const owner = this.#names[depth - 1] ?? "";
		if (depth === FILE_LINK && owner.startsWith("download")) this.#link = link;
		else if (depth !== LINK) return;
		else if (owner === "configData") this.configData = link;
		else if (owner === "cancelAction") this.cancelAction = link;
		else if (owner === "deploymentBase") this.deploymentBase = link;
	}

	private takeFile(): void {
		if (this.#filename.endsWith(".ota")) {
			this.fileCount++;
			this.file = this.#link;
			if (this.#filename === this.#ownName) this.ownFile = this.#link;
		}
		this.#filename = this.#link = "";
	}
}

/** Returns the path and query of a link; "" if it has no path, or has characters that would end the request line. */
function linkOf(href: string): string {
	const authority = href.indexOf("://");
	const slash = href.indexOf("/", authority < 0 ? 0 : authority + 3);
	const path = slash < 0 ? "" : href.slice(slash).split("#", 1)[0];
	return hasOnly(path, "!~") ? path : "";
}

/** Returns the seconds of `HH:MM:SS`; 0 for any other text. */
function durationSeconds(time: string): number {
	let seconds = 0;
	for (const part of time.split(":", 4)) seconds = seconds * 60 + wholeNumber(part, 999);
	return Number.isNaN(seconds) ? 0 : seconds;
}

/** Returns the last name in the path of a link, which is the id of an action; "" if it is not a number. */
export function idOf(link: string): string {
	const names = pathOf(link).split("/");
	const id = names[names.length - 1];
	return id !== "" && id.length < 20 && hasOnly(id, "09") ? id : "";
}

export function pathOf(link: string): string {
	return link.split("?", 1)[0];
}
