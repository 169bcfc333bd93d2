/** One request of the API and its answer, and what the routes work with. */
import type { Login } from "../auth/login.js";
import type { Sessions } from "../auth/sessions.js";
import { SCOPE_FULL, SCOPE_NONE, type Tokens } from "../auth/tokens.js";
import type { InstalledCertificate, OwnCertificate } from "../certificate/certificates.js";
import type { HubCertificates } from "../config/hub.js";
import type { MQTTCertificates } from "../config/mqtt.js";
import type { NetworkSettings } from "../wifi/settings.js";
import type { ConfigStore } from "../config/store.js";
import type { WatchedStorage } from "../config/watched-storage.js";
import type { EventLog } from "../diagnostics/event-log.js";
import type { History } from "../history/history.js";
import type { HTTPRequest } from "../http/request.js";
import type { HTTPResponse } from "../http/response.js";
import type { StaticFiles } from "../http/static.js";
import type { Hub } from "../hub/hub.js";
import type { Crypto } from "../io/crypto.js";
import type { Update } from "../io/flash.js";
import type { Clock, Ending, HostInfo, Power, TextCodec } from "../io/host.js";
import type { Cost, Memory, MemoryLedger } from "../io/memory.js";
import { JSONStream, SPARE } from "../json/stream.js";
import type { JSONWriter } from "../json/writer.js";
import type { MeterReader } from "../meter/reader.js";
import type { Schedule } from "../meter/schedule.js";
import type { MQTTService } from "../mqtt/service.js";
import type { Updater } from "../ota/updater.js";
import type { TimeSync } from "../sntp/client.js";
import type { TimeZone } from "../time/zone.js";
import type { NetworkManager } from "../wifi/manager.js";
import { BUSY, fail, UNAUTHORIZED } from "./errors.js";
import type { Live } from "../core/live.js";

/** What the routes want of the device as a whole. */
export interface Device {
	/** Port of the plain listener, for redirects. */
	readonly httpPort: number;
	/** Port of the HTTPS listener, for redirects; 0 when there is none. */
	readonly httpsPort: number;
	/** The clock was set. */
	clockChanged(): void;
	/** How the last starts have ended, which is why the meter is not read; empty: this is no safe mode. */
	readonly safeMode: string;
	/**
	 * Forgets all settings and whoever is logged in, and starts anew when this reply has had the time to leave. It starts
	 * anew also when it throws: flash has refused, and not all could be deleted.
	 */
	factoryReset(): void;
	/** The device starts anew when this reply has had the time to leave (decision 4). */
	restartSoon(): void;
}

/** Sleep between readings. */
export interface Saving {
	/** Somebody with a token has asked for something: no sleep for a while. */
	asked(): void;
	/** Until then it does not sleep, monotonic ms; Infinity: it stays awake. */
	readonly awakeUntilMs: number;
}

/** The Zigbee bridge at a moment. What is not known is empty, or what stands for no network (decision 46). */
export interface ZigbeeStatus {
	/** One of RADIO_CODES (zigbee/radio.ts). */
	readonly code: string;
	readonly role: string;
	readonly joined: boolean;
	readonly channel: number;
	readonly shortAddress: number;
	readonly panId: number;
	/** 16 hex digits, upper case, most significant first. */
	readonly extendedPanId: string;
	/** The same, or empty. */
	readonly ieeeAddress: string;
	/** What the coprocessor runs. */
	readonly coprocessor: string;
	readonly joiningSecs: number;
	/**
	 * For each of PAIRS (obis/mapping.ts) after the first: the value that was reported last, in kWh, W, V or A, or NaN, and
	 * when, Unix time in seconds.
	 */
	readonly reported: Float64Array;
}

/** What the routes want of the Zigbee bridge: zigbee/owner.ts. */
export interface ZigbeeBridge {
	/** One of RADIO_CODES. */
	readonly code: string;
	/** Also while it hears its parent no more. */
	readonly isJoined: boolean;
	/** When the last report has arrived, Unix time; 0: none has since the start, or the clock is not set. */
	readonly sentUtcMs: number;
	status(): ZigbeeStatus;
	/** Leaves its network, and looks for an open one for a while. Only when it is on. */
	join(): void;
}

/** What the routes work with. */
export interface Services {
	readonly config: ConfigStore;
	readonly storage: WatchedStorage;
	readonly login: Login;
	readonly sessions: Sessions;
	readonly tokens: Tokens;
	readonly crypto: Crypto;
	readonly hubCertificates: HubCertificates;
	readonly mqttCertificates: MQTTCertificates;
	/** Undefined in safe mode. */
	readonly mqtt: MQTTService | undefined;
	/** Undefined where it can't be reached. */
	readonly hub: Hub | undefined;
	readonly installedCertificate: InstalledCertificate;
	readonly ownCertificate: OwnCertificate;
	readonly reader: MeterReader;
	readonly schedule: Schedule;
	readonly events: EventLog;
	readonly live: Live;
	/** Undefined where there is no flash for it. */
	readonly history: History | undefined;
	readonly ledger: MemoryLedger;
	/** Undefined where it has no limit. */
	readonly memory: Memory | undefined;
	/** Table of OBIS names (obis/names.ts), or undefined when the firmware has none. */
	readonly names: Uint8Array | undefined;
	readonly writer: JSONWriter;
	/** Names of a reading's members as bytes (readings.ts). */
	readonly readingKeys: readonly Uint8Array[];
	readonly clock: Clock;
	/** Of `timezone`. */
	readonly zone: TimeZone;
	readonly text: TextCodec;
	readonly networkSettings: NetworkSettings;
	/** Undefined where there is no Wi-Fi. */
	readonly network: NetworkManager | undefined;
	/** Undefined where the board has no coprocessor. */
	readonly zigbee: ZigbeeBridge | undefined;
	/** Undefined where no time server can be asked. */
	readonly time: TimeSync | undefined;
	readonly info: HostInfo;
	/** How the program before has ended; undefined: nobody knows. */
	readonly ending: Ending | undefined;
	/** Monotonic ms of the start. */
	readonly startedMs: number;
	/** Undefined where the board measures nothing. */
	readonly power: Power | undefined;
	readonly device: Device;
	/** Undefined where the host has no second place for firmware. */
	readonly updater: Updater | undefined;
	/** Undefined where the host can't sleep. */
	readonly saving: Saving | undefined;
	/** Of diagnostic reports: one is on its way; the slots that they tell of, where the host has some. */
	readonly reports: { isBusy: boolean; readonly update: Update | undefined };
	/** The web page. */
	readonly page: StaticFiles;
}

/** How a request came to its route. */
export interface RequestContext {
	/** Token that it was let in with; empty on an open route. */
	readonly token: string;
	/** As in the router's match. */
	readonly parameter: string;
}

/** What a token allows at this moment: one of SCOPE_…. */
export function scopeOfToken({ sessions, tokens }: Pick<Services, "sessions" | "tokens">, token: string): number {
	return sessions.isValid(token) ? SCOPE_FULL : tokens.scopeOf(token);
}

/** Answers 401: the token is missing, wrong, expired or revoked. */
export function failUnauthorized({ networkSettings, writer }: Services, response: HTTPResponse): void {
	response.header("WWW-Authenticate", `Bearer realm="${networkSettings.hostname}"`);
	fail(writer, response, 401, UNAUTHORIZED, "A valid token is needed; log in first.");
}

export class Exchange {
	readonly services: Services;
	/** Only until the route returns. */
	readonly request: HTTPRequest;
	readonly response: HTTPResponse;
	/** The client's address, for the login limiter. */
	readonly remoteAddress: string;
	readonly secure: boolean;
	/** It came in on the interface of our own access point. */
	readonly viaAccessPoint: boolean;
	/** Token that the request was let in with; empty on an open route. */
	readonly token: string;
	/** What stood in the path in place of the route's `<parameter>`; empty where it has none. */
	readonly parameter: string;
	/** Value of the query parameter `lang`. */
	readonly language: string;
	/** Stands before the name of the field in a complaint: a backup has fields of one name in several groups. */
	within = "";

	constructor(services: Services, request: HTTPRequest, response: HTTPResponse, context: RequestContext) {
		this.services = services;
		this.request = request;
		this.response = response;
		this.remoteAddress = request.remoteAddress;
		this.secure = request.secure;
		this.viaAccessPoint = request.viaAccessPoint;
		this.token = context.token;
		this.parameter = context.parameter;
		this.language = request.query("lang") ?? "";
	}

	/** Claims memory for what was asked; false: there is none, and that has been answered. */
	claim(cost: Cost): boolean {
		if (this.services.ledger.claim(cost)) return true;
		this.busy();
		return false;
	}

	/**
	 * Answers 200 with JSON made piece by piece (json/stream.ts tells what `produce` must keep to). `claimed` is given back
	 * when the reply has left, or its client has gone.
	 */
	stream(produce: (writer: JSONWriter, unit: number) => boolean, claimed?: Cost): void {
		const { ledger, writer } = this.services;
		const body = new JSONStream(writer, produce, SPARE);
		this.response.lines("Content-Type: application/json\r\n");
		if (claimed === undefined) this.response.send(200, body);
		else {
			const close = () => ledger.release(claimed);
			this.response.send(200, { read: (into, start, end) => body.read(into, start, end), close });
		}
	}

	/** Answers 200 with one small JSON object, whose members `members` writes, maybe more than once. */
	object(members: (writer: JSONWriter) => void): void {
		this.stream((writer) => {
			writer.beginObject();
			members(writer);
			writer.endObject();
			return false;
		});
	}

	/** Answers 200 without a body. */
	empty(): void {
		this.response.send(200);
	}

	/** Answers with a sentence and nothing else. */
	plainText(status: number, sentence: string): void {
		this.response.header("Content-Type", "text/plain");
		this.response.sendBytes(status, this.services.text.encode(`${sentence}\n`));
	}

	/**
	 * Answers 401 and returns true if the request's token has been revoked, or its session has ended, since the request
	 * began. For requests whose body takes long; never true on an open route.
	 */
	failIfRevoked(): boolean {
		if (this.token === "" || scopeOfToken(this.services, this.token) !== SCOPE_NONE) return false;
		failUnauthorized(this.services, this.response);
		return true;
	}

	/** There is no memory for what was asked beside what goes on. */
	busy(): void {
		this.response.header("Retry-After", "1");
		this.fail(503, BUSY, "The gateway is busy with other requests; try again in a moment.");
	}

	fail(status: number, code: string, message: string, field?: string, more?: (writer: JSONWriter) => void): void {
		const path = field === undefined ? undefined : this.within + field;
		fail(this.services.writer, this.response, status, code, message, path, more);
	}
}
