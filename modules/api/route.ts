/** One API route: its handler, the body it takes and the scope it requires. Parts list their routes in routes.ts. */
import { SCOPE_FULL } from "../auth/tokens.js";
import type { BodySink } from "../http/handler.js";
import { METHOD_GET, METHOD_POST } from "../http/request.js";
import type { Route } from "../http/router.js";
import { type BodyTable, type BodyValues, NO_BODY } from "./body.js";
import type { Exchange } from "./exchange.js";
import { getSettings, NO_SETTINGS, postSettings, type SettingsTable } from "./settings.js";

/** Handles a request that has passed all checks. */
export type RouteHandler = (exchange: Exchange<never>, values: BodyValues, settings: SettingsTable) => void;

/** Returns a receiver for a body that is not JSON, or undefined after answering. */
export type UploadHandler = (exchange: Exchange<never>) => BodySink | undefined;

export interface Operation extends Route {
	readonly run: RouteHandler | UploadHandler;
	/**
	 * JSON object that the route takes; the default for POST is NO_BODY. Undefined: a body is discarded unless `run`
	 * returns a receiver for it.
	 */
	readonly body: BodyTable | undefined;
	/** Scope that the token must grant (auth/tokens.ts). SCOPE_NONE: the token is not checked. */
	readonly scope: number;
	/** True if the reply may wait for the meter or the radio; refused while it would occupy a port's last connection. */
	readonly waits: boolean;
	/** True if the route accesses the meter, which safe mode forbids. */
	readonly readsMeter: boolean;
	/** Settings that the route shows or changes. */
	readonly settings: SettingsTable;
}

/** Defaults, used as the prototype of all operations so that they are stored in flash once. */
const PLAIN: Omit<Operation, keyof Route | "run"> = Object.freeze({
	body: undefined,
	scope: SCOPE_FULL,
	waits: false,
	readsMeter: false,
	settings: NO_SETTINGS,
});

/** Makes a route; `own` overrides the defaults. */
export function route(
	method: number,
	path: string,
	run: Operation["run"],
	own: Partial<Omit<Operation, keyof Route | "run">> = {},
): Operation {
	const body = method === METHOD_POST ? { body: NO_BODY } : {};
	return Object.freeze(Object.setPrototypeOf({ method, path: `/api/v1/${path}`, run, ...body, ...own }, PLAIN));
}

/** Makes GET and POST routes for a group of settings. */
export function settingsRoutes(path: string, settings: SettingsTable): readonly Operation[] {
	return [
		route(METHOD_GET, path, getSettings, { settings }),
		route(METHOD_POST, path, postSettings, { body: settings, settings }),
	];
}
