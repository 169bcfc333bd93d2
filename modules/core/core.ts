/** Interface between the parts and the gateway; implemented by app/gateway.ts. */
import type { ConfigStore } from "../config/store.js";
import type { WatchedStorage } from "../config/watched-storage.js";
import type { EventLog } from "../diagnostics/event-log.js";
import type { Crypto } from "../io/crypto.js";
import type { Driver } from "../io/driver.js";
import type { Flash } from "../io/flash.js";
import type { Clock, Host, HostInfo, TextCodec } from "../io/host.js";
import type { MemoryLedger } from "../io/memory.js";
import type { JSONWriter } from "../json/writer.js";
import type { Light } from "../power/light.js";
import type { TLSPermit } from "../publish/tls-permit.js";
import type { Readout } from "../readout/readout.js";
import type { TimeZone } from "../time/zone.js";
import type { Live } from "./live.js";

/** Sleep between readings, on hosts that can sleep. */
export interface Saving {
	/** Notes a request with a valid token, which postpones sleep. */
	asked(): void;
	/** Earliest time of the next sleep, monotonic ms; Infinity if the device stays awake. */
	readonly awakeUntilMs: number;
}

/** Running instance of a part. Each member is called in the order of the parts, `stop` in reverse. */
export interface Running {
	/** Called when the gateway starts serving and joins its network; late or never if it sleeps between readings. */
	connect?(): void;
	measured?(readout: Readout): void;
	meterFailed?(): void;
	/** Called after a change of the network address; `isUp` is false without one. */
	networkChanged?(isUp: boolean): void;
	clockChanged?(): void;
	/** Called shortly before the device restarts or the program ends. */
	restarting?(): void;
	/** Called at the start of a factory reset, to write data that must survive it; the settings still exist. */
	resetting?(): void;
	/** Called during a factory reset, after the settings were deleted, to delete other data. */
	erase?(): void;
	/** Called before the ports are closed, and before `stop`. */
	disconnecting?(): void;
	/** Ends the instance permanently. */
	stop?(): void;
	/** True while sleep would interrupt an activity. */
	readonly isBusy?: boolean;
	/** True if the device must start as for a user and must not sleep. */
	readonly staysAwake?: boolean;
	/** True while data waits to be sent or is being sent; postpones sleep while there is a network. */
	readonly isSending?: boolean;
}

/** A part as key of `Core.find`, reduced to the type of its instance. */
export interface Opened<Instance> {
	/** Creates the instance, or returns undefined. Earlier parts of the list are already open. */
	readonly open: (core: Core, ...more: never) => Instance;
}

export interface Core {
	readonly host: Host;
	readonly info: HostInfo;
	readonly clock: Clock;
	readonly crypto: Crypto;
	readonly text: TextCodec;
	/** The host's storage; counts refused writes. */
	readonly storage: WatchedStorage;
	/** Partitions other than the settings; undefined without any. */
	readonly flash: Flash | undefined;
	/** Runs all time-driven machines. */
	readonly driver: Driver;
	readonly writer: JSONWriter;
	readonly config: ConfigStore;
	readonly events: EventLog;
	readonly ledger: MemoryLedger;
	/** Notified of each change of the visible state. */
	readonly live: Live;
	/** Undefined without a status light. */
	readonly light: Light | undefined;
	readonly zone: TimeZone;
	/** Permit for the single outgoing TLS connection. */
	readonly tlsPermit: TLSPermit;
	/** Undefined on hosts that cannot sleep. */
	readonly saving: Saving | undefined;
	/** Causes of the last faults in safe mode, where the meter is not read; otherwise empty. */
	readonly safeMode: string;
	readonly hostname: string;
	/** True after a wake by the timer; changes of the network are then not logged. */
	readonly isRoutine: boolean;
	/** Time of the start, monotonic ms. */
	readonly startedMs: number;
	/** Actual ports; 0 while closed. */
	readonly httpPort: number;
	readonly httpsPort: number;
	/** Calls `run` and logs what it throws as from `part`. */
	guard(part: string, run: () => void): void;
	/** Writes a line to the developer's log; never a secret. */
	trace(message: string): void;
	find<Instance>(part: Opened<Instance>): Instance;
	/** Returns the current scope of a token, SCOPE_… (auth/tokens.ts). */
	scopeOf(token: string): number;
	/** Updates certificate and network names after a short delay. */
	refreshSoon(): void;
	/** Notifies all parts of a changed or lost network. */
	networkChanged(): void;
	/** Notifies all parts that the clock was set. */
	clockChanged(): void;
	/** Notifies all parts of a good readout. */
	measured(readout: Readout): void;
	/** Reports the result of a readout: a stable error code, or "" on success. Notifies all parts of a failure. */
	meterChanged(code: string): void;
	/**
	 * Deletes all settings and sessions and restarts once the current reply can have been sent. Throws if flash refuses a
	 * deletion, but restarts nevertheless.
	 */
	factoryReset(): void;
	/** Restarts once the current reply can have been sent. */
	restartSoon(): void;
}
