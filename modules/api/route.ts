/** One route of the API: its handler, the body it takes, the token it needs. Parts list theirs in routes.ts. */
import { SCOPE_FULL } from "../auth/tokens.js";
import type { BodySink } from "../http/handler.js";
import { METHOD_GET, METHOD_POST } from "../http/request.js";
import type { Route } from "../http/router.js";
import { type BodyTable, type BodyValues, NO_BODY } from "./body.js";
import type { Exchange } from "./exchange.js";
import { getSettings, NO_SETTINGS, postSettings, type SettingsTable } from "./settings.js";

/** What a route does once the request has passed all checks. */
export type RouteHandler = (exchange: Exchange<never>, values: BodyValues, settings: SettingsTable) => void;

/** Takes a body that is no JSON, or has answered already. */
export type UploadHandler = (exchange: Exchange<never>) => BodySink | undefined;

export interface Operation extends Route {
	readonly run: RouteHandler | UploadHandler;
	/**
	 * The JSON object it wants: with POST it is NO_BODY if the row names none. Undefined: a body that comes is thrown away,
	 * unless `run` gives a sink for it.
	 */
	readonly body: BodyTable | undefined;
	/** What its token must let do (auth/tokens.ts); SCOPE_NONE: it needs none, and looks at none. */
	readonly scope: number;
	/** It may wait long for something else than its client: not what the last place of a port is for. */
	readonly waits: boolean;
	/** It talks to the meter, which nothing does in safe mode. */
	readonly readsMeter: boolean;
	/** Those that it shows or changes. */
	readonly settings: SettingsTable;
}

/** What most operations have: their prototype, so that it takes flash once and not for each. */
const PLAIN: Omit<Operation, keyof Route | "run"> = Object.freeze({
	body: undefined,
	scope: SCOPE_FULL,
	waits: false,
	readsMeter: false,
	settings: NO_SETTINGS,
});

/** A row; `own` is what it has that others haven't. */
export function route(
	method: number,
	path: string,
	run: Operation["run"],
	own: Partial<Omit<Operation, keyof Route | "run">> = {},
): Operation {
	const body = method === METHOD_POST ? { body: NO_BODY } : {};
	return Object.freeze(Object.setPrototypeOf({ method, path: `/api/v1/${path}`, run, ...body, ...own }, PLAIN));
}

/** GET and POST of a group of settings. */
export function settingsRoutes(path: string, settings: SettingsTable): readonly Operation[] {
	return [
		route(METHOD_GET, path, getSettings, { settings }),
		route(METHOD_POST, path, postSettings, { body: settings, settings }),
	];
}
