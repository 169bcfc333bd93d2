/** The gateway: creates the shared objects, opens the parts and forwards events to them. */
import { API } from "../api/api.js";
import { type Field, groupsOf } from "../config/schema.js";
import { type ConfigListener, ConfigStore } from "../config/store.js";
import { WatchedStorage } from "../config/watched-storage.js";
import type { Core, Opened, Running } from "../core/core.js";
import { Light } from "../core/light.js";
import { Live } from "../core/live.js";
import { EventLog } from "../diagnostics/event-log.js";
import { EVENT_RESTART, EVENT_SAFE_MODE, EVENT_SETTINGS, EVENT_STARTED, EVENT_STORAGE } from "../diagnostics/events.js";
import { StaticFiles } from "../http/static.js";
import type { Crypto } from "../io/crypto.js";
import { Driver } from "../io/driver.js";
import type { Flash } from "../io/flash.js";
import type { Clock, Host, HostInfo, TextCodec } from "../io/host.js";
import { MemoryLedger } from "../io/memory.js";
import { TLSPermit } from "../io/tls-permit.js";
import { JSONWriter } from "../json/writer.js";
import type { NetworkManager } from "../network/manager.js";
import { type Extra, type Part, react } from "../part/part.js";
import { AUTH } from "../parts/auth/part.js";
import { CERTIFICATE } from "../parts/certificate/part.js";
import { LIVE_METER } from "../parts/live-meter/part.js";
import type { Metering } from "../parts/meter/metering.js";
import { METER } from "../parts/meter/part.js";
import type { Networking } from "../parts/network/networking.js";
import { NETWORK } from "../parts/network/part.js";
import { SYSTEM_TIMEZONE } from "../parts/time/fields.js";
import { Button, PRESS_SHORT } from "../power/button.js";
import type { Readout } from "../readout/readout.js";
import { TimeZone } from "../time/zone.js";
import { CrashLoopGuard } from "./crash-loop-guard.js";
import { DelayedActions } from "./delayed-actions.js";
import { EdgeEvents } from "./edge-events.js";
import { guardWith } from "./guard.js";
import { ENTRIES, PARTS } from "./parts.js";
import { PowerCycles } from "./power-cycles.js";
import { PowerSaving, type SavingUser } from "./power-saving.js";
import { Serving } from "./serving.js";

const PAGE_RESOURCE = "web.bin";
const ZONES_RESOURCE = "timezones.bin";

const NO_EXTRAS: readonly Extra[] = Object.freeze([]);

/** Indexes in EVENT_NAMES. */
const MEASURED = 0;
const METER_FAILED = 1;
const NETWORK_CHANGED = 2;
const CLOCK_CHANGED = 3;
const UPDATE_CHANGED = 4;
const RESTARTING = 5;
const RESETTING = 6;
const DISCONNECTING = 7;
/** Names of the events in the log of a fault. */
const EVENT_NAMES: readonly string[] = Object.freeze([
	"measured",
	"meterFailed",
	"networkChanged",
	"clockChanged",
	"updateChanged",
	"restarting",
	"resetting",
	"disconnecting",
]);

export class Gateway implements Core, ConfigListener, SavingUser {
	readonly host: Host;
	readonly info: HostInfo;
	readonly clock: Clock;
	readonly crypto: Crypto;
	readonly text: TextCodec;
	readonly storage: WatchedStorage;
	readonly flash: Flash | undefined;
	readonly driver: Driver;
	readonly writer: JSONWriter;
	readonly config: ConfigStore;
	readonly events: EventLog;
	readonly ledger: MemoryLedger;
	readonly live: Live;
	readonly light: Light | undefined;
	readonly zone: TimeZone;
	readonly tlsPermit = new TLSPermit();
	readonly safeMode: string;
	readonly isRoutine: boolean;
	readonly startedMs: number;
	readonly saving: PowerSaving | undefined;
	readonly trace: Core["trace"];
	readonly guard: Core["guard"];
	#extras: readonly Extra[];
	readonly #running: (Running | undefined)[] = [];
	readonly #serving = new Serving();
	readonly #edgeEvents: EdgeEvents;
	readonly #crashLoop: CrashLoopGuard | undefined;
	readonly #delayed: DelayedActions;
	/** Bit set of the events that parts are handling now. */
	#raised = 0;
	#button: Button | undefined;
	#powerCycles: PowerCycles | undefined;

	constructor(host: Host, extras: readonly Extra[] = NO_EXTRAS) {
		const { clock, crypto, ending, info, led, sleep, text, timers } = host;
		this.host = host;
		this.info = info;
		this.clock = clock;
		this.crypto = crypto;
		this.text = text;
		this.trace = (message) => host.trace(message);
		this.guard = guardWith(this.trace);
		const { guard, trace } = this;
		this.driver = new Driver({ clock, timers, guard });
		const { driver } = this;
		// The crash-loop guard is created early, so that any later fault counts towards safe mode.
		if (sleep !== undefined) this.saving = new PowerSaving({ driver, clock, text, guard }, host, sleep, this);
		const { saving } = this;
		const { retained, flash, storage } = saving?.gate(host) ?? host;
		if (retained !== undefined) this.#crashLoop = new CrashLoopGuard({ driver, text }, retained, ending, this);
		this.safeMode = this.#crashLoop?.safeMode ?? "";
		this.flash = flash;
		this.events = new EventLog({ clock, trace }, flash?.open("log"));
		const { events } = this;
		const { isRoutine = false, failureBefore: meterFailure } = saving ?? {};
		this.isRoutine = isRoutine;
		const isClockSet = clock.utcMs() !== undefined;
		this.#edgeEvents = new EdgeEvents(events, { isRoutine, isClockSet, meterFailure });
		if (!isRoutine) events.note(EVENT_STARTED, ending?.cause);
		if (this.safeMode !== "") events.note(EVENT_SAFE_MODE, this.safeMode);
		this.storage = new WatchedStorage(storage, trace, (key) => events.note(EVENT_STORAGE, key));
		this.config = new ConfigStore(this.storage, text, ENTRIES);
		this.writer = new JSONWriter(text);
		this.live = new Live(this.#serving);
		this.#delayed = new DelayedActions(driver, this);
		this.ledger = new MemoryLedger(host.memory);
		this.zone = new TimeZone(host.resources.get(ZONES_RESOURCE));
		this.zone.select(this.config.get(SYSTEM_TIMEZONE));
		if (led !== undefined) this.light = new Light({ driver }, led);
		this.startedMs = clock.monotonicMs();
		this.#extras = extras;
	}

	find<Instance>(part: Opened<Instance>): Instance {
		return this.#running[PARTS.indexOf(part as unknown as Part)] as Instance;
	}

	scopeOf(token: string): number {
		return this.find(AUTH).scopeOf(token);
	}

	get hostname(): string {
		return this.networking.settings.hostname;
	}

	get metering(): Metering {
		return this.find(METER);
	}

	get networking(): Networking {
		return this.find(NETWORK);
	}

	get network(): NetworkManager | undefined {
		return this.networking.manager;
	}

	settingsChanged(changes: readonly Field[], applied: readonly Field[]): void {
		const groups = groupsOf(ENTRIES, changes);
		if (groups !== "") this.events.note(EVENT_SETTINGS, groups);
		react(PARTS, this.#running, this, changes, applied);
		this.live.changed();
	}

	/** Starts the gateway. Throws if a listener can't be opened. */
	start(): void {
		// The parts are not opened in the constructor, because its many local variables would stay on the stack
		// meanwhile.
		this.openParts();
		if (!this.completeReset()) this.begin();
	}

	private openParts(): void {
		for (const part of PARTS) {
			const { open } = this.#extras.find((extra) => extra.part === part) ?? part;
			this.#running.push(open(this, PARTS));
		}
		this.#extras = NO_EXTRAS;
		this.config.listen(this);
	}

	/**
	 * Completes a factory reset that was interrupted before this start. Returns true if it is complete, and the device
	 * therefore restarts without having opened anything.
	 */
	private completeReset(): boolean {
		if (!this.config.wasErasing) return false;
		try {
			this.eraseParts();
			// A part that has thrown twice is given up, because the new owner's data must not be erased at each start.
			this.config.endErasure();
		} catch (error) {
			this.driver.failed("factory reset", error);
			return false;
		}
		this.restartSoon();
		return true;
	}

	private begin(): void {
		const { button, ending, switchedOn } = this.host;
		const { driver, guard, saving, storage, trace } = this;
		// Power cycles are counted first, so that a device whose start fails can be reset.
		if (switchedOn !== undefined) {
			guard("power cycles", () => {
				this.#powerCycles = new PowerCycles({ driver, storage, trace });
				this.#powerCycles.start(switchedOn, this);
			});
			// After a reset nothing is opened: the device restarts soon, and the certificate could not be stored.
			if (this.config.isErased) return;
		}
		for (const key of this.config.damaged) {
			trace(`config: ${key} was damaged in flash, defaults are used`);
		}
		if (this.safeMode !== "") trace(`safe mode: ${this.safeMode}`);
		if (saving === undefined) this.connect();
		if (button !== undefined) this.#button = new Button(driver, button, this);
		if (this.safeMode === "" && saving?.isEmpty !== true) {
			this.metering.start(saving);
		}
		const [events, light, edgeEvents, crashLoop] = [this.events, this.light, this.#edgeEvents, this.#crashLoop];
		saving?.start({ events, light, edgeEvents: edgeEvents, crashLoop: crashLoop }, ending);
	}

	connect(): void {
		const { network, resources, serial, wifi } = this.host;
		const { driver, guard, hostname, ledger, text, trace } = this;
		const identity = this.find(CERTIFICATE);
		const page = new StaticFiles(resources.get(PAGE_RESOURCE), text);
		const plainPages = this.find(LIVE_METER);
		const api = new API({ core: this, groups: PARTS, page, network: this.network, plainPages });
		const options = { driver, text, handler: api, trace, ledger };
		this.#serving.open(network, options, () => identity.ownPair(hostname));
		guard("tls", () => {
			const { listener } = this.#serving;
			if (listener === undefined) return;
			if (this.safeMode === "") identity.serveInstalled(listener, hostname);
			// A device that sleeps does not write this line, because writing it at each wake would drain the battery.
			if (this.saving === undefined) identity.announce();
		});
		this.connectParts();
		if (serial.console !== undefined && wifi !== undefined)
			this.#serving.openConsole(serial.console, this, this.networking.settings, this);
		if (this.saving?.isByButton) this.network?.bringUp();
	}

	/** Like `raise`, but with less stack, because a part opens ports here, which makes deeply nested calls. */
	private connectParts(): void {
		for (let i = 0; i < PARTS.length; i++) {
			try {
				this.#running[i]?.whenConnecting?.();
			} catch (error) {
				this.driver.failed(PARTS[i].name, error);
			}
		}
	}

	pressed(press: number): void {
		if (press !== PRESS_SHORT) {
			this.factoryReset();
			return;
		}
		this.saving?.pressed();
		this.network?.bringUp();
	}

	networkChanged(): void {
		const { hostname, network } = this;
		if (network === undefined) return;
		const { address, isByCable, accessPointOn } = network;
		this.live.changed();
		this.light?.waiting(accessPointOn && address === undefined);
		const ip = address?.ip ?? "";
		if (this.#edgeEvents.networkChanged(ip, isByCable))
			this.raise(NETWORK_CHANGED, (running) => running.whenNetworkChanged?.(ip !== ""));
		if (this.#serving.listener !== undefined && this.find(CERTIFICATE).isOutdated(hostname, ip)) {
			this.#delayed.readdressSoon();
		}
		this.#delayed.updateServicesSoon();
	}

	updateServices(): void {
		this.networking.updateServices();
	}

	updateServicesSoon(): void {
		this.#delayed.updateServicesSoon();
	}

	get httpPort(): number {
		return this.#serving.httpPort;
	}

	get httpsPort(): number {
		return this.#serving.httpsPort;
	}

	stop(): void {
		this.saving?.stop();
		this.#delayed.stop();
		this.#crashLoop?.task.stop();
		this.raise(DISCONNECTING, (running) => running.whenDisconnecting?.());
		this.#serving.close();
		this.#button?.stop();
		this.#powerCycles?.stop();
		for (let i = PARTS.length - 1; i >= 0; i--) {
			try {
				this.#running[i]?.whenStopping?.();
			} catch (error) {
				this.driver.failed(PARTS[i].name, error);
			}
		}
		this.light?.stop();
	}

	factoryReset(): void {
		this.light?.resetting();
		try {
			this.raise(RESETTING, (running) => running.whenResetting?.());
			// The log is erased before the settings: a reset that is interrupted here and continues after a restart
			// does not erase the log.
			this.events.erase();
			this.config.erase();
			const failure = this.eraseParts();
			if (failure !== undefined) throw failure;
			this.config.endErasure();
		} finally {
			// The device restarts even if flash refused a deletion, because the next start continues the reset.
			this.restartSoon();
		}
	}

	/** Erases the data of all parts. Returns the last exception of a part; the other parts are erased nevertheless. */
	private eraseParts(): unknown {
		let failure: unknown;
		for (let i = 0; i < PARTS.length; i++) {
			try {
				this.#running[i]?.whenErasing?.();
			} catch (error) {
				failure = error;
				this.driver.failed(PARTS[i].name, error);
			}
		}
		return failure;
	}

	/** Called when the clock was set. Refreshes the certificate, which may not be valid at the new time. */
	clockChanged(): void {
		this.#edgeEvents.clockChanged();
		this.saving?.clockChanged();
		this.raise(CLOCK_CHANGED, (running) => running.whenClockChanged?.());
		this.live.changed();
		this.#delayed.refreshSoon();
	}

	refreshSoon(): void {
		this.#delayed.refreshSoon();
	}

	restartSoon(): void {
		this.events.note(EVENT_RESTART);
		this.live.end();
		this.#delayed.restartSoon();
	}

	refresh(): void {
		this.guard("tls", () => {
			const { listener } = this.#serving;
			const { hostname, network } = this;
			if (listener !== undefined) this.find(CERTIFICATE).renew(listener, hostname, network?.address?.ip ?? "");
		});
		this.guard("network", () => this.networkChanged());
	}

	restart(): void {
		this.raise(RESTARTING, (running) => running.whenRestarting?.());
		this.#crashLoop?.plannedRestart();
		this.host.restart();
	}

	updateChanged(): void {
		this.raise(UPDATE_CHANGED, (running) => running.whenUpdateChanged?.());
	}

	measured(readout: Readout): void {
		this.raise(MEASURED, (running) => running.whenMeasured?.(readout));
	}

	meterChanged(code: string, isOld: boolean): void {
		this.#edgeEvents.meterChanged(code);
		if (code !== "" || isOld) this.raise(METER_FAILED, (running) => running.whenMeterFailed?.(isOld));
	}

	get isBusy(): boolean {
		return this.#serving.isBusy || this.#running.some((running) => running?.isBusy === true);
	}

	get isSending(): boolean {
		return this.#running.some((running) => running?.isSending === true);
	}

	get staysAwake(): boolean {
		return this.#running.some((running) => running?.staysAwake === true);
	}

	/** Passes the event to all parts. An event that its own handling raises again would never end: it is a fault. */
	private raise(event: number, pass: (running: Running) => void): void {
		const bit = 1 << event;
		if (this.#raised & bit) {
			this.driver.failed(EVENT_NAMES[event], new Error("the event was raised while parts handled it"));
			return;
		}
		this.#raised |= bit;
		for (let i = 0; i < PARTS.length; i++) {
			const running = this.#running[i];
			if (running === undefined) continue;
			try {
				pass(running);
			} catch (error) {
				this.driver.failed(PARTS[i].name, error);
			}
		}
		this.#raised &= ~bit;
	}
}
