/**
 * The HTTP API: dispatches requests and performs the common checks, in this order: path, method, host and origin, token
 * and scope. After that, the server checks the size of the body, and ObjectReader (validate.ts) checks JSON and fields.
 */

import { SCOPE_NONE } from "../auth/scope.js";
import { lowerCase } from "../bytes/ascii.js";
import { ACCESS_POINT_ADDRESS } from "../bytes/ipv4.js";
import type { Core, Opened } from "../core/core.js";
import type { BodySink, HTTPHandler } from "../http/handler.js";
import { type HTTPRequest, METHOD_DELETE, METHOD_GET, METHOD_HEAD, METHOD_POST } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import { MATCH_METHOD, MATCH_NOT_FOUND, Router } from "../http/router.js";
import type { StaticFiles } from "../http/static.js";
import type { Cost } from "../io/memory.js";
import { SECURITY_CONTACT } from "../product/product.js";
import { NO_VALUES } from "./body.js";
import { ClaimedBody } from "./claimed-body.js";
import {
	BUSY,
	FORBIDDEN_ORIGIN,
	FORBIDDEN_SCOPE,
	fail,
	HTTPS_REQUIRED,
	METHOD_NOT_ALLOWED,
	NOT_FOUND,
	UNSUPPORTED,
} from "./errors.js";
import { Exchange, failUnauthorized, type RequestContext } from "./exchange.js";
import type { Operation } from "./route.js";
import { SECURITY_PATH, securityText } from "./security-text.js";
import { type BodyDone, ObjectReader } from "./validate.js";

export const SHORT_BODY = 2048;
export const SHORT_BODY_COST: Cost = Object.freeze({ slots: 200, chunkBytes: 3072 });
export const LONG_BODY_COST: Cost = Object.freeze({ slots: 400, chunkBytes: 8192 });

export interface RouteGroup {
	readonly routes: readonly Operation[];
	readonly open: Opened<unknown>["open"];
}

/** Addresses that are accepted in the Host field. */
export interface OwnAddresses {
	readonly address: { readonly ip: string } | undefined;
	/**
	 * Address in the Wi-Fi network, if the gateway also has one there because a user switched on Wi-Fi besides the
	 * cable.
	 */
	readonly station: { readonly ip: string } | undefined;
}

export interface PlainPages {
	/**
	 * Returns a receiver for the body, true if the request has been answered, or false if the request is for another
	 * page.
	 */
	answer(request: HTTPRequest, response: HTTPResponse): BodySink | boolean;
}

export interface APIOptions {
	readonly core: Core;
	readonly groups: readonly RouteGroup[];
	readonly page: StaticFiles;
	readonly network: OwnAddresses | undefined;
	readonly plainPages: PlainPages;
}

export class API implements HTTPHandler {
	readonly #core: Core;
	readonly #page: StaticFiles;
	readonly #network: OwnAddresses | undefined;
	readonly #plainPages: PlainPages;
	readonly #router: Router<Operation, RouteGroup>;

	constructor({ core, groups, page, network, plainPages }: APIOptions) {
		this.#core = core;
		this.#page = page;
		this.#network = network;
		this.#plainPages = plainPages;
		this.#router = new Router(groups);
	}

	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined {
		const { secure, host } = request;
		const isLetIn = secure || request.viaAccessPoint;
		// Over HTTPS the certificate authenticates the gateway, so any Host is valid.
		const isAstray = !secure && host !== undefined && !this.isOwn(host);
		const wantsPage = isForPage(request);
		if (!secure && !isAstray) {
			const answer = this.#plainPages.answer(request, response);
			if (answer !== false) return answer === true ? undefined : answer;
		}
		if (isLetIn && !isAstray && wantsPage) {
			if (this.#page.send(request, response)) return undefined;
			if (SECURITY_CONTACT !== "" && request.path === SECURITY_PATH) {
				const { info, text } = this.#core;
				response.lines("Content-Type: text/plain; charset=utf-8\r\n");
				response.sendText(200, securityText(SECURITY_CONTACT, info.builtUtcMs, text));
				return undefined;
			}
		}
		response.lines("Cache-Control: no-store\r\n");
		if (!isLetIn) {
			if (wantsPage) this.moveToHTTPS(request, response, isAstray);
			else this.fail(response, 403, HTTPS_REQUIRED, "The API is only served over HTTPS here.");
			return undefined;
		}
		if (isAstray && wantsPage) {
			// Captive portal: a device that probes for Internet access opens the page after this redirect.
			this.moveTo(response, 302, `http://${ACCESS_POINT_ADDRESS}${portSuffix(this.#core.httpPort, 80)}/`);
			return undefined;
		}
		const match = this.#router.find(request.method, request.path);
		const operation = match.route;
		if (match.kind === MATCH_NOT_FOUND) this.failWithoutRoute(request, response);
		else if (match.kind === MATCH_METHOD || operation === undefined) {
			response.header("Allow", match.allow);
			this.fail(response, 405, METHOD_NOT_ALLOWED, `This path supports ${match.allow}.`);
		} else if (isAstray) {
			// DNS rebinding: a foreign page's host name resolves to this gateway, so its Origin equals its Host.
			this.fail(response, 403, FORBIDDEN_ORIGIN, "Unknown Host header. Use this gateway's host name or IP address.");
		} else if (!isSameOrigin(request)) {
			this.fail(response, 403, FORBIDDEN_ORIGIN, "Requests from other websites' pages are refused.");
		} else {
			const token = operation.scope === SCOPE_NONE ? "" : tokenOf(request);
			if (!this.admit(operation, token, response)) return undefined;
			const part = match.group && this.#core.find(match.group);
			return this.run(operation, request, response, { part, token, parameter: match.parameter });
		}
		return undefined;
	}

	private failWithoutRoute({ path }: HTTPRequest, response: HTTPResponse): void {
		if (this.#page.has(path)) {
			response.header("Allow", "GET, HEAD");
			this.fail(response, 405, METHOD_NOT_ALLOWED, "This path supports GET, HEAD.");
		} else this.fail(response, 404, NOT_FOUND, "Unknown path.");
	}

	private admit({ scope, waits }: Operation, token: string, response: HTTPResponse): boolean {
		if (scope === SCOPE_NONE) return true;
		const granted = this.#core.scopeOf(token);
		if (granted === SCOPE_NONE) {
			failUnauthorized(this.#core.writer, response, this.#core.hostname);
			return false;
		}
		response.authenticated();
		this.#core.saving?.requestReceived();
		if (granted < scope) {
			this.fail(response, 403, FORBIDDEN_SCOPE, "This token is read-only; a token with full scope is required.");
			return false;
		}
		if (!waits || !response.isOnLastPlace) return true;
		response.header("Retry-After", "5");
		this.fail(response, 503, BUSY, "Too many pending requests; retry in a few seconds.");
		return false;
	}

	private run(
		{ run, body, settings, readsMeter }: Operation,
		request: HTTPRequest,
		response: HTTPResponse,
		context: RequestContext,
	): BodySink | undefined {
		const core = this.#core;
		const exchange = new Exchange<never>(core, request, response, context);
		if (readsMeter && core.safeMode !== "") {
			exchange.fail(501, UNSUPPORTED, "No meter is read in safe mode; restart the device to leave it.");
			return undefined;
		}
		// A request without a body needs no memory for one.
		if (body === undefined || (body.mayBeMissing && request.contentLength === 0))
			return run(exchange, NO_VALUES, settings) ?? undefined;
		const { long, limit } = body;
		const done: BodyDone = (values, code, message, field) => {
			if (code === "") run(exchange, values, settings);
			else exchange.fail(400, code, message, field);
		};
		const open = () => new ObjectReader(body, core.text, done, long && (() => long.open(core, exchange.part)));
		const sink = ClaimedBody.open(exchange, limit > SHORT_BODY ? LONG_BODY_COST : SHORT_BODY_COST, open);
		if (sink === undefined) exchange.busy();
		return sink;
	}

	/** Redirects to HTTPS, on the requested host if it is this gateway, otherwise on the gateway's IP address. */
	private moveToHTTPS({ host, target }: HTTPRequest, response: HTTPResponse, isAstray: boolean): void {
		const { hostname, httpsPort } = this.#core;
		const own = host === undefined || isAstray ? undefined : withoutPort(host);
		const name = own ?? this.#network?.address?.ip ?? `${hostname}.local`;
		this.moveTo(response, 301, `https://${name}${portSuffix(httpsPort, 443)}${target}`);
	}

	/**
	 * Returns whether `requested` names this gateway. Any port is valid, because a tunnel may use another one. Loopback
	 * names are allowed for the simulator.
	 */
	private isOwn(requested: string): boolean {
		const network = this.#network;
		const host = lowerCase(withoutPort(requested));
		const own = lowerCase(this.#core.hostname);
		if (host === own || host === `${own}.local` || host === ACCESS_POINT_ADDRESS) return true;
		return host === network?.address?.ip || host === network?.station?.ip || LOOPBACK.includes(host);
	}

	private moveTo(response: HTTPResponse, status: number, location: string): void {
		response.header("Location", location);
		response.send(status);
	}

	private fail(response: HTTPResponse, status: number, code: string, message: string): void {
		fail(this.#core.writer, response, status, code, message);
	}
}

const LOOPBACK = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

function isForPage({ method, path }: HTTPRequest): boolean {
	return !path.startsWith("/api/") && (method === METHOD_GET || method === METHOD_HEAD);
}

/** Returns the host without `:port`. The host may also be an IPv6 address in brackets. */
export function withoutPort(host: string): string {
	const colon = host.indexOf(":", host.indexOf("]") + 1);
	return colon < 0 || host.indexOf(":", colon + 1) >= 0 ? host : host.slice(0, colon);
}

function portSuffix(port: number, usual: number): string {
	return port === usual ? "" : `:${port}`;
}

/** Returns false for a POST or DELETE that a page of another website sends. */
function isSameOrigin(request: HTTPRequest): boolean {
	if (request.method !== METHOD_POST && request.method !== METHOD_DELETE) return true;
	const origin = request.header("origin");
	if (origin === undefined) return true;
	return lowerCase(origin) === lowerCase(`${request.secure ? "https" : "http"}://${request.host ?? ""}`);
}

/** Returns the token in the Authorization field, or "". `Bearer` is case-sensitive (API text, Authentication 1). */
function tokenOf(request: HTTPRequest): string {
	const value = request.header("authorization");
	return value?.startsWith("Bearer ") ? value.slice(7) : "";
}
