/**
 * Which route a request is for. A route's path is exact, or ends in one `<parameter>` segment that takes any text
 * without a slash. HEAD goes where GET goes. The table can stand in flash: nothing is made from it.
 */
import { METHOD_GET, METHOD_HEAD, METHOD_NAMES } from "./request.js";

export interface Route<T> {
	/** METHOD_… */
	readonly method: number;
	/** `/a/b` or `/a/<name>` */
	readonly path: string;
	readonly value: T;
}

/** The route was found. */
export const MATCH_FOUND = 0;
/** No route has this path: 404. */
export const MATCH_NOT_FOUND = 1;
/** The path has routes for other methods only: 405, with `allow` in the Allow field. */
export const MATCH_METHOD = 2;

export interface RouteMatch<T> {
	/** MATCH_… */
	readonly kind: number;
	readonly route: Route<T> | undefined;
	/** What stood in place of `<parameter>`; empty for an exact path. */
	readonly parameter: string;
	/** Methods that the path has, as the Allow field wants them. */
	readonly allow: string;
}

export class Router<T> {
	readonly #routes: readonly Route<T>[];

	constructor(routes: readonly Route<T>[]) {
		this.#routes = routes;
	}

	/** `path` is decoded; exact paths go before those with a parameter. */
	find(method: number, path: string): RouteMatch<T> {
		return this.findAmong(method, path, false) ?? this.findAmong(method, path, true) ?? NOT_FOUND;
	}

	private findAmong(method: number, path: string, withParameter: boolean): RouteMatch<T> | undefined {
		const slash = path.lastIndexOf("/") + 1;
		const parameter = withParameter ? path.slice(slash) : "";
		if (withParameter && parameter === "") return undefined;
		let allow = "";
		for (let i = 0; i < this.#routes.length; i++) {
			const route = this.#routes[i];
			const opening = route.path.indexOf("<");
			if (withParameter) {
				if (opening !== slash || !path.startsWith(route.path.slice(0, opening))) continue;
			} else if (opening >= 0 || route.path !== path) {
				continue;
			}
			if (route.method === method || (method === METHOD_HEAD && route.method === METHOD_GET)) {
				return { kind: MATCH_FOUND, route, parameter, allow };
			}
			const names = route.method === METHOD_GET ? "GET, HEAD" : METHOD_NAMES[route.method];
			allow = allow === "" ? names : `${allow}, ${names}`;
		}
		return allow === "" ? undefined : { kind: MATCH_METHOD, route: undefined, parameter, allow };
	}
}

const NOT_FOUND: RouteMatch<never> = Object.freeze({
	kind: MATCH_NOT_FOUND,
	route: undefined,
	parameter: "",
	allow: "",
});
