/** The one place where the parts of the gateway are made and wired; everything else is told what it needs. */
import { API } from "../api/api.js";
import type { Device } from "../api/exchange.js";
import { Live } from "../api/live.js";
import { prepareReadingKeys } from "../api/readings.js";
import { Account } from "../auth/account.js";
import { Login } from "../auth/login.js";
import { Sessions } from "../auth/sessions.js";
import { Tokens } from "../auth/tokens.js";
import { AccessSettings, TokenSettings } from "../config/access.js";
import { DLMS_OBIS_ENTRIES } from "../config/dlms-fields.js";
import { groupsOf } from "../config/entries.js";
import { HubCertificates } from "../config/hub.js";
import { MeterSettingsStore } from "../config/meter.js";
import { CONTROL_LOG_EN } from "../config/meter-fields.js";
import { MQTTCertificates } from "../config/mqtt.js";
import { NetworkSettings } from "../config/network.js";
import { scheduleOf } from "../config/schedule.js";
import type { Field } from "../config/schema.js";
import { type ConfigListener, ConfigStore } from "../config/store.js";
import { SYSTEM_TIMEZONE } from "../config/system-fields.js";
import { StorageRefusal, WatchedStorage } from "../config/watched-storage.js";
import { ZIGBEE_MAPPING } from "../config/zigbee-fields.js";
import { EventLog } from "../diagnostics/event-log.js";
import {
	EVENT_CLOCK,
	EVENT_METER_FAILED,
	EVENT_METER_READ,
	EVENT_MISSED,
	EVENT_NETWORK_DOWN,
	EVENT_NETWORK_UP,
	EVENT_RESTART,
	EVENT_SAFE_MODE,
	EVENT_SETTINGS,
	EVENT_STARTED,
	EVENT_STORAGE,
} from "../diagnostics/events.js";
import { isPollList } from "../dlms/poll-list.js";
import { History } from "../history/history.js";
import { type HTTPPort, HTTPServer } from "../http/server.js";
import { StaticFiles } from "../http/static.js";
import { Driver } from "../io/driver.js";
import type { Host, Listener, TextCodec } from "../io/host.js";
import { MemoryLedger } from "../io/memory.js";
import { JSONWriter } from "../json/writer.js";
import { ConversationLog } from "../meter/conversation-log.js";
import { MeterReader } from "../meter/reader.js";
import { Schedule } from "../meter/schedule.js";
import { isMapping } from "../obis/mapping.js";
import { Button, PRESS_SHORT } from "../power/button.js";
import { Light } from "../power/light.js";
import type { Readout } from "../readout/readout.js";
import { TimeZone } from "../time/zone.js";
import { NetworkManager } from "../wifi/manager.js";
import { Acts } from "./acts.js";
import { Identity, type IdentityWorld } from "./identity.js";
import { NetworkServices } from "./network-services.js";
import { type Concerned, tellOfChange } from "./on-changed.js";
import { Outputs } from "./outputs.js";
import { PowerCycles } from "./power-cycles.js";
import { Starts } from "./starts.js";

/** Positions of the listeners among the server's ports. */
const HTTP = 0;
const HTTPS = 1;
/** Resource with the OBIS names. */
const NAMES_RESOURCE = "obis-names.bin";
/** Resource with the web page. */
const PAGE_RESOURCE = "web.bin";
/** Resource with the time zones. */
const ZONES_RESOURCE = "timezones.bin";
/** Connections at once on each port (decision 7): one of TLS costs the chip 24 KB beside ours while it sends. */
const PLACES = 3;

interface World extends IdentityWorld {
	readonly storage: WatchedStorage;
	/** Of all that time moves. */
	readonly driver: Driver;
	readonly text: TextCodec;
	readonly writer: JSONWriter;
}

export class Gateway implements Device, Concerned, ConfigListener {
	readonly #host: Host;
	/** What many parts need: one object for all of them, since each takes slots. */
	readonly #world: World;
	readonly #config: ConfigStore;
	readonly #reader: MeterReader;
	readonly #schedule: Schedule;
	readonly #zone: TimeZone;
	readonly #identity: Identity;
	readonly #hubCertificates: HubCertificates;
	readonly #mqttCertificates: MQTTCertificates;
	readonly #networkSettings: NetworkSettings;
	/** Undefined where there is no radio. */
	readonly #network: NetworkManager | undefined;
	/** Undefined where there is no radio, or no UDP. */
	readonly #services: NetworkServices | undefined;
	readonly #sessions: Sessions;
	readonly #tokens: Tokens;
	readonly #light: Light | undefined;
	readonly #ledger: MemoryLedger;
	readonly #events: EventLog;
	readonly #live = new Live();
	/** Our address in the network that was noted last. */
	#notedIP = "";
	#isClockNoted: boolean;
	/** Undefined where there is no flash for it. */
	readonly #history: History | undefined;
	/** For the API. */
	readonly safeMode: string;
	/** Undefined where nothing is retained over a restart. */
	readonly #starts: Starts | undefined;
	#server: HTTPServer | undefined;
	#button: Button | undefined;
	#powerCycles: PowerCycles | undefined;
	readonly #acts: Acts;
	/** What readings leave by; undefined in safe mode. */
	readonly #outputs: Outputs | undefined;

	constructor(host: Host) {
		this.#host = host;
		const { crypto, clock, timers, text, info } = host;
		const guard = (part: string, run: () => void) => this.guard(part, run);
		const trace = (message: string) => host.trace(message);
		const driver = new Driver({ clock, timers, guard });
		// First of all: what goes wrong from here on is counted.
		const { retained, ending } = host;
		if (retained !== undefined) this.#starts = new Starts({ driver, text }, retained, ending, this);
		this.safeMode = this.#starts?.safeMode ?? "";
		const events = new EventLog({ clock, trace }, host.flash?.open("log"));
		this.#events = events;
		events.note(EVENT_STARTED, ending?.cause);
		if (this.safeMode !== "") events.note(EVENT_SAFE_MODE, this.safeMode);
		const storage = new WatchedStorage(host.storage, trace, (key) => events.note(EVENT_STORAGE, key));
		this.#config = new ConfigStore(storage, text);
		this.#config.verify(DLMS_OBIS_ENTRIES, isPollList);
		this.#config.verify(ZIGBEE_MAPPING, isMapping);
		const writer = new JSONWriter(text);
		const world = { storage, crypto, clock, driver, text, info, writer, guard, trace };
		this.#world = world;
		this.#acts = new Acts(driver, this);
		this.#ledger = new MemoryLedger(host.memory);
		this.#identity = new Identity(world, this.#config);
		this.#hubCertificates = new HubCertificates(this.#config, storage);
		this.#mqttCertificates = new MQTTCertificates(this.#config, storage);
		const port = host.wifi;
		const { hostname } = info;
		this.#networkSettings = new NetworkSettings(this.#config, { hostname, accessPointKey: port?.accessPointKey ?? "" });
		if (port !== undefined) {
			this.#network = new NetworkManager(world, this.#networkSettings, this);
		}
		const { network } = host;
		const { udp } = network;
		if (port !== undefined && udp !== undefined && this.safeMode === "") {
			this.#services = new NetworkServices(Object.assign(world, { udp, network, clockUser: this }));
		}
		this.#sessions = new Sessions(crypto, clock, host.text);
		this.#tokens = new Tokens(new TokenSettings(this.#config), crypto, clock, host.text);
		this.#zone = new TimeZone(host.resources.get(ZONES_RESOURCE));
		this.#zone.select(this.#config.get(SYSTEM_TIMEZONE));
		if (host.led !== undefined) this.#light = new Light(world, host.led);
		const ledger = this.#ledger;
		const history = History.open({ world, ledger, zone: this.#zone, flash: host.flash }, this.#config.wasErasing);
		this.#history = history;
		this.#reader = new MeterReader({
			world,
			light: this.#light,
			port: host.serial.meter,
			ledger,
			settings: new MeterSettingsStore(this.#config, world),
			failureChanged: (failure) => {
				events.note(failure === undefined ? EVENT_METER_READ : EVENT_METER_FAILED, failure?.code);
				if (failure !== undefined) this.#outputs?.hub?.meterFailed();
			},
			measured: (readout) => this.measured(readout),
			live: this.#live,
		});
		const plan = () => scheduleOf(this.#config);
		const missed = (count: number) => events.note(EVENT_MISSED, String(count));
		this.#schedule = new Schedule({ world, zone: this.#zone, reader: this.#reader, plan, missed, live: this.#live });
		this.#isClockNoted = clock.utcMs() !== undefined;
		if (this.safeMode === "") {
			const shared = {
				config: this.#config,
				events,
				hubCertificates: this.#hubCertificates,
				mqttCertificates: this.#mqttCertificates,
				ledger,
				names: host.resources.get(NAMES_RESOURCE),
				networkSettings: this.#networkSettings,
				ports: network,
				power: host.power,
				radio: this.#network,
				reader: this.#reader,
			};
			// Over the world and not into it: the network's services have put a reader of their own there.
			this.#outputs = new Outputs(Object.assign(Object.create(world), shared));
		}
		this.#config.listen(this);
	}

	settingsChanged(changed: readonly Field[], applied: readonly Field[]): void {
		const groups = groupsOf(changed);
		if (groups !== "") this.#events.note(EVENT_SETTINGS, groups);
		tellOfChange(this, changed, applied);
		this.#live.changed();
	}

	get config(): ConfigStore {
		return this.#config;
	}

	get zone(): TimeZone {
		return this.#zone;
	}

	get reader(): MeterReader {
		return this.#reader;
	}

	get schedule(): Schedule {
		return this.#schedule;
	}

	get outputs(): Outputs | undefined {
		return this.#outputs;
	}

	get network(): NetworkManager | undefined {
		return this.#network;
	}

	/** Serves from now on. Throws when a listener can't be opened. */
	start(): void {
		const { network, switchedOn } = this.#host;
		const { driver, text, trace } = this.#world;
		// First of all: whoever resets the unit may do so because it does not start.
		if (switchedOn !== undefined) {
			this.guard("power cycles", () => {
				this.#powerCycles = new PowerCycles(this.#world);
				this.#powerCycles.start(switchedOn, this);
			});
		}
		for (const key of this.#config.damaged) {
			trace(`config: ${key} was damaged in flash, defaults are used`);
		}
		const ports: HTTPPort[] = [{ port: network.http, places: PLACES }];
		if (network.https !== undefined) {
			const identity = () => this.#identity.ownPair(this.#networkSettings.hostname);
			ports.push({ port: network.https, places: PLACES, identity });
		}
		this.#server = new HTTPServer({
			ports,
			driver,
			text,
			handler: this.makeAPI(),
			trace,
		});
		const { safeMode } = this;
		if (safeMode !== "") trace(`safe mode: ${safeMode}`);
		this.guard("tls", () => {
			const listener = this.httpsListener;
			if (listener !== undefined && safeMode === "")
				this.#identity.serveInstalled(listener, this.#networkSettings.hostname);
		});
		if (this.#host.wifi !== undefined) this.#network?.start(this.#host.wifi);
		const { button } = this.#host;
		if (button !== undefined) this.#button = new Button(driver, button, this);
		this.meterChanged();
		if (safeMode === "") this.guard("schedule", () => this.#schedule.start(this.#history?.lastUtcMs ?? 0));
	}

	/** For Button. */
	pressed(press: number): void {
		if (press === PRESS_SHORT) this.#network?.bringUp();
		else this.factoryReset();
	}

	/** For NetworkManager. */
	networkChanged(): void {
		const network = this.#network;
		if (network === undefined) return;
		const { station, accessPointOn } = network;
		this.#live.changed();
		this.#light?.waiting(accessPointOn && station === undefined);
		const { hostname } = this.#networkSettings;
		const ip = station?.ip ?? "";
		if (ip !== this.#notedIP) {
			this.#notedIP = ip;
			if (ip === "") this.#events.note(EVENT_NETWORK_DOWN);
			else this.#events.note(EVENT_NETWORK_UP, ip);
			this.#outputs?.networkChanged(ip !== "");
		}
		if (this.httpsListener !== undefined && this.#identity.isOutdated(hostname, station?.ip ?? "")) {
			this.#acts.readdressSoon();
		}
		const { httpPort, httpsPort } = this;
		this.#services?.update({ station, accessPointOn, hostname, httpPort, httpsPort });
	}

	get httpPort(): number {
		return this.#server?.listener(HTTP).port ?? 0;
	}

	get httpsPort(): number {
		return this.httpsListener?.port ?? 0;
	}

	private get httpsListener(): Listener | undefined {
		return this.#host.network.https === undefined ? undefined : this.#server?.listener(HTTPS);
	}

	stop(): void {
		this.#acts.stop();
		this.#starts?.drive.stop();
		this.#services?.stop();
		this.#server?.close();
		this.#server = undefined;
		this.#network?.stop();
		this.#button?.stop();
		this.#powerCycles?.stop();
		this.#schedule.stop();
		this.#reader.stop();
		this.#outputs?.stop();
		this.#history?.stop();
		this.#light?.stop();
	}

	private makeAPI(): API {
		const { info, clock, crypto, text, resources, ending, memory } = this.#host;
		const account = new Account(new AccessSettings(this.#config), info.labelPassword, crypto, text);
		const sessions = this.#sessions;
		const { writer } = this.#world;
		const { storage } = this.#world;
		return new API({
			config: this.#config,
			storage,
			crypto,
			installedCertificate: this.#identity.installed,
			ownCertificate: this.#identity.own,
			hubCertificates: this.#hubCertificates,
			hub: this.#outputs?.hub,
			mqttCertificates: this.#mqttCertificates,
			mqtt: this.#outputs?.mqtt,
			login: new Login({ account, sessions, crypto, clock, text }),
			sessions,
			tokens: this.#tokens,
			reader: this.#reader,
			schedule: this.#schedule,
			events: this.#events,
			live: this.#live,
			history: this.#history,
			ledger: this.#ledger,
			memory,
			names: resources.get(NAMES_RESOURCE),
			writer,
			readingKeys: prepareReadingKeys(writer),
			clock,
			zone: this.#zone,
			text,
			networkSettings: this.#networkSettings,
			network: this.#network,
			time: this.#services?.time,
			info,
			ending,
			startedMs: clock.monotonicMs(),
			power: this.#host.power,
			device: this,
			page: new StaticFiles(resources.get(PAGE_RESOURCE), text),
		});
	}

	factoryReset(): void {
		this.#light?.resetting();
		try {
			// First: a reset that is cut from here on is gone on with by the next start, which knows nothing of the log.
			this.#events.erase();
			this.#config.erase();
			const { own, installed } = this.#identity;
			const certificates = [own, installed, this.#hubCertificates, this.#mqttCertificates];
			for (const { blobs } of certificates) blobs.sweep([], true);
			this.#sessions.revokeAll();
			this.#history?.erase();
		} finally {
			// Also with flash that refuses: the next start goes on with what is marked.
			this.restartSoon();
		}
	}

	/** The name is in the certificate, and is what the device is found by. */
	hostnameChanged(): void {
		this.#acts.refreshSoon();
		this.#outputs?.hub?.settingsChanged();
	}

	/** The certificate may be too old by it, or too new. For TimeService, and the API. */
	clockChanged(): void {
		const { clock } = this.#world;
		const utcMs = clock.utcMs();
		if (utcMs !== undefined) this.#reader.outcomes.dateBack(utcMs, clock.monotonicMs());
		if (!this.#isClockNoted) this.#events.note(EVENT_CLOCK);
		this.#isClockNoted = true;
		this.#schedule.clockChanged();
		this.#live.changed();
		this.#acts.refreshSoon();
	}

	restartSoon(): void {
		this.#events.note(EVENT_RESTART);
		this.#live.end();
		this.#acts.restartSoon();
	}

	/** For Acts. */
	refresh(): void {
		this.guard("tls", () => {
			const listener = this.httpsListener;
			const { hostname } = this.#networkSettings;
			if (listener !== undefined) this.#identity.renew(listener, hostname, this.#network?.station?.ip ?? "");
		});
		this.guard("network", () => this.networkChanged());
	}

	/** For Acts. */
	restart(): void {
		// Others should know that its name answers nobody for a while.
		this.guard("network", () => this.#services?.stop());
		this.#starts?.askedFor();
		this.#host.restart();
	}

	/** For MeterReader: a meter has given a good readout. */
	measured(readout: Readout): void {
		this.#history?.record(readout);
		this.#outputs?.measured(readout);
	}

	/** In safe mode nobody talks to the meter. */
	meterChanged(): void {
		if (this.safeMode !== "") return;
		const wantsLog = this.#config.get(CONTROL_LOG_EN);
		if (!wantsLog) this.#reader.log = undefined;
		else this.#reader.log ??= new ConversationLog();
		this.#reader.reconfigure();
	}

	/** Every callback of the host goes through here: on the device an exception that escapes is a restart. */
	private guard(part: string, run: () => void): void {
		try {
			run();
		} catch (error) {
			// That was told when it happened.
			if (error instanceof StorageRefusal) return;
			this.#host.trace(`${part}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		}
	}
}
