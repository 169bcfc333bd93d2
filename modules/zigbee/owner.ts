/**
 * Owner of the Zigbee bridge (zigbee/bridge.ts): port and reset line of the coprocessor, what is kept in flash, and what the
 * rest of the gateway is told. On boards with a radio.
 *
 *             begin    turned off, stop    the port is gone    its time has come
 *   HELD      OPEN     –                   –                   –
 *   OPEN      –        HELD                WAITING             –
 *   WAITING   –        HELD                –                   OPEN
 *
 * In HELD the chip is held in reset: in safe mode, turned off, asleep, and after a wake for a reading until there is
 * something to report. (Where that line is not wired it is stopped by the bridge when it is turned off, which needs the port.)
 * WAITING looks for the port again after FIRST_WAIT_MS, then twice as late each time, LONGEST_WAIT_MS at most.
 *
 * In the storage: KEPT_KEY, what the coordinator has configured (zigbee/reports.ts); LEAVE_KEY from a factory reset until the
 * network has been left, whenever the coprocessor answers: the one thing that such a reset leaves behind.
 */

import type { ConfigStore } from "../config/store.js";
import { wipe } from "../config/wipe.js";
import type { Running } from "../core/core.js";
import type { Live } from "../core/live.js";
import type { EventLog } from "../diagnostics/event-log.js";
import type { Crypto } from "../io/crypto.js";
import type { Drive, Driven, Driver } from "../io/driver.js";
import {
	type Clock,
	type CoprocessorPort,
	FORMAT_8N1,
	type Host,
	type HostInfo,
	type LineSettings,
	type Storage,
	type TextCodec,
} from "../io/host.js";
import { Link, type LinkOptions } from "../io/link.js";
import { mapOf } from "../obis/mapping.js";
import type { Updater } from "../ota/updater.js";
import { batteryPercent } from "../power/battery.js";
import type { Light } from "../power/light.js";
import type { Readout } from "../readout/readout.js";
import type { TimeSync } from "../sntp/client.js";
import { Bridge, type BridgeOptions, type BridgeUser } from "./bridge.js";
import { Coprocessor } from "./coprocessor.js";
import { ZIGBEE_ENABLED, ZIGBEE_MAPPING } from "./fields.js";
import {
	EVENT_ZIGBEE_BACK,
	EVENT_ZIGBEE_FOREIGN,
	EVENT_ZIGBEE_JOINED,
	EVENT_ZIGBEE_LEFT,
	EVENT_ZIGBEE_SILENT,
} from "./log-events.js";
import { OTAClient } from "./ota-client.js";
import { LOADING_KEY, type OTAWorld } from "./ota-transfer.js";
import {
	type Chip,
	type ClusterClient,
	isJoined,
	RADIO_CODES,
	RADIO_FOREIGN,
	RADIO_IDLE,
	RADIO_JOINED,
	RADIO_JOINING,
	RADIO_LEAVING,
	RADIO_OFF,
	RADIO_ORPHAN,
	RADIO_SILENT,
	RADIO_STARTING,
	type RadioUser,
	ROLE_END_DEVICE,
	ROLE_ROUTER,
} from "./radio.js";
import type { ZigbeeBridge, ZigbeeStatus } from "./status.js";
import { lastReportUtcMs, statusOf } from "./status.js";
import { TimeClient, type TimeWorld } from "./time-client.js";

const LINE = Object.freeze({ baud: 115_200, format: FORMAT_8N1 });

const NO_CLIENTS: readonly ClusterClient[] = Object.freeze([]);
const KEPT_KEY = "zb_reports";
const LEAVE_KEY = "zb_leave";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/** Its parent is asked twice for what it keeps for us, once we are back in the network. */
const LINGER_MS = 3000;
/** So long after a time server was believed the coordinator's time counts for nothing. */
const BELIEVED_MS = 2 * 86_400_000;
/** In a wake for a reading: to find back into the network and to report. */
const REPORT_MS = 30_000;

export interface ZigbeeOptions {
	readonly host: Host;
	/** The coprocessor's port: `host.serial.zigbee`. */
	readonly port: CoprocessorPort;
	readonly driver: Driver;
	readonly storage: Storage;
	readonly config: Pick<ConfigStore, "get">;
	readonly events: Pick<EventLog, "note">;
	readonly live: Pick<Live, "changed">;
	readonly light: Pick<Light, "identifying"> | undefined;
	/** It was woken for a reading: what comes and goes then is no event. */
	readonly isRoutine: boolean;
	/** Nothing is sent then. */
	readonly isSafeMode: boolean;
	/** `time` is undefined where no time server can be asked. */
	readonly networking: { readonly time: Pick<TimeSync, "lastSuccessMs"> | undefined };
	/** Undefined where no firmware can be taken. */
	readonly updater: Updater | undefined;
	/** The coordinator has set the clock. */
	clockChanged(): void;
}

/** It is what link, bridge and clients are given, too: an object for each would take slots. */
export class Zigbee
	implements Driven, Running, ZigbeeBridge, BridgeOptions, BridgeUser, LinkOptions, OTAWorld, TimeWorld
{
	readonly #host: Host;
	readonly #options: ZigbeeOptions;
	readonly #drive: Drive;
	/** From the first `begin` on. */
	#bridge: Bridge | undefined;
	/** For Bridge: from the first `begin` on. */
	clients: readonly ClusterClient[] = NO_CLIENTS;
	/** In OPEN. */
	#link: Link | undefined;
	/** In WAITING, when the port is looked for; else Infinity. For the driver. */
	deadlineMs = Number.POSITIVE_INFINITY;
	#waitMs = FIRST_WAIT_MS;
	/** State of the radio, as the log has been told. */
	#seen = RADIO_OFF;
	/** The log has it that the chip does not work. */
	#isLost = false;
	/** The map has changed while there was no link to tell the bridge by. */
	#isMapOther = false;
	/** A leave is owed: LEAVE_KEY is there. */
	#owesLeave: boolean;
	/** Until then it keeps the device awake, monotonic ms: in any case; and to find back into its network. */
	#lingerUntilMs = 0;
	#reportUntilMs = 0;

	constructor(options: ZigbeeOptions) {
		this.#host = options.host;
		this.#options = options;
		this.#drive = options.driver.drive("zigbee", this);
		this.#owesLeave = this.read(LEAVE_KEY) !== undefined;
		this.port.setLines?.(true, false);
	}

	/** Works from now on, where it is turned on: somebody is there, or there is something to report. */
	connect(): void {
		const { config, isSafeMode } = this.#options;
		if (this.#link !== undefined || isSafeMode) return;
		// Without the line it has to be told to stop, once.
		if (!config.get(ZIGBEE_ENABLED) && this.port.setLines !== undefined) return;
		this.#drive.tell((nowMs) => this.open(nowMs));
	}

	/** It is turned on or off, without a restart where a backup has done that. */
	settingsChanged(): void {
		this.hold();
		this.connect();
	}

	mappingChanged(): void {
		this.#isMapOther = this.#link === undefined;
		this.tell((bridge, nowMs) => bridge.mapChanged(nowMs));
	}

	/** A meter has given a good readout. */
	measured(readout: Readout): void {
		this.connect();
		this.#reportUntilMs = this.#options.driver.nowMs() + REPORT_MS;
		this.tell((bridge, nowMs) => {
			this.tellBattery(bridge, nowMs);
			bridge.measured(readout, nowMs);
		});
	}

	/** The meter was to be read, and was not. */
	meterFailed(): void {
		this.tell((bridge, nowMs) => bridge.meterFailed(nowMs));
	}

	/** For the API. */
	join(): void {
		this.connect();
		this.tell(({ chip }, nowMs) => {
			chip.join(nowMs);
			this.bridgeChanged(nowMs);
		});
	}

	/** For a factory reset: nothing is kept, and the network is left as soon as a start can do that. */
	resetting(): void {
		const { driver, storage } = this.#options;
		driver.guard("zigbee", () => storage.set(LEAVE_KEY, new Uint8Array(0)));
		wipe(storage, KEPT_KEY);
		wipe(storage, LOADING_KEY);
	}

	/** The device ends, or sleeps. */
	stop(): void {
		this.hold();
		this.#drive.stop();
	}

	/** For sleep: it has something to do that must not be cut, for a while. */
	get isBusy(): boolean {
		const nowMs = this.#options.driver.nowMs();
		if (this.#link === undefined) return false;
		if (nowMs < this.#lingerUntilMs) return true;
		switch (this.state) {
			case RADIO_JOINING:
			case RADIO_LEAVING:
				return true;
			case RADIO_STARTING:
			case RADIO_ORPHAN:
				return nowMs < this.#reportUntilMs;
			case RADIO_JOINED:
				return this.#bridge!.busy(nowMs);
			default:
				return false;
		}
	}

	/** For the API, as all up to `status`. */
	get code(): string {
		return RADIO_CODES[this.state];
	}

	get isJoined(): boolean {
		return isJoined(this.state);
	}

	get sentUtcMs(): number {
		return lastReportUtcMs(this.#bridge, this.clock);
	}

	status(): ZigbeeStatus {
		const { code, isJoined } = this;
		return statusOf(this.#bridge, this.#host, { code, isJoined, isRouter: this.role === ROLE_ROUTER });
	}

	/** For the driver: the port is looked for. */
	advance(nowMs: number): void {
		if (nowMs >= this.deadlineMs) this.open(nowMs);
	}

	/** For Bridge: state or network is another, or something was reported. */
	bridgeChanged(nowMs: number): void {
		const { events, live, isRoutine } = this.#options;
		const [before, state] = [this.#seen, this.state];
		this.#seen = state;
		if (state !== before) {
			if (state === RADIO_JOINED) this.#lingerUntilMs = nowMs + LINGER_MS;
			const wasJoined = isJoined(before);
			if (state === RADIO_JOINED && before === RADIO_JOINING) {
				events.note(EVENT_ZIGBEE_JOINED);
			} else if (wasJoined && (state === RADIO_IDLE || state === RADIO_LEAVING || state === RADIO_JOINING)) {
				events.note(EVENT_ZIGBEE_LEFT);
				this.#options.driver.guard("zigbee", () => this.#options.storage.delete(LOADING_KEY));
			}
			if (state === RADIO_SILENT || state === RADIO_FOREIGN) {
				if (!this.#isLost && !isRoutine && state === RADIO_SILENT) events.note(EVENT_ZIGBEE_SILENT);
				if (!isRoutine && state === RADIO_FOREIGN) events.note(EVENT_ZIGBEE_FOREIGN, this.#bridge?.chip.firmware);
				this.#isLost = true;
			} else if (state !== RADIO_STARTING && state !== RADIO_OFF) {
				if (this.#isLost && !isRoutine) events.note(EVENT_ZIGBEE_BACK, this.#bridge?.chip.firmware);
				this.#isLost = false;
				this.#waitMs = FIRST_WAIT_MS;
			}
		}
		this.keepLeave();
		live.changed();
	}

	/** For Bridge: what the coordinator has configured is another. */
	keepReports(bytes: Uint8Array): void {
		const { driver, storage } = this.#options;
		driver.guard("zigbee", () => (bytes.length > 0 ? storage.set(KEPT_KEY, bytes) : storage.delete(KEPT_KEY)));
	}

	/** For Bridge. */
	identify(seconds: number): void {
		this.#options.light?.identifying(seconds > 0);
	}

	/** RADIO_… as the gateway sees it: a port that is gone is a chip that does not answer. */
	private get state(): number {
		if (!this.#options.config.get(ZIGBEE_ENABLED)) return RADIO_OFF;
		if (this.#link !== undefined) return this.#bridge!.chip.state;
		return this.deadlineMs === Number.POSITIVE_INFINITY ? RADIO_OFF : RADIO_SILENT;
	}

	/** ROLE_… (decision 46): boards for batteries sleep, and can't carry what others send. */
	private get role(): number {
		return this.cells > 0 ? ROLE_END_DEVICE : ROLE_ROUTER;
	}

	private open(nowMs: number): void {
		const { driver } = this.#options;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.#bridge ??= this.makeBridge();
		const bridge = this.#bridge;
		const { chip } = bridge;
		this.#link = new Link(driver, this);
		this.#link.tell(() => {
			if (!this.#options.config.get(ZIGBEE_ENABLED)) chip.stop(nowMs);
			else {
				if (this.#isMapOther) bridge.mapChanged(nowMs);
				this.#isMapOther = false;
				// First, so that it is known when it tells how it is.
				if (this.#owesLeave && !chip.owesLeave) chip.leave(nowMs);
				chip.start(nowMs);
			}
			this.tellBattery(bridge, nowMs);
			this.bridgeChanged(nowMs);
		});
	}

	private makeBridge(): Bridge {
		const time = new TimeClient(this);
		// A unit that takes no updates has no OTA Upgrade: a coordinator that looks for one would wait for its answer in vain.
		this.clients = this.updater?.isOpen ? [time, new OTAClient(this)] : [time];
		return new Bridge(this);
	}

	/** For Link. */
	get port(): CoprocessorPort {
		return this.#options.port;
	}

	get line(): LineSettings {
		return LINE;
	}

	get machine(): Bridge {
		return this.#bridge!;
	}

	onEvent(): void {}

	/** It has closed itself. */
	onGone(): void {
		this.#drive.tell((nowMs) => {
			this.#link = undefined;
			this.deadlineMs = nowMs + this.#waitMs;
			this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
			this.bridgeChanged(nowMs);
		});
	}

	/** For Bridge. */
	chip(user: RadioUser): Chip {
		return new Coprocessor(user, this.role, this.port);
	}

	get user(): BridgeUser {
		return this;
	}

	get text(): TextCodec {
		return this.#host.text;
	}

	get sequence(): number {
		return this.#host.crypto.random(1)[0];
	}

	get cells(): number {
		return this.#host.power?.cells ?? 0;
	}

	get map(): Uint8Array {
		return mapOf(this.#options.config.get(ZIGBEE_MAPPING));
	}

	get reports(): Uint8Array | undefined {
		return this.read(KEPT_KEY);
	}

	/** For the clients, and Bridge. */
	get info(): HostInfo {
		return this.#host.info;
	}

	get clock(): Clock {
		return this.#host.clock;
	}

	get crypto(): Crypto {
		return this.#host.crypto;
	}

	get storage(): Storage {
		return this.#options.storage;
	}

	get updater(): Updater | undefined {
		return this.#options.updater;
	}

	hasTimeServer(nowMs: number): boolean {
		return nowMs - (this.#options.networking.time?.lastSuccessMs ?? Number.NEGATIVE_INFINITY) < BELIEVED_MS;
	}

	clockChanged(): void {
		this.#options.clockChanged();
	}

	private tellBattery(bridge: Bridge, nowMs: number): void {
		const { power } = this.#host;
		if (power === undefined || power.cells === 0) return;
		const volts = power.batteryVoltage() ?? 0;
		bridge.batteryChanged(volts, batteryPercent(volts, power.cells), nowMs);
	}

	private hold(): void {
		this.#drive.tell(() => {
			this.#link?.close();
			this.#link = undefined;
			this.deadlineMs = Number.POSITIVE_INFINITY;
			// Nobody would end it.
			this.identify(0);
			this.port.setLines?.(true, false);
		});
	}

	private tell(change: (bridge: Bridge, nowMs: number) => void): void {
		const bridge = this.#bridge;
		if (bridge !== undefined) this.#link?.tell((nowMs) => change(bridge, nowMs));
	}

	/** Also what the owner has asked for must be caught up after a restart. */
	private keepLeave(): void {
		const { driver, storage } = this.#options;
		const owes = this.#bridge?.chip.owesLeave ?? this.#owesLeave;
		if (owes === this.#owesLeave) return;
		this.#owesLeave = owes;
		driver.guard("zigbee", () => (owes ? storage.set(LEAVE_KEY, new Uint8Array(0)) : storage.delete(LEAVE_KEY)));
	}

	/** A start goes on without what flash can't read. */
	private read(key: string): Uint8Array | undefined {
		try {
			return this.#options.storage.get(key);
		} catch {
			return undefined;
		}
	}
}
