/** API routes: handler, body and required scope. */
import { SCOPE_FULL } from "../auth/scope.js";
import type { BodySink } from "../http/handler.js";
import { METHOD_GET, METHOD_POST } from "../http/request.js";
import type { Route } from "../http/router.js";
import { type BodyTable, type BodyValues, NO_BODY } from "./body.js";
import type { Exchange } from "./exchange.js";
import { getSettings, NO_SETTINGS, postSettings, type SettingsTable } from "./settings.js";

export type RouteHandler = (exchange: Exchange<never>, values: BodyValues, settings: SettingsTable) => void;

/**
 * Handler of a request whose body is not JSON. Returns a receiver for the body, or undefined if the handler has already
 * answered the request.
 */
export type UploadHandler = (exchange: Exchange<never>) => BodySink | undefined;

export interface Operation extends Route {
	readonly run: RouteHandler | UploadHandler;
	/**
	 * Table of the expected JSON object. The default of a POST is NO_BODY. Undefined: the request has no JSON body, and
	 * `run` may return a receiver for the body.
	 */
	readonly body: BodyTable | undefined;
	/** Required scope (auth/tokens.ts); SCOPE_NONE ignores tokens. */
	readonly scope: number;
	/**
	 * True if the reply may wait for the meter or the radio. Such a request is refused on the last free connection of a
	 * port.
	 */
	readonly waits: boolean;
	/** True if the operation is refused in safe mode. */
	readonly readsMeter: boolean;
	readonly settings: SettingsTable;
}

/** Default members. They are the prototype of all operations, so they take flash only once. */
const PLAIN: Omit<Operation, keyof Route | "run"> = Object.freeze({
	body: undefined,
	scope: SCOPE_FULL,
	waits: false,
	readsMeter: false,
	settings: NO_SETTINGS,
});

export function route(
	method: number,
	path: string,
	run: Operation["run"],
	own: Partial<Omit<Operation, keyof Route | "run">> = {},
): Operation {
	const body = method === METHOD_POST ? { body: NO_BODY } : {};
	return Object.freeze(Object.setPrototypeOf({ method, path: `/api/v1/${path}`, run, ...body, ...own }, PLAIN));
}

/** Returns the GET and the POST of a group of settings. `scope` is the scope that the GET requires. */
export function settingsRoutes(path: string, settings: SettingsTable, scope = SCOPE_FULL): readonly Operation[] {
	return [
		route(METHOD_GET, path, getSettings, { settings, scope }),
		route(METHOD_POST, path, postSettings, { body: settings, settings }),
	];
}
