/**
 * One poll of the server: several requests, one after the other, over one connection. If the server closes the
 * connection, it is opened again. A poll runs in the task of rollout.ts.
 *
 *   BASE         GET: what the server requests
 *   ATTRIBUTES   PUT, if the server asks for them
 *   CANCEL       POST: confirms that the action is cancelled, or reports that its firmware is installed already
 *   DEPLOYMENT   GET, for an action that has not begun yet
 *   FEEDBACK     POST: reports the progress or the result of the action
 *
 * The result of the poll is `failure`, or `file` if a deployment is to be downloaded now.
 */
import { FIRST_STATUS, HTTPClient, OUTCOME_NONE } from "../http/client.js";
import { ReplyReader } from "../http/reply.js";
import type { HubURL } from "../http/url.js";
import type { ClientPort, TLSClientOptions } from "../io/client.js";
import type { Task } from "../io/driver.js";
import { FIRMWARE_ON_TRIAL, type Update } from "../io/flash.js";
import type { HostInfo, Storage, TextCodec } from "../io/host.js";
import type { JSONWriter } from "../json/writer.js";
import type { OutputFailure } from "../publish/connect-failures.js";
import { codeOnly, isGone, UNAUTHORIZED, visitFailure } from "../publish/visit-failures.js";
import { DDIDocument, idOf, pathOf } from "./document.js";
import { type Action, loadAction, SUCCESS, storeAction } from "./record.js";

/** A document is too long, or is not the JSON that the Direct Device Integration API specifies. */
const BAD_DOCUMENT = codeOnly("bad_document");

export interface PollDeps {
	readonly task: Task;
	readonly text: TextCodec;
	readonly writer: JSONWriter;
	readonly storage: Storage;
	readonly info: HostInfo;
	readonly update: Pick<Update, "state" | "givenUp" | "securityLevel">;
	/** False if no download may begin yet. */
	readonly mayDownload: boolean;
	readonly url: HubURL;
	readonly authorization: string;
	/** Path of this gateway (the target) on the server. */
	readonly path: string;
	/** Opens a connection. Returns CLIENT_… (io/client.ts) if that is impossible. */
	connect(make: (port: ClientPort, tls: TLSClientOptions) => HTTPClient): HTTPClient | number;
}

export const TRIES = 3;
/** Maximum length of the cause of a failure that is reported. The server accepts 512 characters. */
const CAUSE_LIMIT = 400;
const BODY_SIZE = 768;

const STEP_BASE = 0;
const STEP_ATTRIBUTES = 1;
const STEP_CANCEL = 2;
const STEP_DEPLOYMENT = 3;
const STEP_FEEDBACK = 4;

/** Stages of an installation, which are reported as its progress. */
const STAGE_DOWNLOAD = 1;
const STAGE_TRIAL = 2;
const STAGES = 3;

export class Poll {
	/** Failure of the poll; undefined after a success. */
	failure: OutputFailure | undefined;
	file = "";
	/** Action that the server expects this gateway to carry out. */
	action: Action | undefined;
	readonly document: DDIDocument;
	readonly #deps: PollDeps;
	readonly #reply: ReplyReader;
	#client: HTTPClient | undefined;
	#step = STEP_BASE;
	#request: Uint8Array;

	constructor(deps: PollDeps, nowMs: number) {
		const { info, path, text } = deps;
		this.#deps = deps;
		this.document = new DDIDocument(text, info.board);
		this.#reply = new ReplyReader(undefined, undefined, this.document);
		this.#request = this.requestOf("GET", path);
		this.send(nowMs);
	}

	get deadlineMs(): number {
		return this.#client?.deadlineMs ?? Number.POSITIVE_INFINITY;
	}

	advance(nowMs: number): void {
		this.#client?.advance(nowMs);
	}

	close(): void {
		this.#client?.close();
		this.#client = undefined;
	}

	/** Continues after a reply or a failure. Returns true at the end of the poll. */
	step(nowMs: number): boolean {
		const client = this.#client;
		if (client === undefined) return true;
		const { outcome } = client;
		const { document } = this;
		const isDocument = this.#step === STEP_BASE || this.#step === STEP_DEPLOYMENT;
		// If a document is too long or is not JSON, the poll does not wait for its end.
		if (outcome === OUTCOME_NONE && !(isDocument && document.isBroken)) return false;
		// The server may have closed the idle connection just before this request arrived.
		if (client.isWorthRepeating) return this.send(nowMs);
		if (outcome !== OUTCOME_NONE && (outcome < FIRST_STATUS || outcome >= 300)) return this.refused(outcome, nowMs);
		if (isDocument && this.#reply.isWhole) document.end();
		if (isDocument && (document.isBroken || !this.#reply.isWhole)) this.failure = BAD_DOCUMENT;
		else if (this.advanceStep()) return this.send(nowMs);
		return true;
	}

	private refused(outcome: number, nowMs: number): boolean {
		const failure = visitFailure(outcome);
		const isOptional = this.#step === STEP_ATTRIBUTES && outcome >= 400 && outcome < 500;
		const isClosed = this.#step >= STEP_CANCEL && isGone(outcome);
		this.file = "";
		if (isOptional && failure !== UNAUTHORIZED && this.advanceStep()) return this.send(nowMs);
		if (!isOptional && !isClosed) this.failure = failure;
		return true;
	}

	/** Prepares the request of the next step. Returns false after the last step. */
	private advanceStep(): boolean {
		const { configData, cancelAction, deploymentBase } = this.document;
		const step = this.#step;
		if (step === STEP_BASE && configData !== "") return this.askAttributes(configData);
		if (step <= STEP_ATTRIBUTES && cancelAction !== "") return this.askCancel(cancelAction);
		if (step <= STEP_ATTRIBUTES && deploymentBase !== "") return this.askDeployment(deploymentBase);
		return step === STEP_DEPLOYMENT && this.deploy(deploymentBase);
	}

	private askAttributes(link: string): boolean {
		const { info, update, writer } = this.#deps;
		this.#step = STEP_ATTRIBUTES;
		this.#request = this.requestOf("PUT", link, () => {
			writer.raw(writer.prepare('{"mode":"merge","data":{"board":'));
			writer.rawString(info.board);
			writer.key("model");
			writer.string(info.model);
			writer.key("serial");
			writer.string(info.serial);
			writer.key("version");
			writer.string(info.firmwareVersion);
			writer.raw(writer.prepare(`,"security_level":"${update.securityLevel}"}}`));
		});
		return true;
	}

	private askCancel(link: string): boolean {
		const { storage, text } = this.#deps;
		const id = idOf(link);
		const action = loadAction(storage, text);
		this.#step = STEP_CANCEL;
		if (action?.id === id && action.version !== "") {
			this.action = action;
			this.#request = this.feedback(link, id, "rejected", "none", "The firmware is installed already.");
		} else this.#request = this.feedback(link, id, "closed", "success", "Cancelled before the installation.");
		return id !== "";
	}

	/**
	 * Prepares the request for the description of a deployment. If its action has begun already, reports the progress
	 * or the result instead.
	 */
	private askDeployment(link: string): boolean {
		const { info, storage, text, update } = this.#deps;
		const id = idOf(link);
		const stored = loadAction(storage, text);
		const isKnown = stored?.id === id;
		if (id === "") {
			this.failure = BAD_DOCUMENT;
			return false;
		}
		let action = isKnown ? stored : { id, tries: 0, version: "", result: "" };
		if (action.result === "") {
			const result = resultOf(action, info, update);
			if (result !== "") action = this.settle(action, result);
		}
		this.action = action;
		if (action.result !== "") this.report(link, action);
		else if (action.version !== "") {
			const details = `Version ${action.version} is on trial.`;
			this.#request = this.feedback(link, id, "proceeding", "none", details, STAGE_TRIAL);
			this.#step = STEP_FEEDBACK;
		} else {
			this.#request = this.requestOf("GET", link);
			this.#step = STEP_DEPLOYMENT;
		}
		return true;
	}

	private deploy(link: string): boolean {
		const { document } = this;
		const { mayDownload } = this.#deps;
		const action = this.action as Action;
		if (document.id !== action.id) {
			this.failure = BAD_DOCUMENT;
			return false;
		}
		// The gateway does not download the file yet, because it can't keep it until the maintenance window opens.
		if (document.update === "skip" || !mayDownload) return false;
		const file = document.fileCount === 1 ? document.file : document.ownFile;
		if (file === "") {
			const cause = `ota_not_found The distribution has no file for this board: ${this.#deps.info.board}.ota.`;
			this.report(link, this.settle(action, cause));
			return true;
		}
		this.file = file;
		const details = `Version ${this.#deps.info.firmwareVersion} runs and downloads the file.`;
		this.#request = this.feedback(link, action.id, "proceeding", "none", details, STAGE_DOWNLOAD);
		this.#step = STEP_FEEDBACK;
		return true;
	}

	private report(link: string, { id, version, result }: Action): void {
		const isGood = result === SUCCESS;
		const details = isGood ? `Version ${version} runs and is confirmed.` : result;
		this.#request = this.feedback(link, id, "closed", isGood ? "success" : "failure", details, isGood ? STAGES : 0);
		this.#step = STEP_FEEDBACK;
	}

	private settle(action: Action, result: string): Action {
		const { storage, text } = this.#deps;
		const settled = { ...action, result };
		storeAction(storage, text, settled);
		return settled;
	}

	/** Returns a request that reports the state of an action. `stage` is the progress; 0 if there is none to report. */
	private feedback(
		link: string,
		id: string,
		execution: string,
		finished: string,
		details: string,
		stage = 0,
	): Uint8Array {
		const { writer } = this.#deps;
		const progress = stage > 0 ? `,"progress":{"cnt":${stage},"of":${STAGES}}` : "";
		const status = `"execution":"${execution}","result":{"finished":"${finished}"${progress}}`;
		return this.requestOf("POST", `${pathOf(link)}/feedback`, () => {
			writer.raw(writer.prepare(`{"id":"${id}","status":{${status},"details":[`));
			writer.rawString(details.slice(0, CAUSE_LIMIT));
			writer.raw(writer.prepare("]}}"));
		});
	}

	/** Returns a request. `write` writes its body. */
	private requestOf(method: string, target: string, write?: () => void): Uint8Array {
		const { authorization, text, url, writer } = this.#deps;
		const body = new Uint8Array(write === undefined ? 0 : BODY_SIZE);
		let length = 0;
		if (write !== undefined) {
			writer.begin(body, 0, BODY_SIZE);
			write();
			length = writer.position;
		}
		const fields =
			length === 0 ? "Accept: application/json\r\n" : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
		const head = text.encode(
			`${method} ${target} HTTP/1.1\r\nHost: ${url.host}:${url.port}\r\nAuthorization: ${authorization}\r\n${fields}\r\n`,
		);
		const request = new Uint8Array(head.length + length);
		request.set(head);
		request.set(body.subarray(0, length), head.length);
		return request;
	}

	/** Sends the request, over a new connection if necessary. Returns true if no connection can be opened. */
	private send(nowMs: number): boolean {
		let client = this.#client;
		if (client === undefined || !client.isOpen) {
			this.close();
			const { connect, task, url } = this.#deps;
			const { host, port: portNumber } = url;
			const reply = this.#reply;
			const opened = connect((port, tls) => new HTTPClient({ task, port, host, portNumber, tls, reply }));
			if (typeof opened === "number") {
				this.failure = visitFailure(opened);
				return true;
			}
			client = opened;
			this.#client = client;
		}
		this.document.begin();
		client.send(this.#request, 0, this.#request.length, nowMs);
		return false;
	}
}

/** Returns the result of an action that had begun before the last start; "" if it is not known yet. */
function resultOf(
	{ tries, version }: Action,
	{ firmwareVersion }: HostInfo,
	{ givenUp, state }: Pick<Update, "state" | "givenUp">,
): string {
	if (version === "") return tries < TRIES ? "" : "ota_interrupted The gateway restarted during each download.";
	if (state === FIRMWARE_ON_TRIAL) return "";
	if (givenUp !== "") {
		return `rolled_back Version ${version} did not pass its trial (${givenUp}): ${firmwareVersion} runs again.`;
	}
	return version === firmwareVersion ? SUCCESS : `ota_interrupted ${firmwareVersion} runs instead of ${version}.`;
}
