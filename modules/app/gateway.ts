/** The one place where the parts of the gateway are made and wired; everything else is told what it needs. */
import { API } from "../api/api.js";
import { prepareReadingKeys } from "../api/readings.js";
import { Account } from "../auth/account.js";
import { Login } from "../auth/login.js";
import { Sessions } from "../auth/sessions.js";
import { AccessSettings } from "../config/access.js";
import { MeterSettingsStore } from "../config/meter.js";
import { CONTROL_LOG_EN } from "../config/meter-fields.js";
import { ConfigStore } from "../config/store.js";
import { HTTPServer } from "../http/server.js";
import type { Host } from "../io/host.js";
import { JSONWriter } from "../json/writer.js";
import { ConversationLog } from "../meter/conversation-log.js";
import { MeterReader } from "../meter/reader.js";

/** Position of the HTTPS listener among the server's ports. */
const HTTPS = 1;
/** Resource with the OBIS names. */
const NAMES_RESOURCE = "obis-names.bin";
/** Connections at once, in all and by TLS: one of those costs the chip 24 KB beside ours (decision 7). */
const CONNECTIONS = 4;
const TLS_CONNECTIONS = 2;

export class Gateway {
	readonly #host: Host;
	readonly #config: ConfigStore;
	readonly #reader: MeterReader;
	#server: HTTPServer | undefined;

	constructor(host: Host) {
		this.#host = host;
		this.#config = new ConfigStore(host.storage, host.text);
		this.#reader = new MeterReader({
			world: { clock: host.clock, timers: host.timers, guard: (part, run) => this.guard(part, run) },
			port: host.serial.meter,
			settings: new MeterSettingsStore(this.#config, host.text),
			trace: (message) => host.trace(message),
		});
	}

	/** Serves from now on. Throws when a listener can't be opened. */
	start(): void {
		const { network, clock, timers, text } = this.#host;
		for (const entry of this.#config.damaged) {
			this.#host.trace(`config: ${entry.key} was damaged in flash, its defaults are used`);
		}
		const ports = [{ port: network.http, maxConnections: CONNECTIONS }];
		if (network.https !== undefined) ports.push({ port: network.https, maxConnections: TLS_CONNECTIONS });
		this.#server = new HTTPServer({
			ports,
			clock,
			timers,
			text,
			maxConnections: CONNECTIONS,
			handler: this.makeAPI(),
			guard: (part, run) => this.guard(part, run),
			trace: (message) => this.#host.trace(message),
		});
		this.meterChanged();
	}

	stop(): void {
		this.#server?.close();
		this.#server = undefined;
		this.#reader.stop();
	}

	private makeAPI(): API {
		const { info, clock, crypto, text, resources } = this.#host;
		const account = new Account(new AccessSettings(this.#config), info.labelPassword, crypto, text);
		const sessions = new Sessions(crypto, clock, text);
		const writer = new JSONWriter(text);
		return new API({
			config: this.#config,
			login: new Login({ account, sessions, crypto, clock, text }),
			sessions,
			reader: this.#reader,
			names: resources.get(NAMES_RESOURCE),
			writer,
			readingKeys: prepareReadingKeys(writer),
			clock,
			text,
			hostname: info.hostname,
			httpsPort: () => (this.#host.network.https === undefined ? 0 : (this.#server?.portNumber(HTTPS) ?? 0)),
			meterChanged: () => this.meterChanged(),
		});
	}

	private meterChanged(): void {
		const wantsLog = this.#config.get(CONTROL_LOG_EN);
		if (!wantsLog) this.#reader.log = undefined;
		else this.#reader.log ??= new ConversationLog(this.#host.clock);
		this.#reader.reconfigure();
	}

	/** Every callback of the host goes through here: on the device an exception that escapes is a restart. */
	private guard(part: string, run: () => void): void {
		try {
			run();
		} catch (error) {
			this.#host.trace(`${part}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		}
	}
}
