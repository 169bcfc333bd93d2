/**
 * The gateway's event stream (docs/api.md, "Events"). The gateway serves the stream to only one client at a time, and
 * may end it at any time.
 */
import { API, reachable, replied, wait } from "./device.js";
import { loggedIn, token } from "./session.js";
import { Store } from "./store.js";

/** Time without data after which the stream is considered dead. The gateway sends something every 15 s. */
const SILENT_MS = 18_000;
/** Pause before the next attempt. It becomes longer with each attempt that fails soon. */
const AGAIN_MS = 10_000;
const AGAIN_LIMIT_MS = 300_000;

export const following = new Store(false);
const seen = new Store(isSeen());
document.addEventListener("visibilitychange", () => seen.set(isSeen()));

function isSeen(): boolean {
	return document.visibilityState === "visible";
}

/** Follows the stream. Resolves when the stream ends or this tab is hidden. */
async function followOnce<S>(applyNews: (news: Partial<S>) => void): Promise<void> {
	const stop = new AbortController();
	const abort = () => stop.abort();
	const end = seen.watch(abort);
	let timer = setTimeout(abort, SILENT_MS);
	try {
		const { signal } = stop;
		const { body, ok } = await fetch(`${API}events`, { headers: { Authorization: `Bearer ${token()}` }, signal });
		const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
		for (let rest = ""; ok && reader; following.set(true)) {
			const { value, done } = await reader.read();
			if (done) return;
			replied();
			clearTimeout(timer);
			timer = setTimeout(abort, SILENT_MS);
			const events = (rest + value).split("\n\n");
			rest = events.pop() ?? "";
			for (const event of events)
				if (event.startsWith("event: state")) applyNews(JSON.parse(event.slice(event.indexOf("{"))));
		}
	} finally {
		clearTimeout(timer);
		end();
		abort();
		following.set(false);
	}
}

/** Follows the stream while the page is visible and `state` has a value. Never returns. */
export async function follow<S>(state: Store<S | undefined>, applyNews: (news: Partial<S>) => void): Promise<never> {
	for (let pauseMs = AGAIN_MS; ; ) {
		await loggedIn.until(Boolean);
		await state.until(Boolean);
		await reachable.until(Boolean);
		await seen.until(Boolean);
		const begunMs = Date.now();
		await followOnce(applyNews).catch(() => undefined);
		if (!seen.value) continue;
		pauseMs = Date.now() - begunMs > AGAIN_LIMIT_MS ? AGAIN_MS : Math.min(2 * pauseMs, AGAIN_LIMIT_MS);
		await wait(pauseMs / 2);
	}
}
