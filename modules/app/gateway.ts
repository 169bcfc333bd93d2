/** The one place where the parts of the gateway are made and wired; everything else is told what it needs. */
import { API } from "../api/api.js";
import { prepareReadingKeys } from "../api/readings.js";
import { Account } from "../auth/account.js";
import { Login } from "../auth/login.js";
import { Sessions } from "../auth/sessions.js";
import { Tokens } from "../auth/tokens.js";
import { AccessSettings, TokenSettings } from "../config/access.js";
import { InstalledCertificate } from "../config/certificates.js";
import { HubCertificates } from "../config/hub.js";
import { MeterSettingsStore } from "../config/meter.js";
import { CONTROL_LOG_EN } from "../config/meter-fields.js";
import { NetworkSettings } from "../config/network.js";
import { ConfigStore } from "../config/store.js";
import { SYSTEM_TIMEZONE } from "../config/system-fields.js";
import { HTTPServer } from "../http/server.js";
import type { Host } from "../io/host.js";
import { JSONWriter } from "../json/writer.js";
import { ConversationLog } from "../meter/conversation-log.js";
import { MeterReader } from "../meter/reader.js";
import { NetworkManager } from "../network/manager.js";
import { TimeZone } from "../time/zone.js";

/** Position of the HTTPS listener among the server's ports. */
const HTTPS = 1;
/** Resource with the OBIS names. */
const NAMES_RESOURCE = "obis-names.bin";
/** Resource with the time zones. */
const ZONES_RESOURCE = "timezones.bin";
/** Connections at once, in all and by TLS: one of those costs the chip 24 KB beside ours (decision 7). */
const CONNECTIONS = 4;
const TLS_CONNECTIONS = 2;

/** Between the reply to whoever wanted it, and a restart. */
const RESTART_DELAY_MS = 1500;

export class Gateway {
	readonly #host: Host;
	readonly #config: ConfigStore;
	readonly #reader: MeterReader;
	readonly #zone: TimeZone;
	readonly #certificate: InstalledCertificate;
	readonly #networkSettings: NetworkSettings;
	/** Undefined where there is no radio. */
	readonly #network: NetworkManager | undefined;
	#server: HTTPServer | undefined;

	constructor(host: Host) {
		this.#host = host;
		this.#config = new ConfigStore(host.storage, host.text);
		this.#certificate = new InstalledCertificate(this.#config, host.storage);
		const port = host.wifi;
		const { hostname } = host.info;
		this.#networkSettings = new NetworkSettings(this.#config, { hostname, accessPointKey: port?.accessPointKey ?? "" });
		if (port !== undefined) {
			const { clock, timers, text } = host;
			this.#network = new NetworkManager({
				port,
				settings: this.#networkSettings,
				clock,
				timers,
				text,
				guard: (part, run) => this.guard(part, run),
				trace: (message) => host.trace(message),
			});
		}
		this.#zone = new TimeZone(host.resources.get(ZONES_RESOURCE));
		this.#zone.select(this.#config.get(SYSTEM_TIMEZONE));
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
		this.guard("tls", () => this.serveInstalledCertificate());
		this.#network?.start();
		this.meterChanged();
	}

	/** Instead of the device's own. One that can't be served is given up: a device that nobody can reach helps nobody. */
	private serveInstalledCertificate(): void {
		if (!this.#certificate.isThere || this.#host.network.https === undefined) return;
		const file = this.#certificate.read();
		try {
			if (file === undefined) throw new Error("the installed certificate is damaged in flash");
			this.#server?.setIdentity(HTTPS, { certificate: file, key: file });
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			this.#host.trace(`tls: ${reason}`);
			this.#certificate.remove(reason.slice(0, 128));
		}
	}

	stop(): void {
		this.#server?.close();
		this.#server = undefined;
		this.#network?.stop();
		this.#reader.stop();
	}

	private makeAPI(): API {
		const { info, clock, crypto, text, resources } = this.#host;
		const account = new Account(new AccessSettings(this.#config), info.labelPassword, crypto, text);
		const sessions = new Sessions(crypto, clock, text);
		const tokens = new Tokens(new TokenSettings(this.#config), crypto, clock, text);
		const writer = new JSONWriter(text);
		const networkSettings = this.#networkSettings;
		const hubCertificates = new HubCertificates(this.#config, this.#host.storage);
		// Flash that can't be cleared must not keep the gateway from starting.
		this.guard("hub", () => hubCertificates.sweep());
		return new API({
			config: this.#config,
			crypto,
			certificate: this.#certificate,
			factoryCertificate: () => this.#host.network.https?.certificate,
			hubCertificates,
			login: new Login({ account, sessions, crypto, clock, text }),
			sessions,
			tokens,
			reader: this.#reader,
			names: resources.get(NAMES_RESOURCE),
			writer,
			readingKeys: prepareReadingKeys(writer),
			clock,
			zone: this.#zone,
			text,
			get hostname() {
				return networkSettings.hostname;
			},
			networkSettings,
			network: this.#network,
			info,
			power: this.#host.power,
			factoryReset: () => {
				tokens.revokeAll();
				this.#config.erase();
				sessions.revokeAll();
				this.restartSoon();
			},
			restartSoon: () => this.restartSoon(),
			httpsPort: () => (this.#host.network.https === undefined ? 0 : (this.#server?.portNumber(HTTPS) ?? 0)),
			meterChanged: () => this.meterChanged(),
		});
	}

	private restartSoon(): void {
		this.#host.timers.set(() => this.#host.restart(), RESTART_DELAY_MS);
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
