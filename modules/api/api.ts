/**
 * The HTTP API: its routes, and the checks every request passes before its route sees it, in the order of decision 2:
 * path, method, host and origin, token and its scope, and, by the server and ObjectReader, size, JSON, fields.
 */

import { SCOPE_NONE, SCOPE_READ } from "../auth/tokens.js";
import { lowerCase } from "../bytes/ascii.js";
import { ACCESS_POINT_ADDRESS } from "../bytes/ipv4.js";
import type { BodySink, HTTPHandler } from "../http/handler.js";
import { type HTTPRequest, METHOD_DELETE, METHOD_GET, METHOD_HEAD, METHOD_POST } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import { MATCH_METHOD, MATCH_NOT_FOUND, Router } from "../http/router.js";
import { LONG_BODY_COST, SHORT_BODY, SHORT_BODY_COST } from "../io/memory.js";
import { getChallenge, LOGIN_BODY, PASSWORD_BODY, postLogin, postLogout, postPassword } from "../auth/routes/login.js";
import { getBackup } from "./backup.js";
import { NO_BODY, NO_VALUES } from "./body.js";
import { getCertificate, postCertificate, postCertificateReset } from "../certificate/routes.js";
import { ClaimedBody } from "./claimed-body.js";
import { CLOCK_BODY, getClock, postClock, TIMEZONE_SETTINGS } from "../time/routes.js";
import { getDiagnostic } from "./diagnostic.js";
import { DLMS_OBIS_BODY, DLMS_SETTINGS, getPollList, postPollList } from "../meter/routes/dlms.js";
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
import { ETHERNET_SETTINGS } from "../wifi/routes/ethernet.js";
import { getEventLog } from "./event-log.js";
import { getEvents } from "./event-stream.js";
import { Exchange, failUnauthorized, type RequestContext, type Services, scopeOfToken } from "./exchange.js";
import { postFirmware } from "../ota/routes/firmware.js";
import { getHistory } from "../history/routes.js";
import { getHubSend, HUB_SETTINGS } from "../hub/routes.js";
import { deletePIN, getLast, getLog, getRead, PIN_BODY, postPIN, postProbe } from "../meter/routes/readout.js";
import { CONTROL_SETTINGS, IEC62056_SETTINGS, PROTOCOL_SETTINGS } from "../meter/routes/settings.js";
import { getMetrics } from "./metrics.js";
import { getMQTTSend, MQTT_SETTINGS } from "../mqtt/routes.js";
import { getNetworkStatus, getScan } from "../wifi/routes/status.js";
import {
	AP_BODY,
	FALLBACK_AP_SETTINGS,
	postAccessPoint,
	postWiFi,
	WIFI_BODY,
	WIFI_ENABLED_SETTINGS,
} from "../wifi/routes/settings.js";
import { getProfile } from "../meter/routes/profile.js";
import { postBackup } from "./restore.js";
import { type Operation, route, settingsRoutes } from "./route.js";
import { SCHEDULE_SETTINGS } from "../meter/routes/schedule.js";
import { getStatus, getVersion, POWER_MODE_SETTINGS, postFactoryReset, postReboot } from "./system.js";
import { deleteSession, deleteToken, getSessions, getTokens, postToken, TOKEN_BODY } from "../auth/routes/tokens.js";
import { UPGRADE_SETTINGS } from "../ota/routes/upgrade.js";
import { type BodyDone, ObjectReader } from "./validate.js";
import {
	getZigbee,
	getZigbeeMap,
	postZigbee,
	postZigbeeMap,
	postZigbeeReset,
	ZIGBEE_MAP_BODY,
	ZIGBEE_SETTINGS,
} from "../zigbee/routes.js";

export const ROUTES: readonly Operation[] = Object.freeze([
	route(METHOD_GET, "system/challenge", getChallenge, { scope: SCOPE_NONE }),
	route(METHOD_POST, "system/login", postLogin, { scope: SCOPE_NONE, body: LOGIN_BODY }),
	route(METHOD_POST, "system/password", postPassword, { scope: SCOPE_NONE, body: PASSWORD_BODY }),
	route(METHOD_POST, "system/logout", postLogout),
	route(METHOD_GET, "system/tokens", getTokens),
	route(METHOD_POST, "system/tokens", postToken, { body: TOKEN_BODY }),
	route(METHOD_DELETE, "system/tokens/<id>", deleteToken),
	route(METHOD_GET, "system/sessions", getSessions),
	route(METHOD_DELETE, "system/sessions/<id>", deleteSession),
	route(METHOD_GET, "system/version", getVersion, { scope: SCOPE_READ }),
	route(METHOD_GET, "system/status", getStatus, { scope: SCOPE_READ }),
	...settingsRoutes("system/power_mode", POWER_MODE_SETTINGS),
	route(METHOD_POST, "system/reboot", postReboot),
	route(METHOD_POST, "system/factory_reset", postFactoryReset),
	route(METHOD_GET, "system/certificate", getCertificate),
	route(METHOD_POST, "system/certificate", postCertificate, { body: undefined }),
	route(METHOD_POST, "system/certificate/reset", postCertificateReset),
	route(METHOD_GET, "system/clock", getClock),
	route(METHOD_POST, "system/clock", postClock, { body: CLOCK_BODY }),
	...settingsRoutes("system/timezone", TIMEZONE_SETTINGS),
	route(METHOD_GET, "network/status", getNetworkStatus, { scope: SCOPE_READ }),
	route(METHOD_GET, "network/scan", getScan, { waits: true }),
	route(METHOD_POST, "network/wifi", postWiFi, { body: WIFI_BODY }),
	route(METHOD_POST, "network/ap", postAccessPoint, { body: AP_BODY }),
	...settingsRoutes("network/fallback-ap", FALLBACK_AP_SETTINGS),
	...settingsRoutes("network/wifi-enabled", WIFI_ENABLED_SETTINGS),
	...settingsRoutes("network/ethernet", ETHERNET_SETTINGS),
	...settingsRoutes("meter/protocol", PROTOCOL_SETTINGS),
	route(METHOD_POST, "meter/probe", postProbe, { waits: true, readsMeter: true }),
	route(METHOD_POST, "meter/pin", postPIN, { body: PIN_BODY, readsMeter: true }),
	route(METHOD_DELETE, "meter/pin", deletePIN),
	route(METHOD_GET, "iec62056/read", getRead, { scope: SCOPE_READ, waits: true, readsMeter: true }),
	route(METHOD_GET, "meter/profile", getProfile, { scope: SCOPE_READ, waits: true, readsMeter: true }),
	route(METHOD_GET, "iec62056/last", getLast, { scope: SCOPE_READ }),
	route(METHOD_GET, "meter/history", getHistory, { scope: SCOPE_READ }),
	...settingsRoutes("iec62056/config", IEC62056_SETTINGS),
	...settingsRoutes("iec62056/control", CONTROL_SETTINGS),
	route(METHOD_GET, "iec62056/log", getLog),
	...settingsRoutes("iec62056/schedule", SCHEDULE_SETTINGS),
	...settingsRoutes("dlms/config", DLMS_SETTINGS),
	route(METHOD_GET, "dlms/obis", getPollList),
	route(METHOD_POST, "dlms/obis", postPollList, { body: DLMS_OBIS_BODY }),
	route(METHOD_GET, "zigbee/config", getZigbee),
	route(METHOD_POST, "zigbee/config", postZigbee, { body: ZIGBEE_SETTINGS }),
	route(METHOD_POST, "zigbee/reset", postZigbeeReset),
	route(METHOD_GET, "zigbee/map", getZigbeeMap),
	route(METHOD_POST, "zigbee/map", postZigbeeMap, { body: ZIGBEE_MAP_BODY }),
	...settingsRoutes("hub", HUB_SETTINGS),
	route(METHOD_GET, "hub/send", getHubSend, { waits: true }),
	route(METHOD_POST, "system/ota", postFirmware, { body: undefined }),
	route(METHOD_GET, "system/diagnostic", getDiagnostic),
	route(METHOD_GET, "system/log", getEventLog),
	route(METHOD_GET, "system/backup", getBackup),
	route(METHOD_POST, "system/backup", postBackup, { body: undefined }),
	route(METHOD_GET, "metrics", getMetrics, { scope: SCOPE_READ }),
	route(METHOD_GET, "events", getEvents, { scope: SCOPE_READ, waits: true }),
	...settingsRoutes("system/upgrade", UPGRADE_SETTINGS),
	...settingsRoutes("mqtt", MQTT_SETTINGS),
	route(METHOD_GET, "mqtt/send", getMQTTSend, { waits: true }),
]);

export class API implements HTTPHandler {
	readonly #services: Services;
	readonly #router = new Router(ROUTES);

	constructor(services: Services) {
		this.#services = services;
	}

	begin(request: HTTPRequest, response: HTTPResponse): BodySink | undefined {
		const { secure, host } = request;
		const isLetIn = secure || request.viaAccessPoint;
		// Over HTTPS the certificate says who answers.
		const isAstray = !secure && host !== undefined && !this.isOwn(host);
		const wantsPage = isForPage(request);
		if (isLetIn && !isAstray && wantsPage && this.#services.page.send(request, response)) return undefined;
		response.lines("Cache-Control: no-store\r\n");
		if (!isLetIn) {
			if (wantsPage) this.moveToHTTPS(request, response, isAstray);
			else this.fail(response, 403, HTTPS_REQUIRED, "The API is only served over HTTPS here.");
			return undefined;
		}
		if (isAstray && wantsPage) {
			// A phone or a laptop that looks for the internet: it opens our page when it is led elsewhere (decision 38).
			this.moveTo(response, 302, `http://${ACCESS_POINT_ADDRESS}${portSuffix(this.#services.device.httpPort, 80)}/`);
			return undefined;
		}
		const match = this.#router.find(request.method, request.path);
		const operation = match.route;
		if (match.kind === MATCH_NOT_FOUND) this.failWithoutRoute(request, response);
		else if (match.kind === MATCH_METHOD || operation === undefined) {
			response.header("Allow", match.allow);
			this.fail(response, 405, METHOD_NOT_ALLOWED, `This path takes ${match.allow}.`);
		} else if (isAstray) {
			// Another site's page whose name has come to mean this gateway (DNS rebinding): its origin is its host.
			this.fail(response, 403, FORBIDDEN_ORIGIN, "That is none of this gateway's names: ask for its own.");
		} else if (!isSameOrigin(request)) {
			this.fail(response, 403, FORBIDDEN_ORIGIN, "Requests from another web site's pages are refused.");
		} else {
			const token = operation.scope === SCOPE_NONE ? "" : tokenOf(request);
			if (!this.admit(operation, token, response)) return undefined;
			return this.run(operation, request, response, { token, parameter: match.parameter });
		}
		return undefined;
	}

	private failWithoutRoute({ path }: HTTPRequest, response: HTTPResponse): void {
		if (this.#services.page.has(path)) {
			response.header("Allow", "GET, HEAD");
			this.fail(response, 405, METHOD_NOT_ALLOWED, "This path takes GET, HEAD.");
		} else this.fail(response, 404, NOT_FOUND, "There is nothing at this path.");
	}

	/** Whether the token opens this route; if not, that has been answered. */
	private admit({ scope, waits }: Operation, token: string, response: HTTPResponse): boolean {
		if (scope === SCOPE_NONE) return true;
		const granted = scopeOfToken(this.#services, token);
		if (granted === SCOPE_NONE) {
			failUnauthorized(this.#services, response);
			return false;
		}
		response.vouch();
		this.#services.saving?.asked();
		if (granted < scope) {
			this.fail(response, 403, FORBIDDEN_SCOPE, "This token may only read; this needs one of full scope.");
			return false;
		}
		if (!waits || !response.isGuest) return true;
		response.header("Retry-After", "5");
		this.fail(response, 503, BUSY, "All connections wait for a reply already; try again in a few seconds.");
		return false;
	}

	private run(
		{ run, body, settings, readsMeter }: Operation,
		request: HTTPRequest,
		response: HTTPResponse,
		context: RequestContext,
	): BodySink | undefined {
		const services = this.#services;
		const exchange = new Exchange(services, request, response, context);
		if (readsMeter && services.device.safeMode !== "") {
			exchange.fail(501, UNSUPPORTED, "No meter is read in safe mode; restart the device to leave that.");
			return undefined;
		}
		// Of a body that is not needed and does not come, no memory is claimed.
		if (body === undefined || (body === NO_BODY && request.contentLength === 0))
			return run(exchange, NO_VALUES, settings) ?? undefined;
		const { long, limit } = body;
		const done: BodyDone = (values, code, message, field) => {
			if (code === "") run(exchange, values, settings);
			else exchange.fail(400, code, message, field);
		};
		const open = () => new ObjectReader(body, services.text, done, long && (() => long.open(services)));
		const sink = ClaimedBody.open(exchange, limit > SHORT_BODY ? LONG_BODY_COST : SHORT_BODY_COST, open);
		if (sink === undefined) exchange.busy();
		return sink;
	}

	/**
	 * Plain HTTP from anywhere but the access point's own network: pages are at HTTPS (decision 37), under the name that
	 * was asked for if that is ours, else under our address.
	 */
	private moveToHTTPS({ host, target }: HTTPRequest, response: HTTPResponse, isAstray: boolean): void {
		const { device, network, networkSettings } = this.#services;
		const own = host === undefined || isAstray ? undefined : withoutPort(host);
		const name = own ?? network?.address?.ip ?? `${networkSettings.hostname}.local`;
		this.moveTo(response, 301, `https://${name}${portSuffix(device.httpsPort, 443)}${target}`);
	}

	/**
	 * Whether a request names this gateway. By whatever port: a tunnel shows another than ours. The computer's own names
	 * are those of the bench.
	 */
	private isOwn(asked: string): boolean {
		const { network, networkSettings } = this.#services;
		const host = lowerCase(withoutPort(asked));
		const own = lowerCase(networkSettings.hostname);
		if (host === own || host === `${own}.local` || host === ACCESS_POINT_ADDRESS) return true;
		// Wi-Fi that was brought up by hand has one beside the cable's.
		return host === network?.address?.ip || host === network?.station?.ip || LOOPBACK.includes(host);
	}

	private moveTo(response: HTTPResponse, status: number, location: string): void {
		response.header("Location", location);
		response.send(status);
	}

	private fail(response: HTTPResponse, status: number, code: string, message: string): void {
		fail(this.#services.writer, response, status, code, message);
	}
}

/** What a computer calls itself. */
const LOOPBACK = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a browser asks for a page or a part of one, not a program for the API. */
function isForPage({ method, path }: HTTPRequest): boolean {
	return !path.startsWith("/api/") && (method === METHOD_GET || method === METHOD_HEAD);
}

/** A host as a request names it, without `:` and the port at its end. */
export function withoutPort(host: string): string {
	const colon = host.indexOf(":", host.indexOf("]") + 1);
	return colon < 0 || host.indexOf(":", colon + 1) >= 0 ? host : host.slice(0, colon);
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
