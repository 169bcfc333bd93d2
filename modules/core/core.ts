/** Interface between the parts and the gateway (app/gateway.ts). */
import type { ConfigStore } from "../config/store.js";
import type { WatchedStorage } from "../config/watched-storage.js";
import type { EventLog } from "../diagnostics/event-log.js";
import type { Crypto } from "../io/crypto.js";
import type { Driver } from "../io/driver.js";
import type { Flash } from "../io/flash.js";
import type { Clock, Host, HostInfo, TextCodec } from "../io/host.js";
import type { MemoryLedger } from "../io/memory.js";
import type { TLSPermit } from "../io/tls-permit.js";
import type { JSONWriter } from "../json/writer.js";
import type { Readout } from "../readout/readout.js";
import type { TimeZone } from "../time/zone.js";
import type { Light } from "./light.js";
import type { Live } from "./live.js";

export interface Saving {
	/** Called after a request with a valid token. Postpones the next sleep. */
	requestReceived(): void;
	/** Earliest time of the next sleep, monotonic ms; Infinity if the device stays awake. */
	readonly awakeUntilMs: number;
}

/**
 * Running part, with its reactions to the events of the core. An event is passed to one part after the other, in the
 * order of the list in app/parts.ts; `whenStopping` in reverse order. An event must not cause itself: the core refuses it
 * and logs a fault.
 *
 * Names of events begin with `when`, and no other name does (test/tidy/events.test.ts). A callback that a part gives to
 * its own machines therefore never receives an event of the core.
 */
export interface Running {
	/**
	 * Starts network connections, and everything that only these connections need. A gateway that sleeps between
	 * readings calls this late or never.
	 */
	whenConnecting?(): void;
	whenMeasured?(readout: Readout): void;
	/**
	 * The meter can't be read, or its momentary values have become too old (`isOld`): from then until the next readout
	 * they are unknown.
	 */
	whenMeterFailed?(isOld: boolean): void;
	/** Called when the network has changed. `isUp` is true if the gateway has an address. */
	whenNetworkChanged?(isUp: boolean): void;
	whenClockChanged?(): void;
	/** Called when the firmware, the newest known version or the progress of an installation has changed. */
	whenUpdateChanged?(): void;
	whenRestarting?(): void;
	/** Called before a factory reset deletes the settings. Write data that must survive. */
	whenResetting?(): void;
	/**
	 * Called after a factory reset has deleted the settings, and once more at the next start if the reset was interrupted
	 * or a part has thrown. Delete other data.
	 */
	whenErasing?(): void;
	/** Called before the ports close, and before `whenStopping`. */
	whenDisconnecting?(): void;
	whenStopping?(): void;
	/** True while sleep would interrupt an activity. */
	readonly isBusy?: boolean;
	/** True if the device must start as if a user had woken it, and stay awake. */
	readonly staysAwake?: boolean;
	/** True while data are waiting to be sent. While there is a network, this postpones sleep. */
	readonly isSending?: boolean;
}

/** A part's table; `Core.find` takes it as the key of the running part. */
export interface Opened<Instance> {
	/** Opens the part. Earlier parts are already open. */
	readonly open: (core: Core, ...more: never) => Instance;
}

export interface Core {
	readonly host: Host;
	readonly info: HostInfo;
	readonly clock: Clock;
	readonly crypto: Crypto;
	readonly text: TextCodec;
	readonly storage: WatchedStorage;
	/** Flash partitions other than the partition of the settings. */
	readonly flash: Flash | undefined;
	readonly driver: Driver;
	readonly writer: JSONWriter;
	readonly config: ConfigStore;
	readonly events: EventLog;
	readonly ledger: MemoryLedger;
	readonly live: Live;
	readonly light: Light | undefined;
	readonly zone: TimeZone;
	/** Permit for an outgoing TLS connection. There can be only one such connection at a time. */
	readonly tlsPermit: TLSPermit;
	/** Sleep between readings; undefined on hosts that cannot sleep. */
	readonly saving: Saving | undefined;
	/** In safe mode, in which the meter is not read, the causes of the last faults; otherwise "". */
	readonly safeMode: string;
	readonly hostname: string;
	/** True if the timer has woken the device. Network changes are not logged then. */
	readonly isRoutine: boolean;
	readonly startedMs: number;
	/** Numbers of the ports on which the servers listen; 0 while a port is closed. */
	readonly httpPort: number;
	readonly httpsPort: number;
	/** Logs an exception under the name `part`. */
	guard(part: string, run: () => void): void;
	/** Writes to the developer's log, which must contain no secrets. */
	trace(message: string): void;
	find<Instance>(part: Opened<Instance>): Instance;
	/** Returns the scope of a token, SCOPE_… (auth/tokens.ts). */
	scopeOf(token: string): number;
	/** Refreshes the certificate and the network names after a delay (app/delayed-actions.ts). */
	refreshSoon(): void;
	/** Announces the services in the network again, in the next tick. */
	updateServicesSoon(): void;
	networkChanged(): void;
	clockChanged(): void;
	updateChanged(): void;
	measured(readout: Readout): void;
	/**
	 * Called after a readout, and when momentary values have become too old (`isOld`). `code` is the failure code; ""
	 * on success.
	 */
	meterChanged(code: string, isOld: boolean): void;
	/**
	 * Deletes all settings and sessions. The device restarts after the reply to the request. Throws if the flash
	 * refuses a deletion; the device then restarts too.
	 */
	factoryReset(): void;
	restartSoon(): void;
}
