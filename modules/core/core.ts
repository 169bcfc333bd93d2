/** Interface between the parts and the gateway (app/gateway.ts). */
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

export interface Saving {
	/** Postpones sleep, after a request with a valid token. */
	requestReceived(): void;
	/** Earliest next sleep, monotonic ms; Infinity if the device stays awake. */
	readonly awakeUntilMs: number;
}

/** Running part. The methods of all parts are called in the order of parts, `stop` in reverse order. */
export interface Running {
	/**
	 * Starts connections, and work that only they need. A gateway that sleeps between readings calls this late or
	 * never.
	 */
	connect?(): void;
	measured?(readout: Readout): void;
	meterFailed?(): void;
	/** `isUp`: true if the gateway has an address. */
	networkChanged?(isUp: boolean): void;
	clockChanged?(): void;
	/** Firmware, newest known version or progress of an installation has changed. */
	updateChanged?(): void;
	restarting?(): void;
	/** Called before a factory reset deletes the settings. Write data that must survive. */
	resetting?(): void;
	/** Called after a factory reset has deleted the settings. Delete other data. */
	erase?(): void;
	/** Called before the ports close, and before `stop`. */
	disconnecting?(): void;
	stop?(): void;
	/** True while sleep would interrupt an activity. */
	readonly isBusy?: boolean;
	/** True if the device must start as if a user had woken it, and stay awake. */
	readonly staysAwake?: boolean;
	/** True while data waits to be sent; postpones sleep while there is a network. */
	readonly isSending?: boolean;
}

/** Key of `Core.find`. */
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
	/** Partitions other than the settings'. */
	readonly flash: Flash | undefined;
	readonly driver: Driver;
	readonly writer: JSONWriter;
	readonly config: ConfigStore;
	readonly events: EventLog;
	readonly ledger: MemoryLedger;
	readonly live: Live;
	readonly light: Light | undefined;
	readonly zone: TimeZone;
	/** Permit for the single outgoing TLS connection. */
	readonly tlsPermit: TLSPermit;
	/** Sleep between readings; undefined on hosts that cannot sleep. */
	readonly saving: Saving | undefined;
	/** Causes of the last faults in safe mode, where the meter is not read; otherwise "". */
	readonly safeMode: string;
	readonly hostname: string;
	/** True after a wake by the timer; network changes are not logged then. */
	readonly isRoutine: boolean;
	readonly startedMs: number;
	/** Actual ports; 0 while closed. */
	readonly httpPort: number;
	readonly httpsPort: number;
	/** Logs an exception under the name `part`. */
	guard(part: string, run: () => void): void;
	/** Writes to the developer's log, which must contain no secrets. */
	trace(message: string): void;
	find<Instance>(part: Opened<Instance>): Instance;
	/** Returns a token's SCOPE_… (auth/tokens.ts). */
	scopeOf(token: string): number;
	/** Refreshes certificate and network names after a delay (app/delayed-actions.ts). */
	refreshSoon(): void;
	networkChanged(): void;
	clockChanged(): void;
	updateChanged(): void;
	measured(readout: Readout): void;
	/** `code`: "" on success. */
	meterChanged(code: string): void;
	/**
	 * Deletes all settings and sessions and restarts after the reply. Throws if flash refuses a deletion, but restarts
	 * nevertheless.
	 */
	factoryReset(): void;
	restartSoon(): void;
}
