/**
 * The HTTP API: its routes, and the checks every request passes before its route sees it, in the order of decision 2:
 * path, method, origin, token, and, by the server and ObjectReader, size, JSON, fields.
 */

import { lowerCase } from "../bytes/ascii.js";
import { ACCESS_POINT_ADDRESS, parseIPv4 } from "../bytes/ipv4.js";
import type { BodySink, HTTPHandler } from "../http/handler.js";
import { type HTTPRequest, METHOD_DELETE, METHOD_GET, METHOD_HEAD, METHOD_POST } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import { MATCH_METHOD, MATCH_NOT_FOUND, type Route, Router } from "../http/router.js";
import { getChallenge, LOGIN_BODY, PASSWORD_BODY, postLogin, postLogout, postPassword } from "./access.js";
import { NO_VALUES } from "./body.js";
import { getCertificate, postCertificate, postCertificateReset } from "./certificate.js";
import { CLOCK_BODY, getClock, postClock, TIMEZONE_SETTINGS } from "./clock.js";
import { DLMS_OBIS_BODY, DLMS_SETTINGS, getPollList, postPollList } from "./dlms.js";
import { FORBIDDEN_ORIGIN, fail, HTTPS_REQUIRED, METHOD_NOT_ALLOWED, NOT_FOUND, UNAUTHORIZED } from "./errors.js";
import { type Admission, Exchange, type Services } from "./exchange.js";
import { getHubSend, HUB_SETTINGS } from "./hub.js";
import { getLast, getLog, getRead, postProbe } from "./meter.js";
import { CONTROL_SETTINGS, IEC62056_SETTINGS, PROTOCOL_SETTINGS } from "./meter-settings.js";
import { getNetworkStatus, getScan } from "./network.js";
import {
	AP_BODY,
	FALLBACK_AP_SETTINGS,
	postAccessPoint,
	postWiFi,
	WIFI_BODY,
	WIFI_ENABLED_SETTINGS,
} from "./network-settings.js";
import { type Operation, openRoute, route, settingsRoutes } from "./route.js";
import { SCHEDULE_SETTINGS } from "./schedule.js";
import { getStatus, getVersion, POWER_MODE_SETTINGS, postFactoryReset, postReboot } from "./system.js";
import { deleteSession, deleteToken, getSessions, getTokens, postToken, TOKEN_BODY } from "./tokens.js";
import { type BodyDone, ObjectReader } from "./validate.js";
import {
	getZigbee,
	getZigbeeMap,
	postZigbee,
	postZigbeeMap,
	postZigbeeReset,
	ZIGBEE_BODY,
	ZIGBEE_MAP_BODY,
} from "./zigbee.js";

export const ROUTES: readonly Route<Operation>[] = Object.freeze([
	openRoute(METHOD_GET, "system/challenge", getChallenge),
	openRoute(METHOD_POST, "system/login", postLogin, LOGIN_BODY),
	openRoute(METHOD_POST, "system/password", postPassword, PASSWORD_BODY),
	route(METHOD_POST, "system/logout", postLogout),
	route(METHOD_GET, "system/tokens", getTokens),
	route(METHOD_POST, "system/tokens", postToken, TOKEN_BODY),
	route(METHOD_DELETE, "system/tokens/<id>", deleteToken),
	route(METHOD_GET, "system/sessions", getSessions),
	route(METHOD_DELETE, "system/sessions/<id>", deleteSession),
	route(METHOD_GET, "system/version", getVersion),
	route(METHOD_GET, "system/status", getStatus),
	...settingsRoutes("system/power_mode", POWER_MODE_SETTINGS),
	route(METHOD_POST, "system/reboot", postReboot),
	route(METHOD_POST, "system/factory_reset", postFactoryReset),
	route(METHOD_GET, "system/certificate", getCertificate),
	route(METHOD_POST, "system/certificate", postCertificate),
	route(METHOD_POST, "system/certificate/reset", postCertificateReset),
	route(METHOD_GET, "system/clock", getClock),
	route(METHOD_POST, "system/clock", postClock, CLOCK_BODY),
	...settingsRoutes("system/timezone", TIMEZONE_SETTINGS),
	route(METHOD_GET, "network/status", getNetworkStatus),
	route(METHOD_GET, "network/scan", getScan),
	route(METHOD_POST, "network/wifi", postWiFi, WIFI_BODY),
	route(METHOD_POST, "network/ap", postAccessPoint, AP_BODY),
	...settingsRoutes("network/fallback-ap", FALLBACK_AP_SETTINGS),
	...settingsRoutes("network/wifi-enabled", WIFI_ENABLED_SETTINGS),
	...settingsRoutes("meter/protocol", PROTOCOL_SETTINGS),
	route(METHOD_POST, "meter/probe", postProbe),
	route(METHOD_GET, "iec62056/read", getRead),
	route(METHOD_GET, "iec62056/last", getLast),
	...settingsRoutes("iec62056/config", IEC62056_SETTINGS),
	...settingsRoutes("iec62056/control", CONTROL_SETTINGS),
	route(METHOD_GET, "iec62056/log", getLog),
	...settingsRoutes("iec62056/schedule", SCHEDULE_SETTINGS),
	...settingsRoutes("dlms/config", DLMS_SETTINGS),
	route(METHOD_GET, "dlms/obis", getPollList),
	route(METHOD_POST, "dlms/obis", postPollList, DLMS_OBIS_BODY),
	route(METHOD_GET, "zigbee/config", getZigbee),
	route(METHOD_POST, "zigbee/config", postZigbee, ZIGBEE_BODY),
	route(METHOD_POST, "zigbee/reset", postZigbeeReset),
	route(METHOD_GET, "zigbee/map", getZigbeeMap),
	route(METHOD_POST, "zigbee/map", postZigbeeMap, ZIGBEE_MAP_BODY),
	...settingsRoutes("hub", HUB_SETTINGS),
	route(METHOD_GET, "hub/send", getHubSend),
]);

export class API implements HTTPHandler {
	readonly #services: Services;
	readonly #router = new Router(ROUTES);

	constructor(services: Services) {
		this.#services = services;
	}

	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined {
		const isLetIn = request.secure || request.viaAccessPoint;
		const isAstray = isLetIn && !request.secure && this.isAstray(request);
		if (isLetIn && !isAstray && isForPage(request) && this.#services.page.send(request, response)) return undefined;
		response.lines("Cache-Control: no-store\r\n");
		if (!isLetIn) {
			this.refusePlain(request, response);
			return undefined;
		}
		if (isAstray) {
			this.moveTo(response, 302, `http://${ACCESS_POINT_ADDRESS}${portSuffix(this.#services.device.httpPort, 80)}/`);
			return undefined;
		}
		const match = this.#router.find(request.method, request.path);
		const operation = match.route?.value;
		if (match.kind === MATCH_NOT_FOUND) this.failWithoutRoute(request, response);
		else if (match.kind === MATCH_METHOD || operation === undefined) {
			response.header("Allow", match.allow);
			this.fail(response, 405, METHOD_NOT_ALLOWED, `This path takes ${match.allow}.`);
		} else if (!isSameOrigin(request)) {
			this.fail(response, 403, FORBIDDEN_ORIGIN, "Requests from another web site's pages are refused.");
		} else {
			const token = operation.open ? "" : tokenOf(request);
			if (operation.open || this.isValid(token))
				return this.run(operation, request, response, { token, parameter: match.parameter });
			response.header("WWW-Authenticate", `Bearer realm="${this.#services.networkSettings.hostname}"`);
			this.fail(response, 401, UNAUTHORIZED, "A valid token is needed; log in first.");
		}
		return undefined;
	}

	private failWithoutRoute({ path }: HTTPRequest, response: HTTPResponse): void {
		if (this.#services.page.has(path)) {
			response.header("Allow", "GET, HEAD");
			this.fail(response, 405, METHOD_NOT_ALLOWED, "This path takes GET, HEAD.");
		} else this.fail(response, 404, NOT_FOUND, "There is nothing at this path.");
	}

	private isValid(token: string): boolean {
		return this.#services.sessions.isValid(token) || this.#services.tokens.isValid(token);
	}

	private run(
		{ run, body, settings }: Operation,
		request: HTTPRequest,
		response: HTTPResponse,
		admission: Admission,
	): BodySink | undefined {
		const exchange = new Exchange(this.#services, request, response, admission);
		if (body === undefined) return run(exchange, NO_VALUES, settings) ?? undefined;
		const { long } = body;
		const done: BodyDone = (values, code, message, field) => {
			if (code === "") run(exchange, values, settings);
			else exchange.fail(400, code, message, field);
		};
		return new ObjectReader(body, this.#services.text, done, long && (() => long.open(this.#services)));
	}

	/** Plain HTTP from anywhere but the access point's own network: pages move to HTTPS, the API refuses (decision 37). */
	private refusePlain(request: HTTPRequest, response: HTTPResponse): void {
		if (isForPage(request) && request.host !== undefined) {
			const port = portSuffix(this.#services.device.httpsPort, 443);
			this.moveTo(response, 301, `https://${withoutPort(request.host)}${port}/`);
		} else this.fail(response, 403, HTTPS_REQUIRED, "The API is only served over HTTPS here.");
	}

	/**
	 * A phone or a laptop in our access point's network that looks for the internet: all names lead here, and it opens
	 * our page when it is led to another address than it asked for (decision 38).
	 */
	private isAstray(request: HTTPRequest): boolean {
		if (!isForPage(request)) return false;
		const asked = request.host;
		if (asked === undefined) return false;
		const host = lowerCase(withoutPort(asked));
		const own = lowerCase(this.#services.networkSettings.hostname);
		return host !== own && host !== `${own}.local` && host !== "localhost" && parseIPv4(host) < 0;
	}

	private moveTo(response: HTTPResponse, status: number, location: string): void {
		response.header("Location", location);
		response.send(status);
	}

	private fail(response: HTTPResponse, status: number, code: string, message: string): void {
		fail(this.#services.writer, response, status, code, message);
	}
}

const COLON = 0x3a;

/** Whether a browser asks for a page or a part of one, not a program for the API. */
function isForPage({ method, path }: HTTPRequest): boolean {
	return !path.startsWith("/api/") && (method === METHOD_GET || method === METHOD_HEAD);
}

/** A host as a request names it, without the `:` and digits at its end. */
export function withoutPort(host: string): string {
	let at = host.length;
	while (at > 0 && isDigit(host.charCodeAt(at - 1))) at--;
	return at > 0 && at < host.length && host.charCodeAt(at - 1) === COLON ? host.slice(0, at - 1) : host;
}

function isDigit(character: number): boolean {
	return character >= 0x30 && character <= 0x39;
}

/** What stands behind the host in an address. */
function portSuffix(port: number, usual: number): string {
	return port === usual ? "" : `:${port}`;
}

/** A page of another site must not change anything: with an Origin, a POST or DELETE must name this very server. */
function isSameOrigin(request: HTTPRequest): boolean {
	if (request.method !== METHOD_POST && request.method !== METHOD_DELETE) return true;
	const origin = request.header("origin");
	if (origin === undefined) return true;
	return lowerCase(origin) === lowerCase(`${request.secure ? "https" : "http"}://${request.host ?? ""}`);
}

/** The token of an Authorization field, "" without one. The word Bearer is exact (API text, Authentication 1). */
function tokenOf(request: HTTPRequest): string {
	const value = request.header("authorization");
	return value?.startsWith("Bearer ") ? value.slice(7) : "";
}
