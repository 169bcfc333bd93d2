/** What every part of the gateway can use. app/gateway.ts is the one implementation. */
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
	/** A client with a token has sent a request: no sleep for a while. */
	asked(): void;
	/** Monotonic ms until which the device stays awake; Infinity: it does not sleep. */
	readonly awakeUntilMs: number;
}

/** What runs of a part, for the core. Each member is called in the order of the parts, `stop` in reverse. */
export interface Running {
	/** The gateway serves and joins its network from now on. With sleep between readings this comes late or never. */
	connect?(): void;
	/** A meter has given a good readout. */
	measured?(readout: Readout): void;
	/** A meter was to be read and was not. */
	meterFailed?(): void;
	/** We have another address in a network, or, where `isUp` is false, none. */
	networkChanged?(isUp: boolean): void;
	/** The clock was set. */
	clockChanged?(): void;
	/** The device starts anew in a moment, or ends. */
	restarting?(): void;
	/** A factory reset begins: what must outlive it is written now, while the settings are still there. */
	resetting?(): void;
	/** A factory reset: deletes what is not in the settings, which are deleted already. */
	erase?(): void;
	/** The gateway is about to serve nobody any more: before its ports are closed, and `stop`. */
	disconnecting?(): void;
	/** For good. */
	stop?(): void;
	/** Sleep would cut something off. */
	readonly isBusy?: boolean;
	/** The device is to start as if somebody were there, and not to sleep. */
	readonly staysAwake?: boolean;
	/** Something waits to be sent, or is on its way: sleep waits for it while there is a network. */
	readonly isSending?: boolean;
}

/** What `Core.find` goes by: a part (part.ts), as far as its instance is concerned. */
export interface Opened<Instance> {
	/** Makes what runs; undefined where nothing does. Parts of the list before this one are there. */
	readonly open: (core: Core, ...more: never) => Instance;
}

export interface Core {
	readonly host: Host;
	readonly info: HostInfo;
	readonly clock: Clock;
	readonly crypto: Crypto;
	readonly text: TextCodec;
	/** The host's; it counts what flash refuses. */
	readonly storage: WatchedStorage;
	/** Partitions beside the settings; undefined where there are none. */
	readonly flash: Flash | undefined;
	/** Runs all that time moves. */
	readonly driver: Driver;
	readonly writer: JSONWriter;
	readonly config: ConfigStore;
	readonly events: EventLog;
	readonly ledger: MemoryLedger;
	/** Told of each change of what the state shows. */
	readonly live: Live;
	/** The status light; undefined where there is none. */
	readonly light: Light | undefined;
	readonly zone: TimeZone;
	/** Permit for the one TLS connection to another server. */
	readonly tlsPermit: TLSPermit;
	/** Undefined where the host can't sleep. */
	readonly saving: Saving | undefined;
	/** How the last starts have ended, which is why the meter is not read; empty: this is no safe mode. */
	readonly safeMode: string;
	/** The gateway's name in its network. */
	readonly hostname: string;
	/** It was woken for a reading: what comes and goes then is no event. */
	readonly isRoutine: boolean;
	/** Monotonic ms of the start. */
	readonly startedMs: number;
	/** Ports that are listened on; 0 while there is none. */
	readonly httpPort: number;
	readonly httpsPort: number;
	/** Runs it; what it throws is traced under this name and goes no further. */
	guard(part: string, run: () => void): void;
	/** One line for the developer's log. Never a secret. */
	trace(message: string): void;
	/** What runs of this part. */
	find<Instance>(part: Opened<Instance>): Instance;
	/** What a token allows at this moment: one of SCOPE_… (auth/tokens.ts). */
	scopeOf(token: string): number;
	/** Something that our network, name or address depends on is another: certificate and names follow in a moment. */
	refreshSoon(): void;
	/** The network is another, or none: told to all parts. */
	networkChanged(): void;
	/** The clock was set: told to all parts. */
	clockChanged(): void;
	/** A meter has given a good readout: told to all parts. */
	measured(readout: Readout): void;
	/** A meter was to be read and was not; "": it was read. Told to all parts, with the stable code. */
	meterChanged(code: string): void;
	/**
	 * Forgets all settings and whoever is logged in, and starts anew when this reply has had the time to leave. It starts
	 * anew also when it throws: flash has refused, and not all could be deleted.
	 */
	factoryReset(): void;
	/** The device starts anew when this reply has had the time to leave (decision 4). */
	restartSoon(): void;
}
