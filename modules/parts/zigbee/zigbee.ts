/**
 * Connects the Zigbee bridge to the gateway: port, reset line, stored data, notifications. The columns of the table are
 * events:
 *
 *             connect  turned on    turned off, stop    port closed    deadline
 *   HELD      OPEN     WAITING      –                   –              –
 *   OPEN      –        WAITING      HELD                WAITING        a changed map
 *   WAITING   –        WAITING      HELD                –              OPEN
 *
 * In HELD, the chip is in reset. This is the state in safe mode, if the radio is turned off, while the device sleeps,
 * and after a scheduled wake-up until there are data to send. Without a reset line, the port must be opened to stop the
 * chip. In WAITING, the port is opened in the next tick if it was turned on, and again after FIRST_WAIT_MS if it was
 * closed; after each failure the wait doubles, up to LONGEST_WAIT_MS.
 *
 * Data in storage: under REPORTS_KEY, the coordinator's settings for reports (reports.ts). LEAVE_KEY exists as long as
 * a network must still be left; it is the only key that a factory reset does not delete.
 */

import { secureErase } from "../../config/secure-erase.js";
import type { Core, Running } from "../../core/core.js";
import type { ScheduledMachine, Task } from "../../io/driver.js";
import type { CoprocessorPort } from "../../io/host.js";
import { Link } from "../../io/link.js";
import { mapOf } from "../../obis/mapping.js";
import { batteryPercent } from "../../power/battery.js";
import type { Readout } from "../../readout/readout.js";
import type { TimeSync } from "../../sntp/client.js";
import type { Updater } from "../../update/updater.js";
import { Bridge, type BridgeListener } from "../../zigbee/bridge.js";
import { Coprocessor } from "../../zigbee/coprocessor.js";
import { OTAClient } from "../../zigbee/ota-client.js";
import { LOADING_KEY } from "../../zigbee/ota-transfer.js";
import {
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
	ROLE_END_DEVICE,
	ROLE_ROUTER,
} from "../../zigbee/radio.js";
import { TimeClient } from "../../zigbee/time-client.js";
import { MAPPING } from "../meter/mapping-fields.js";
import { ZIGBEE_ENABLED } from "./fields.js";
import {
	EVENT_ZIGBEE_BACK,
	EVENT_ZIGBEE_FOREIGN,
	EVENT_ZIGBEE_JOINED,
	EVENT_ZIGBEE_LEFT,
	EVENT_ZIGBEE_SILENT,
} from "./log-events.js";
import type { ZigbeeBridge, ZigbeeStatus } from "./status.js";
import { lastReportUtcMs, statusOf } from "./status.js";

const REPORTS_KEY = "zb_reports";
const LEAVE_KEY = "zb_leave";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;
/**
 * Time for which the device stays awake after rejoining, ms. In this time, the parent is polled twice for frames that
 * it has stored.
 */
const LINGER_MS = 3000;
/** Time for which a time server has precedence over the coordinator, ms. */
const TIME_SERVER_MS = 2 * 86_400_000;
const REPORT_MS = 30_000;

/** Members of the core that the bridge uses. */
export type ZigbeeCore = Pick<
	Core,
	"clockChanged" | "config" | "driver" | "events" | "host" | "isRoutine" | "light" | "live" | "safeMode" | "storage"
>;

export interface ZigbeeDeps {
	readonly port: CoprocessorPort;
	/** `time` is undefined if no time server can be queried. */
	readonly networking: { readonly time: Pick<TimeSync, "lastSuccessMs"> | undefined };
	/** Undefined if firmware updates are impossible. */
	readonly updater: Updater | undefined;
}

export class Zigbee implements Running, ZigbeeBridge, ScheduledMachine, BridgeListener {
	readonly #core: ZigbeeCore;
	readonly #deps: ZigbeeDeps;
	readonly #task: Task;
	#bridge: Bridge | undefined;
	#link: Link | undefined;
	deadlineMs = Number.POSITIVE_INFINITY;
	#waitMs = FIRST_WAIT_MS;
	#lastState = RADIO_OFF;
	/** True if the last log event about the chip reported a failure. */
	#isLost = false;
	#hasMapChanged = false;
	#owesLeave: boolean;
	/** True from a factory reset until the restart. Meanwhile the port stays closed. */
	#isReset = false;
	/** Monotonic ms until which the device does not sleep after joining. */
	#lingerUntilMs = 0;
	/** Monotonic ms until which the device does not sleep after a start or after rejoining. */
	#reportUntilMs = 0;

	constructor(core: ZigbeeCore, deps: ZigbeeDeps) {
		this.#core = core;
		this.#deps = deps;
		this.#task = core.driver.register("zigbee", this);
		this.#owesLeave = this.read(LEAVE_KEY) !== undefined;
		this.#deps.port.setLines?.(true, false);
	}

	/* Called by the gateway (Running). */

	whenConnecting(): void {
		this.connect();
	}

	whenMeasured(readout: Readout): void {
		this.connect();
		this.#reportUntilMs = this.#core.driver.nowMs() + REPORT_MS;
		this.withBridge((bridge, nowMs) => {
			this.updateBattery(bridge, nowMs);
			bridge.measured(readout, nowMs);
		});
	}

	whenMeterFailed(isOld: boolean): void {
		this.withBridge((bridge, nowMs) => bridge.meterFailed(isOld, nowMs));
	}

	/**
	 * Stores that the unit owes a leave, and closes the port: if the chip finished the leave of a join before the restart,
	 * it would join again, and the key would be deleted.
	 */
	whenResetting(): void {
		const { storage } = this.#core;
		this.#isReset = true;
		this.enterHeld();
		this.store(LEAVE_KEY, new Uint8Array(0));
		secureErase(storage, REPORTS_KEY);
		secureErase(storage, LOADING_KEY);
	}

	whenStopping(): void {
		this.enterHeld();
		this.#task.stop();
	}

	/** True if a sleep must wait for the bridge. The time for which it waits is limited. */
	get isBusy(): boolean {
		const nowMs = this.#core.driver.nowMs();
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

	/* Called by the routes and reactions of the part (ZigbeeBridge). */

	get code(): string {
		return RADIO_CODES[this.state];
	}

	get isJoined(): boolean {
		return isJoined(this.state);
	}

	get sentUtcMs(): number {
		return lastReportUtcMs(this.#bridge, this.#core.host.clock);
	}

	status(): ZigbeeStatus {
		const { code, isJoined } = this;
		return statusOf(this.#bridge, this.#core.host, { code, isJoined, isRouter: this.role === ROLE_ROUTER });
	}

	/**
	 * Handles changed settings, also after a backup was restored. The port is opened in the next tick, because a request
	 * leaves too little stack.
	 */
	settingsChanged(): void {
		this.enterHeld();
		this.#waitMs = FIRST_WAIT_MS;
		if (this.mayOpen) this.wakeSoon();
	}

	/** Handles a changed map, in the next tick. */
	mappingChanged(): void {
		this.#hasMapChanged = true;
		if (this.#link !== undefined) this.wakeSoon();
	}

	join(): void {
		this.connect();
		this.withBridge(({ chip }, nowMs) => {
			chip.join(nowMs);
			this.bridgeChanged(nowMs);
		});
	}

	/* Called by the driver (ScheduledMachine). */

	advance(nowMs: number): void {
		if (nowMs < this.deadlineMs) return;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		if (this.#link === undefined) this.open(nowMs);
		else this.withBridge((bridge) => this.updateMap(bridge, nowMs));
	}

	/* Called by the bridge (BridgeListener). */

	bridgeChanged(nowMs: number): void {
		const { events, live, isRoutine } = this.#core;
		const [before, state] = [this.#lastState, this.state];
		this.#lastState = state;
		if (state !== before) {
			if (state === RADIO_JOINED) this.#lingerUntilMs = nowMs + LINGER_MS;
			const wasJoined = isJoined(before);
			if (state === RADIO_JOINED && before === RADIO_JOINING) {
				events.note(EVENT_ZIGBEE_JOINED);
			} else if (wasJoined && (state === RADIO_IDLE || state === RADIO_LEAVING || state === RADIO_JOINING)) {
				events.note(EVENT_ZIGBEE_LEFT);
				this.store(LOADING_KEY, undefined);
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
		this.storeLeave();
		live.changed();
	}

	storeReports(bytes: Uint8Array): void {
		this.store(REPORTS_KEY, bytes.length > 0 ? bytes : undefined);
	}

	identify(seconds: number): void {
		this.#core.light?.identifying(seconds > 0);
	}

	/* Called by the link (LinkListener). */

	linkClosed(): void {
		this.#task.update((nowMs) => {
			this.#link = undefined;
			this.deadlineMs = nowMs + this.#waitMs;
			this.#waitMs = Math.min(2 * this.#waitMs, LONGEST_WAIT_MS);
			this.bridgeChanged(nowMs);
		});
	}

	/* Called by this object only. */

	/** Opens the port. Call it when a user is active, or when there are data to report. */
	private connect(): void {
		if (this.mayOpen) this.#task.update((nowMs) => this.open(nowMs));
	}

	private get mayOpen(): boolean {
		const { config, safeMode } = this.#core;
		if (this.#link !== undefined || safeMode !== "" || this.#isReset) return false;
		// Without a reset line, the port must be opened one time to stop the chip.
		return config.get(ZIGBEE_ENABLED) || this.#deps.port.setLines === undefined;
	}

	private wakeSoon(): void {
		this.#task.update((nowMs) => {
			this.deadlineMs = nowMs;
		});
	}

	/** State of the radio. If the port was closed, the chip counts as silent. */
	private get state(): number {
		if (!this.#core.config.get(ZIGBEE_ENABLED)) return RADIO_OFF;
		if (this.#link !== undefined) return this.#bridge!.chip.state;
		if (this.deadlineMs === Number.POSITIVE_INFINITY) return RADIO_OFF;
		return this.#waitMs === FIRST_WAIT_MS ? RADIO_STARTING : RADIO_SILENT;
	}

	/** Role of the device. A board with batteries sleeps, so it can't be a router. */
	private get role(): number {
		return this.cells > 0 ? ROLE_END_DEVICE : ROLE_ROUTER;
	}

	private get cells(): number {
		return this.#core.host.power?.cells ?? 0;
	}

	private open(nowMs: number): void {
		const { config, driver } = this.#core;
		const { port } = this.#deps;
		this.deadlineMs = Number.POSITIVE_INFINITY;
		this.#bridge ??= this.makeBridge();
		const bridge = this.#bridge;
		const { chip } = bridge;
		this.#link = new Link(driver, { port, machine: bridge, listener: this });
		this.#link.update(() => {
			if (!config.get(ZIGBEE_ENABLED)) chip.stop(nowMs);
			else {
				this.updateMap(bridge, nowMs);
				// The chip must know the pending leave before it sends its first report.
				if (this.#owesLeave && !chip.owesLeave) chip.leave(nowMs);
				chip.start(nowMs);
			}
			this.updateBattery(bridge, nowMs);
			this.bridgeChanged(nowMs);
		});
	}

	private makeBridge(): Bridge {
		const { networking, port, updater } = this.#deps;
		const core = this.#core;
		const { config, storage } = core;
		const { clock, crypto, info, text } = core.host;
		const clients: ClusterClient[] = [
			new TimeClient({
				clock,
				info,
				clockSet: () => core.clockChanged(),
				hasTimeServer: (nowMs) => nowMs - (networking.time?.lastSuccessMs ?? Number.NEGATIVE_INFINITY) < TIME_SERVER_MS,
			}),
		];
		// If updates are impossible, there is no OTA Upgrade cluster, because a coordinator would wait for its requests in
		// vain.
		if (updater?.isOpen) clients.push(new OTAClient({ crypto, info, storage, updater }));
		return new Bridge({
			chip: (user) => new Coprocessor(user, this.role, port),
			user: this,
			info,
			text,
			cells: this.cells,
			get map() {
				return mapOf(config.get(MAPPING));
			},
			reports: this.read(REPORTS_KEY),
			clients,
			sequence: crypto.random(1)[0],
		});
	}

	private updateMap(bridge: Bridge, nowMs: number): void {
		if (this.#hasMapChanged) bridge.mapChanged(nowMs);
		this.#hasMapChanged = false;
	}

	private updateBattery(bridge: Bridge, nowMs: number): void {
		const { power } = this.#core.host;
		if (power === undefined || power.cells === 0) return;
		const volts = power.batteryVoltage() ?? 0;
		bridge.batteryChanged(volts, batteryPercent(volts, power.cells), nowMs);
	}

	private enterHeld(): void {
		this.#task.update(() => {
			this.#link?.close();
			this.#link = undefined;
			this.deadlineMs = Number.POSITIVE_INFINITY;
			// The identification is ended here, because the bridge can no longer do it.
			this.identify(0);
			this.#deps.port.setLines?.(true, false);
		});
	}

	private withBridge(change: (bridge: Bridge, nowMs: number) => void): void {
		const bridge = this.#bridge;
		if (bridge !== undefined) this.#link?.update((nowMs) => change(bridge, nowMs));
	}

	private storeLeave(): void {
		const owesLeave = this.#bridge?.chip.owesLeave ?? this.#owesLeave;
		if (owesLeave === this.#owesLeave) return;
		this.#owesLeave = owesLeave;
		this.store(LEAVE_KEY, owesLeave ? new Uint8Array(0) : undefined);
	}

	/** Stores the value under the key; deletes the key if the value is undefined. */
	private store(key: string, value: Uint8Array | undefined): void {
		const { driver, storage } = this.#core;
		driver.guard("zigbee", () => (value === undefined ? storage.delete(key) : storage.set(key, value)));
	}

	/** Reads stored data. Data that can't be read count as missing, so that the start continues. */
	private read(key: string): Uint8Array | undefined {
		try {
			return this.#core.storage.get(key);
		} catch {
			return undefined;
		}
	}
}
