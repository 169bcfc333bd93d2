/**
 * The gateway as the page sees it: one request at a time, since the chip has room for few connections; only a readout or a
 * probe, which takes up to a minute, has a lane of its own, so that no page waits for it. A request that finds the session
 * ended waits for the login and is then sent again; one that reads waits for a gateway that is away.
 */
import { type Ending, endSession, loggedIn, token, tokenAccepted, tokenRefused } from "./session.js";
import { Store } from "./store.js";
import { forgetUnsaved, isUnsaved } from "./unsaved.js";

export const API = "/api/v1/";
const REQUEST_MS = 20_000;
/** For what the gateway answers at once, so that its absence is noticed soon. */
export const LOOK_MS = 6_000;
/** `/read` and `/scan` take long by nature (API text, Limits). */
export const READ_MS = 70_000;
export const SCAN_MS = 30_000;
const RETRY_MS = 2_000;
/** A gateway that has been away for a minute is asked less often: it may be weeks. */
const SLOW_RETRY_MS = 10_000;
const SLOW_FROM_MS = 60_000;
const BUSY_TRIES = 4;

/** A reply other than 2xx, or none at all. */
export class DeviceError extends Error {
	/** HTTP status; 0: there was no reply. */
	readonly status: number;
	/** Code of the reply (`invalid_field`), or `offline`. */
	readonly code: string;
	/** The field that it is about, if one is. */
	readonly field: string | undefined;
	/** Seconds after which it is worth another try; 0: the reply did not say. */
	retryAfterS = 0;
	/** Body of the reply. */
	body: { readonly code?: string } = {};

	constructor(status: number, code: string, message: string, field?: string) {
		super(message);
		this.status = status;
		this.code = code;
		this.field = field;
	}
}

export const OFFLINE = "offline";

/** False while requests get no reply. */
export const reachable = new Store(true);
/** When the gateway replied last, ms of this browser's clock. */
let repliedAtMs = Date.now();

export function lastReplyMs(): number {
	return repliedAtMs;
}

// The browser knows at once when it has lost its own network.
addEventListener("offline", () => {
	reachable.set(false);
	watchReturn();
});

export interface Restart {
	/** Where the gateway may be found then; empty: where it is now. */
	readonly addresses: readonly string[];
	/** Why; the text is chosen by it. */
	readonly reason: "moved" | Extract<Ending, "restart" | "reset" | "certificate" | "update">;
}
/** Set while the gateway is known to be about to leave. */
export const restarting = new Store<Restart | undefined>(undefined);

interface Options {
	readonly body?: unknown;
	/** Sent as it is, in place of JSON. */
	readonly text?: string;
	/** The reply is a File under its name, whatever it has. */
	readonly isFile?: boolean;
	readonly timeoutMs?: number;
	/** For what keeps the gateway talking to its meter. It is given up when the gateway goes away meanwhile. */
	readonly lane?: "meter";
}

type Lane = "meter" | "main";

const lanes: Record<Lane, Promise<unknown>> = { meter: Promise.resolve(), main: Promise.resolve() };

/** Appends the task to the lane; a failed one does not stop those behind it. */
function enqueue<T>(task: () => Promise<T>, lane: Lane = "main"): Promise<T> {
	const result = lanes[lane].then(task, task);
	lanes[lane] = result.catch(() => undefined);
	return result;
}

/** `path` without `/api/v1/`; the reply's JSON. Throws a DeviceError. */
export function get<T>(path: string, options: Options = {}): Promise<T> {
	return enqueue(() => patient<T>("GET", path, options), options.lane);
}

export function post<T>(path: string, body?: unknown, options: Options = {}): Promise<T> {
	return enqueue(() => patient<T>("POST", path, { ...options, ...(body === undefined ? {} : { body }) }), options.lane);
}

export function remove(path: string): Promise<void> {
	return enqueue(() => patient<void>("DELETE", path, {}));
}

/** Past the queue and without waiting for anything: for the login. */
export function sendNow<T>(method: string, path: string, body?: unknown): Promise<T> {
	return send<T>(method, path, body === undefined ? {} : { body });
}

async function patient<T>(method: string, path: string, options: Options): Promise<T> {
	for (let busy = 0; ; ) {
		await loggedIn.until((value) => value);
		const used = token();
		try {
			return await send<T>(method, path, options);
		} catch (error) {
			if (!(error instanceof DeviceError)) throw error;
			if (error.status === 401) {
				// A login may have come in between.
				if (token() === used) tokenRefused();
			} else if (error.status === 503 && busy < BUSY_TRIES) {
				busy++;
				await wait(RETRY_MS);
			} else if (error.code === OFFLINE && method === "GET" && !options.lane && restarting.value === undefined) {
				await untilReachable();
			} else throw error;
		}
	}
}

async function send<T>(method: string, path: string, options: Options): Promise<T> {
	const headers = new Headers();
	const bearer = token();
	if (bearer !== null) headers.set("Authorization", `Bearer ${bearer}`);
	const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
	if (body !== undefined) headers.set("Content-Type", options.text === undefined ? "application/json" : "text/plain");
	let reply: Response;
	let content: string | File;
	try {
		const signal = AbortSignal.timeout(options.timeoutMs ?? REQUEST_MS);
		reply = await fetch(API + path, { method, headers, signal, ...(body === undefined ? {} : { body }) });
		content = options.isFile && reply.ok ? await fileOf(reply) : await reply.text();
	} catch {
		reachable.set(false);
		watchReturn();
		throw new DeviceError(0, OFFLINE, "");
	}
	replied();
	if (!reply.ok) {
		const error = errorOf(reply.status, String(content));
		error.retryAfterS = Number(reply.headers.get("Retry-After") ?? 0);
		throw error;
	}
	tokenAccepted(bearer);
	if (typeof content !== "string") return content as T;
	return (content === "" ? undefined : JSON.parse(content)) as T;
}

async function fileOf(reply: Response): Promise<File> {
	const name = /filename="(.*)"/.exec(reply.headers.get("Content-Disposition") ?? "")?.[1];
	return new File([await reply.blob()], name ?? "");
}

/** The error in a reply other than 2xx. */
export function errorOf(status: number, text: string): DeviceError {
	try {
		const body = JSON.parse(text);
		const { error, message, field } = body;
		const failed = new DeviceError(
			status,
			String(error),
			String(message),
			field === undefined ? undefined : String(field),
		);
		failed.body = body;
		return failed;
	} catch {
		return new DeviceError(status, "other", text.trim());
	}
}

export function wait(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The gateway is there. */
export function replied(): void {
	repliedAtMs = Date.now();
	reachable.set(true);
}

/** Whether something answers at this address. Asks for what costs the gateway least. */
async function answers(): Promise<boolean> {
	try {
		await fetch(`${API}system/challenge`, { signal: AbortSignal.timeout(5_000) });
		return true;
	} catch {
		return false;
	}
}

let watching = false;

/** Asks again and again until there is an answer. */
async function watchReturn(): Promise<void> {
	if (watching) return;
	watching = true;
	while (!reachable.value) {
		await wait(Date.now() - repliedAtMs < SLOW_FROM_MS ? RETRY_MS : SLOW_RETRY_MS);
		if (await answers()) replied();
	}
	watching = false;
}

function untilReachable(): Promise<void> {
	watchReturn();
	return reachable.until((value) => value);
}

/**
 * The gateway is about to leave: the page waits for its return, and then loads anew, maybe another version of it. Where
 * something typed would be lost by that, the login is asked for in place.
 */
export async function awaitRestart(restart: Restart): Promise<void> {
	const { reason } = restart;
	restarting.set(restart);
	// The gateway replies first and restarts one to two seconds later.
	await wait(4_000);
	while (!(await answers())) await wait(RETRY_MS);
	// A restart ends all sessions; another network none.
	if (reason !== "moved") endSession(reason);
	if (reason === "reset") forgetUnsaved();
	if (!isUnsaved()) return location.reload();
	replied();
	restarting.set(undefined);
}
