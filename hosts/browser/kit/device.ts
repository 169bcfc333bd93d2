/**
 * Requests to the gateway. They are sent one at a time, because the chip has room for only a few connections. Readouts
 * and probes take up to a minute. They have their own queue, so that no page waits for them. If a request is refused
 * because the session has ended or the token is read-only, it is repeated after the login. If the gateway cannot be
 * reached, a GET waits until it can.
 */
import {
	type Ending,
	endSession,
	loggedIn,
	passwordWanted,
	timesRefused,
	token,
	tokenAccepted,
	tokenRefused,
	wantPassword,
} from "./session.js";
import { Store } from "./store.js";
import { forgetUnsaved, isUnsaved } from "./unsaved.js";

export const API = "/api/v1/";
const REQUEST_MS = 20_000;
/** Timeout of quick requests. It is short, so that an unreachable gateway is noticed soon. */
export const QUICK_TIMEOUT_MS = 6_000;
/** Timeout of slow requests, such as `/read` and `/scan` (API text, Limits). */
export const READ_MS = 70_000;
export const SCAN_MS = 30_000;
const RETRY_MS = 2_000;
/** Pause between attempts when the gateway has been unreachable for a minute. It may stay unreachable for weeks. */
const SLOW_RETRY_MS = 10_000;
const SLOW_FROM_MS = 60_000;
const BUSY_TRIES = 4;

/** Thrown if the status of the reply is not 2xx, or if there is no reply. */
export class DeviceError extends Error {
	/** HTTP status, or 0 if there was no reply. */
	readonly status: number;
	/** Error code in the reply, such as `invalid_field`, or `offline` if there was no reply. */
	readonly code: string;
	readonly field: string | undefined;
	/** Seconds until another attempt makes sense, or 0 if the reply does not state a time. */
	retryAfterS = 0;
	body: { readonly code?: string } = {};

	constructor(status: number, code: string, message: string, field?: string) {
		super(message);
		this.status = status;
		this.code = code;
		this.field = field;
	}
}

export const OFFLINE = "offline";

export const reachable = new Store(true);
/** Time of the last reply, by this browser's clock. */
let repliedAtMs = Date.now();

export function lastReplyMs(): number {
	return repliedAtMs;
}

// The browser reports immediately when its own network is lost.
addEventListener("offline", () => {
	reachable.set(false);
	watchReturn();
});

export interface Restart {
	/** Possible new addresses of the gateway. Empty if its address stays the same. */
	readonly addresses: readonly string[];
	/** Reason of the restart. It selects the text that the user sees. */
	readonly reason: "moved" | Extract<Ending, "restart" | "reset" | "certificate" | "update">;
}
/** Restart that the gateway has announced. */
export const restarting = new Store<Restart | undefined>(undefined);

interface Options {
	readonly body?: unknown;
	/** Body that is sent unchanged, instead of a JSON body. */
	readonly text?: string;
	/** True if the reply is returned as a File, whatever its type. */
	readonly isFile?: boolean;
	readonly timeoutMs?: number;
	/** Queue of the request. A request in `meter` occupies the meter, and fails if the gateway becomes unreachable. */
	readonly lane?: "meter";
}

type Lane = "meter" | "main";

const lanes: Record<Lane, Promise<unknown>> = { meter: Promise.resolve(), main: Promise.resolve() };

/** Adds a task to a queue. If a task fails, the following ones are still performed. */
function enqueue<T>(task: () => Promise<T>, lane: Lane = "main"): Promise<T> {
	const result = lanes[lane].then(task, task);
	lanes[lane] = result.catch(() => undefined);
	return result;
}

/** Sends a GET. `path` is without `/api/v1/`. Throws a DeviceError. */
export function get<T>(path: string, options: Options = {}): Promise<T> {
	const refused = timesRefused();
	return enqueue(() => requestUntilDone<T>("GET", path, options, refused), options.lane);
}

export function post<T>(path: string, body?: unknown, options: Options = {}): Promise<T> {
	return enqueue(
		() => requestUntilDone<T>("POST", path, { ...options, ...(body === undefined ? {} : { body }) }),
		options.lane,
	);
}

export function remove(path: string): Promise<void> {
	return enqueue(() => requestUntilDone<void>("DELETE", path, {}));
}

/** Sends a request immediately, without the queue and without waiting for a session. Used for the login. */
export function sendNow<T>(method: string, path: string, body?: unknown): Promise<T> {
	return send<T>(method, path, body === undefined ? {} : { body });
}

/**
 * `refused` is the value of `timesRefused()` when the request was made. If the user has cancelled the password dialog
 * since then, the request does not open the dialog again.
 */
async function requestUntilDone<T>(
	method: string,
	path: string,
	options: Options,
	refused = timesRefused(),
): Promise<T> {
	for (let busy = 0; ; ) {
		await loggedIn.until((value) => value);
		const used = token();
		try {
			return await send<T>(method, path, options);
		} catch (error) {
			if (!(error instanceof DeviceError)) throw error;
			if (error.status === 401) {
				// In the meantime, a login may have replaced the token.
				if (token() === used) tokenRefused();
			} else if (error.code === "forbidden_scope" && refused === timesRefused() && wantPassword()) {
				await passwordWanted.until((value) => !value);
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

/** Makes an error from a reply whose `status` is not 2xx. */
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

export function replied(): void {
	repliedAtMs = Date.now();
	reachable.set(true);
}

/** Sends the cheapest request. Returns true if the gateway sends any reply. */
async function answers(): Promise<boolean> {
	try {
		await fetch(`${API}system/challenge`, { signal: AbortSignal.timeout(5_000) });
		return true;
	} catch {
		return false;
	}
}

let watching = false;

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
 * Waits for the restart, then reloads the page, because the new firmware may have another version of it. If input would
 * be lost, the page stays, and the login opens over it.
 */
export async function awaitRestart(restart: Restart): Promise<void> {
	const { reason } = restart;
	restarting.set(restart);
	// The gateway sends its reply first, and restarts one to two seconds later.
	await wait(4_000);
	while (!(await answers())) await wait(RETRY_MS);
	// A restart ends all sessions, but a change of the network ends none.
	if (reason !== "moved") endSession(reason);
	if (reason === "reset") forgetUnsaved();
	if (!isUnsaved()) return location.reload();
	replied();
	restarting.set(undefined);
}
