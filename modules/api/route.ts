/** What a route of the API is: what runs, what body it wants, whether it needs a token; rows of the table in api.ts. */
import type { BodySink } from "../http/handler.js";
import { METHOD_GET, METHOD_POST } from "../http/request.js";
import type { Route } from "../http/router.js";
import { type BodyTable, type BodyValues, NO_BODY } from "./body.js";
import type { Exchange } from "./exchange.js";
import { getSettings, NO_SETTINGS, postSettings, type SettingsTable } from "./settings.js";

/** What a route does once the request has passed all checks. */
export type RouteHandler = (exchange: Exchange, values: BodyValues, settings: SettingsTable) => void;

/** Takes a body that is no JSON, or has answered already. */
export type UploadHandler = (exchange: Exchange) => BodySink | undefined;

export interface Operation extends Route {
	readonly run: RouteHandler | UploadHandler;
	/**
	 * The JSON object it wants: with POST it is NO_BODY if the row names none. Undefined: a body that comes is thrown away,
	 * unless `run` gives a sink for it.
	 */
	readonly body: BodyTable | undefined;
	/** Needs no token. */
	readonly open: boolean;
	/** It may wait long for something else than its client: not what the last place of a port is for. */
	readonly waits: boolean;
	/** Those that it shows or changes. */
	readonly settings: SettingsTable;
}

/** What most operations have: their prototype, so that it takes flash once and not for each. */
const PLAIN: Omit<Operation, keyof Route | "run"> = Object.freeze({
	body: undefined,
	open: false,
	waits: false,
	settings: NO_SETTINGS,
});

function row(method: number, path: string, own: Pick<Operation, "run"> & Partial<Operation>): Operation {
	const body = method === METHOD_POST ? { body: NO_BODY } : {};
	return Object.freeze(Object.setPrototypeOf({ method, path: `/api/v1/${path}`, ...body, ...own }, PLAIN));
}

export function route(method: number, path: string, run: RouteHandler, body?: BodyTable): Operation {
	return row(method, path, body === undefined ? { run } : { run, body });
}

/** Takes a file. */
export function uploadRoute(path: string, run: UploadHandler): Operation {
	return row(METHOD_POST, path, { run, body: undefined });
}

export function openRoute(method: number, path: string, run: RouteHandler, body?: BodyTable): Operation {
	return row(method, path, body === undefined ? { run, open: true } : { run, body, open: true });
}

/** Of what takes as long as the meter or the network does. */
export function waitingRoute(method: number, path: string, run: RouteHandler): Operation {
	return row(method, path, { run, waits: true });
}

/** GET and POST of a group of settings. */
export function settingsRoutes(path: string, settings: SettingsTable): readonly Operation[] {
	return [
		row(METHOD_GET, path, { run: getSettings, settings }),
		row(METHOD_POST, path, { run: postSettings, body: settings, settings }),
	];
}
