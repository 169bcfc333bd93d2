/** State of the gateway for use in components. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { DeviceError, get } from "./device.js";
import { failureText } from "./failures.js";
import { isText, t } from "./text.js";

export interface Loaded<T> {
	/** The reply, or undefined until it has arrived. */
	readonly value: T | undefined;
	readonly error: DeviceError | undefined;
	reload(): Promise<void>;
	/** Replaces the value by the reply to a POST to the same path. */
	put(value: T): void;
}

/** Sends a GET when the component appears. */
export function useDevice<T>(path: string, timeoutMs?: number): Loaded<T> {
	const [value, put] = useState<T>();
	const [error, setError] = useState<DeviceError>();
	const alive = useRef(true);
	const reload = useCallback(async () => {
		try {
			const reply = await get<T>(path, timeoutMs === undefined ? {} : { timeoutMs });
			if (!alive.current) return;
			put(() => reply);
			setError(undefined);
		} catch (reason) {
			if (alive.current) setError(asDeviceError(reason));
		}
	}, [path, timeoutMs]);
	useEffect(() => {
		alive.current = true;
		reload();
		return () => {
			alive.current = false;
		};
	}, [reload]);
	return { value, error, reload, put };
}

export function asDeviceError(reason: unknown): DeviceError {
	return reason instanceof DeviceError ? reason : new DeviceError(0, "other", String(reason));
}

/** Returns the text for the meter's failure if the reply states one, otherwise the text for the kind of error. */
export function errorText({
	code,
	body,
}: {
	readonly code: string;
	readonly body?: { readonly code?: string };
}): string {
	const key = `error.${code}`;
	return failureText(body?.code) ?? (isText(key) ? t(key) : t("error.other"));
}

/**
 * Calls `callback` every `ms` while the page is visible, and immediately when it becomes visible. Calls never overlap.
 */
export function usePoll(callback: () => Promise<void>, ms: number): void {
	const latest = useRef(callback);
	latest.current = callback;
	useEffect(() => {
		let busy = false;
		const poll = async () => {
			if (busy || document.visibilityState !== "visible") return;
			busy = true;
			await latest.current().catch(() => undefined);
			busy = false;
		};
		const timer = setInterval(poll, ms);
		document.addEventListener("visibilitychange", poll);
		return () => {
			clearInterval(timer);
			document.removeEventListener("visibilitychange", poll);
		};
	}, [ms]);
}
