/**
 * Finds the route for a request. The path of a route is fixed, or ends in a `<parameter>`, which stands for a name
 * without a slash. The table of routes has no index, so it can stay in flash.
 */
import { METHOD_GET, METHOD_HEAD, METHOD_NAMES } from "./request.js";

export interface Route {
	readonly method: number;
	/** Path of the form `/a/b` or `/a/<name>`. */
	readonly path: string;
}

export const MATCH_FOUND = 0;
/** No route has this path; the reply is 404. */
export const MATCH_NOT_FOUND = 1;
/** Only routes with other methods have this path; the reply is 405, and `allow` has the methods. */
export const MATCH_METHOD = 2;

const BRACE = "<";

export interface Routes<R extends Route> {
	readonly routes: readonly R[];
}

export interface RouteMatch<R extends Route, Group extends Routes<R>> {
	readonly kind: number;
	/** Route that was found. It is undefined if none was found, and so is `group`. */
	readonly route: R | undefined;
	readonly group: Group | undefined;
	readonly parameter: string;
	readonly allow: string;
}

export class Router<R extends Route, Group extends Routes<R> = Routes<R>> {
	readonly #groups: readonly Group[];

	constructor(groups: readonly Group[]) {
		this.#groups = groups;
	}

	/** Finds the route for a decoded path. Routes without a parameter take precedence. */
	find(method: number, path: string): RouteMatch<R, Group> {
		// A path with `<` is not compared with fixed paths, because it could equal the text `/a/<name>` of a route.
		const exact = path.indexOf(BRACE) < 0 ? this.findExact(method, path) : undefined;
		return exact ?? this.findWithParameter(method, path) ?? NOT_FOUND;
	}

	private findExact(method: number, path: string): RouteMatch<R, Group> | undefined {
		let allow = "";
		for (const group of this.#groups) {
			const { routes } = group;
			const count = routes.length;
			for (let i = 0; i < count; i++) {
				const route = routes[i];
				if (route.path !== path) continue;
				if (takes(route, method)) return { kind: MATCH_FOUND, route, group, parameter: "", allow };
				allow = withMethod(allow, route);
			}
		}
		return allow === "" ? undefined : { kind: MATCH_METHOD, route: undefined, group: undefined, parameter: "", allow };
	}

	private findWithParameter(method: number, path: string): RouteMatch<R, Group> | undefined {
		const segments = path.split("/");
		const parameter = segments[segments.length - 1];
		const slash = path.length - parameter.length;
		if (parameter === "") return undefined;
		const brace = BRACE;
		let allow = "";
		for (const group of this.#groups) {
			const { routes } = group;
			for (let i = 0; i < routes.length; i++) {
				const route = routes[i];
				if (route.path.indexOf(brace) !== slash || !path.startsWith(route.path.slice(0, slash))) continue;
				if (takes(route, method)) return { kind: MATCH_FOUND, route, group, parameter, allow };
				allow = withMethod(allow, route);
			}
		}
		return allow === "" ? undefined : { kind: MATCH_METHOD, route: undefined, group: undefined, parameter, allow };
	}
}

function takes({ method }: Route, requested: number): boolean {
	return method === requested || (requested === METHOD_HEAD && method === METHOD_GET);
}

function withMethod(allow: string, { method }: Route): string {
	const names = method === METHOD_GET ? "GET, HEAD" : METHOD_NAMES[method];
	return allow === "" ? names : `${allow}, ${names}`;
}

const NOT_FOUND: RouteMatch<never, never> = Object.freeze({
	kind: MATCH_NOT_FOUND,
	route: undefined,
	group: undefined,
	parameter: "",
	allow: "",
});
