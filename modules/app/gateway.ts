/** The one place where the parts of the gateway are made and wired; everything else is told what it needs. */
import { API } from "../api/api.js";
import type { Device } from "../api/exchange.js";
import { Live } from "../core/live.js";
import { prepareReadingKeys } from "../meter/routes/readings.js";
import { Account } from "../auth/account.js";
import { Login } from "../auth/login.js";
import { Sessions } from "../auth/sessions.js";
import { Tokens } from "../auth/tokens.js";
import { AccessSettings, TokenSettings } from "../auth/settings.js";
import { DLMS_OBIS_ENTRIES } from "../meter/dlms-fields.js";
import { groupsOf } from "../config/entries.js";
import { HubCertificates } from "../config/hub.js";
import { MeterSettingsStore } from "../meter/settings-store.js";
import { CONTROL_LOG_EN } from "../meter/fields.js";
import { MQTTCertificates } from "../config/mqtt.js";
import { NetworkSettings } from "../wifi/settings.js";
import { scheduleOf } from "../meter/schedule-settings.js";
import type { Field } from "../config/schema.js";
import { type ConfigListener, ConfigStore } from "../config/store.js";
import { SYSTEM_TIMEZONE } from "../time/fields.js";
import { WatchedStorage } from "../config/watched-storage.js";
import { ZIGBEE_MAPPING } from "../zigbee/fields.js";
import { EventLog } from "../diagnostics/event-log.js";
import {
	EVENT_MISSED,
	EVENT_RESTART,
	EVENT_SAFE_MODE,
	EVENT_SETTINGS,
	EVENT_STARTED,
	EVENT_STORAGE,
} from "../diagnostics/events.js";
import { isPollList } from "../dlms/poll-list.js";
import { History } from "../history/history.js";
import { StaticFiles } from "../http/static.js";
import { Driver } from "../io/driver.js";
import type { Host, TextCodec } from "../io/host.js";
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
import type { CablePolicy } from "../wifi/cable.js";
import { NetworkManager } from "../wifi/manager.js";
import { Acts } from "./acts.js";
import { Firmware } from "../ota/firmware.js";
import { guardWith } from "./guard.js";
import { Identity, type IdentityWorld } from "../certificate/identity.js";
import { NetworkServices } from "../wifi/services.js";
import { Occurrences } from "./occurrences.js";
import { type Concerned, tellOfChange } from "./on-changed.js";
import { Outputs } from "./outputs.js";
import { PowerCycles } from "./power-cycles.js";
import { PowerSaving, type SavingUser } from "./power-saving.js";
import { Serving } from "./serving.js";
import { Starts } from "./starts.js";
import type { Zigbee } from "../zigbee/owner.js";

/** Resource with the OBIS names. */
const NAMES_RESOURCE = "obis-names.bin";
/** Resource with the web page. */
const PAGE_RESOURCE = "web.bin";
/** Resource with the time zones. */
const ZONES_RESOURCE = "timezones.bin";
/** Nobody waits for it. */
const NOBODY = Object.freeze({ finished: () => {} });

interface World extends IdentityWorld {
	readonly storage: WatchedStorage;
	/** Of all that time moves. */
	readonly driver: Driver;
	readonly text: TextCodec;
	readonly writer: JSONWriter;
}

export class Gateway implements Device, Concerned, ConfigListener, SavingUser {
	readonly #host: Host;
	/** What many parts need: one object for all of them, since each takes slots. */
	readonly #world: World;
	readonly config: ConfigStore;
	readonly reader: MeterReader;
	readonly schedule: Schedule;
	readonly zone: TimeZone;
	readonly #identity: Identity;
	readonly #hubCertificates: HubCertificates;
	readonly #mqttCertificates: MQTTCertificates;
	readonly #networkSettings: NetworkSettings;
	/** Undefined where there is no Wi-Fi. */
	readonly network: NetworkManager | undefined;
	/** Undefined where there is no radio, or no UDP. */
	readonly #services: NetworkServices | undefined;
	readonly #sessions: Sessions;
	readonly #tokens: Tokens;
	readonly #light: Light | undefined;
	readonly #ledger: MemoryLedger;
	readonly #events: EventLog;
	readonly #serving = new Serving();
	readonly #live = new Live(this.#serving);
	readonly #occurrences: Occurrences;
	readonly #startedMs: number;
	/** Undefined where there is no flash for it. */
	readonly #history: History | undefined;
	/** For the API. */
	readonly safeMode: string;
	/** Undefined where nothing is retained over a restart. */
	readonly #starts: Starts | undefined;
	/** Undefined where the host can't sleep. */
	readonly #saving: PowerSaving | undefined;
	#button: Button | undefined;
	#powerCycles: PowerCycles | undefined;
	readonly #acts: Acts;
	/** Undefined where there is no second place for firmware. */
	readonly firmware: Firmware | undefined;
	/** What readings leave by; undefined in safe mode. */
	readonly outputs: Outputs | undefined;
	/** Undefined where the board has no coprocessor. */
	readonly zigbee: Zigbee | undefined;

	/** Boards without a coprocessor have no `Radio`, those without Ethernet no `Cable`, and nothing of it in their flash. */
	constructor(host: Host, Radio?: typeof Zigbee, Cable?: typeof CablePolicy) {
		this.#host = host;
		const { crypto, clock, timers, text, info } = host;
		const trace = (message: string) => host.trace(message);
		const guard = guardWith(trace);
		const driver = new Driver({ clock, timers, guard });
		// First of all: what goes wrong from here on is counted.
		const { ending, sleep } = host;
		if (sleep !== undefined) this.#saving = new PowerSaving({ driver, clock, text, guard }, host, sleep, this);
		const saving = this.#saving;
		const gated = saving?.gate(host) ?? host;
		const { retained, flash } = gated;
		if (retained !== undefined) this.#starts = new Starts({ driver, text }, retained, ending, this);
		this.safeMode = this.#starts?.safeMode ?? "";
		const events = new EventLog({ clock, trace }, flash?.open("log"));
		this.#events = events;
		const { isRoutine = false, failureBefore: meterFailure } = saving ?? {};
		const isClockSet = clock.utcMs() !== undefined;
		const occurrences = new Occurrences(events, { isRoutine, isClockSet, meterFailure });
		this.#occurrences = occurrences;
		if (!isRoutine) events.note(EVENT_STARTED, ending?.cause);
		if (this.safeMode !== "") events.note(EVENT_SAFE_MODE, this.safeMode);
		const storage = new WatchedStorage(gated.storage, trace, (key) => events.note(EVENT_STORAGE, key));
		this.config = new ConfigStore(storage, text);
		this.config.verify(DLMS_OBIS_ENTRIES, isPollList);
		this.config.verify(ZIGBEE_MAPPING, isMapping);
		const writer = new JSONWriter(text);
		const world = { storage, crypto, clock, driver, text, info, writer, guard, trace };
		this.#world = world;
		this.#acts = new Acts(driver, this);
		this.#ledger = new MemoryLedger(host.memory);
		this.#identity = new Identity(world, this.config);
		const place = { store: this.config, storage, memory: this.#ledger };
		this.#hubCertificates = new HubCertificates(place);
		this.#mqttCertificates = new MQTTCertificates(place);
		const port = host.wifi;
		const { hostname } = info;
		this.#networkSettings = new NetworkSettings(this.config, { hostname, accessPointKey: port?.accessPointKey ?? "" });
		if (port !== undefined) {
			this.network = new NetworkManager(world, this.#networkSettings, this, host.ethernet && Cable);
		}
		const { network } = host;
		const { udp } = network;
		if (port !== undefined && udp !== undefined && this.safeMode === "") {
			this.#services = new NetworkServices(Object.assign(world, { udp, network, clockUser: this }));
		}
		this.#sessions = new Sessions(crypto, clock, host.text);
		this.#tokens = new Tokens(new TokenSettings(this.config), crypto, clock, host.text);
		this.zone = new TimeZone(host.resources.get(ZONES_RESOURCE));
		this.zone.select(this.config.get(SYSTEM_TIMEZONE));
		if (host.led !== undefined) this.#light = new Light(world, host.led);
		const ledger = this.#ledger;
		const history = History.open({ world, ledger, zone: this.zone, flash }, this.config.wasErasing);
		this.#history = history;
		this.reader = new MeterReader({
			world,
			light: this.#light,
			port: host.serial.meter,
			ledger,
			settings: new MeterSettingsStore(this.config, world),
			failureChanged: (failure) => {
				occurrences.meterChanged(failure?.code ?? "");
				if (failure === undefined) return;
				this.outputs?.meterFailed();
				this.zigbee?.meterFailed();
			},
			measured: (readout) => this.measured(readout),
			live: this.#live,
		});
		const plan = () => scheduleOf(this.config);
		const missed = (count: number) => events.note(EVENT_MISSED, String(count));
		this.schedule = new Schedule({ world, zone: this.zone, reader: this.reader, plan, missed, live: this.#live });
		this.#startedMs = clock.monotonicMs();
		const [{ config, reader }, networkSettings] = [this, this.#networkSettings];
		const parts = { config, events, ledger, networkSettings, reader, update: host.update };
		if (this.safeMode === "") {
			const { ports, power } = { ports: host.network, power: host.power };
			const names = host.resources.get(NAMES_RESOURCE);
			const certificates = { hubCertificates: this.#hubCertificates, mqttCertificates: this.#mqttCertificates };
			const shared = { ...parts, ...certificates, names, ports, power, radio: this.network, saving, live: this.#live };
			this.outputs = new Outputs(world, shared);
		}
		const more = { serving: this.#serving, network: this.network, live: this.#live, device: this };
		// One object for both: it takes slots.
		const whole = { ...parts, ...more, light: this.#light, services: this.#services, isRoutine };
		this.zigbee = Radio?.open(host, world, whole);
		this.config.listen(this);
		this.firmware = Firmware.open(host, world, whole);
	}

	settingsChanged(changed: readonly Field[], applied: readonly Field[]): void {
		const groups = groupsOf(changed);
		if (groups !== "") this.#events.note(EVENT_SETTINGS, groups);
		tellOfChange(this, changed, applied);
		this.#live.changed();
	}

	/** Runs from now on. Throws when a listener can't be opened. */
	start(): void {
		const { switchedOn, button, ending } = this.#host;
		const { driver, guard, trace } = this.#world;
		const [safeMode, saving] = [this.safeMode, this.#saving];
		// First of all: whoever resets the unit may do so because it does not start.
		if (switchedOn !== undefined) {
			guard("power cycles", () => {
				this.#powerCycles = new PowerCycles(this.#world);
				this.#powerCycles.start(switchedOn, this);
			});
		}
		for (const key of this.config.damaged) {
			trace(`config: ${key} was damaged in flash, defaults are used`);
		}
		if (safeMode !== "") trace(`safe mode: ${safeMode}`);
		if (saving === undefined) this.connect();
		if (button !== undefined) this.#button = new Button(driver, button, this);
		if (safeMode === "" && saving?.isEmpty !== true) {
			this.meterChanged();
			guard("schedule", () => {
				const { keptSchedule, failureBefore } = saving ?? {};
				this.schedule.start(this.#history?.lastUtcMs ?? 0, keptSchedule, failureBefore);
			});
			// The last readout was lost with the sleep.
			if (saving?.isForPerson) this.reader.read(NOBODY);
		}
		const [history, networkSettings, starts] = [this.#history, this.#networkSettings, this.#starts];
		const [events, occurrences, light] = [this.#events, this.#occurrences, this.#light];
		const [serving, outputs, zigbee] = [this.#serving, this.outputs, this.zigbee];
		saving?.start({ history, networkSettings, starts, events, occurrences, light, serving, outputs, zigbee }, ending);
	}

	/** Serves from now on, and joins the network. For PowerSaving. Throws when a listener can't be opened. */
	connect(): void {
		const { network, wifi, ethernet, serial } = this.#host;
		const { driver, text, trace } = this.#world;
		const { hostname } = this.#networkSettings;
		const options = { driver, text, handler: this.makeAPI(), trace, ledger: this.#ledger };
		this.#serving.open(network, options, () => this.#identity.ownPair(hostname));
		this.#world.guard("tls", () => {
			const { listener } = this.#serving;
			if (listener !== undefined && this.safeMode === "") this.#identity.serveInstalled(listener, hostname);
		});
		if (wifi !== undefined) this.network?.start(wifi, ethernet);
		this.#world.guard("zigbee", () => this.zigbee?.begin());
		if (serial.console !== undefined && wifi !== undefined)
			this.#serving.openConsole(serial.console, this.#world, this.#networkSettings, this);
		if (this.#saving?.isByButton) this.network?.bringUp();
	}

	/** For Button. */
	pressed(press: number): void {
		if (press !== PRESS_SHORT) {
			this.factoryReset();
			return;
		}
		this.#saving?.pressed();
		this.network?.bringUp();
	}

	/** For NetworkManager. */
	networkChanged(): void {
		const network = this.network;
		if (network === undefined) return;
		const { address, isByCable, accessPointOn } = network;
		this.#live.changed();
		this.#light?.waiting(accessPointOn && address === undefined);
		const { hostname } = this.#networkSettings;
		const ip = address?.ip ?? "";
		if (this.#occurrences.networkChanged(ip, isByCable)) this.outputs?.networkChanged(ip !== "");
		if (this.#serving.listener !== undefined && this.#identity.isOutdated(hostname, ip)) {
			this.#acts.readdressSoon();
		}
		const { httpPort, httpsPort } = this;
		this.#services?.update({ address, isByCable, accessPointOn, hostname, httpPort, httpsPort });
	}

	get httpPort(): number {
		return this.#serving.httpPort;
	}

	get httpsPort(): number {
		return this.#serving.httpsPort;
	}

	stop(): void {
		this.#saving?.stop();
		this.#acts.stop();
		this.#starts?.drive.stop();
		// Before the firmware: a file that comes over Zigbee goes on at the next start.
		this.zigbee?.stop();
		this.firmware?.stop();
		this.#services?.stop();
		this.#serving.close();
		this.network?.stop();
		this.#button?.stop();
		this.#powerCycles?.stop();
		this.schedule.stop();
		this.reader.stop();
		this.outputs?.stop();
		this.#history?.stop();
		this.#light?.stop();
	}

	private makeAPI(): API {
		const { info, clock, crypto, text, resources, ending, memory } = this.#host;
		const account = new Account(new AccessSettings(this.config), info.labelPassword, crypto, text);
		const sessions = this.#sessions;
		const { writer, storage } = this.#world;
		return new API({
			config: this.config,
			storage,
			crypto,
			installedCertificate: this.#identity.installed,
			ownCertificate: this.#identity.own,
			hubCertificates: this.#hubCertificates,
			hub: this.outputs?.hub,
			mqttCertificates: this.#mqttCertificates,
			mqtt: this.outputs?.mqtt,
			login: new Login({ account, sessions, crypto, clock, text }),
			sessions,
			tokens: this.#tokens,
			reader: this.reader,
			schedule: this.schedule,
			events: this.#events,
			live: this.#live,
			history: this.#history,
			ledger: this.#ledger,
			memory,
			names: resources.get(NAMES_RESOURCE),
			writer,
			readingKeys: prepareReadingKeys(writer),
			clock,
			zone: this.zone,
			text,
			networkSettings: this.#networkSettings,
			network: this.network,
			zigbee: this.zigbee,
			time: this.#services?.time,
			info,
			ending,
			startedMs: this.#startedMs,
			power: this.#host.power,
			device: this,
			updater: this.firmware?.updater,
			saving: this.#saving,
			reports: { isBusy: false, update: this.#host.update },
			page: new StaticFiles(resources.get(PAGE_RESOURCE), text),
		});
	}

	factoryReset(): void {
		this.#light?.resetting();
		try {
			this.zigbee?.forget();
			// First: a reset that is cut from here on is gone on with by the next start, which knows nothing of the log.
			this.#events.erase();
			this.config.erase();
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
		this.outputs?.hub?.settingsChanged();
	}

	/** The certificate may be too old by it, or too new. For TimeService, and the API. */
	clockChanged(): void {
		const { clock } = this.#world;
		const utcMs = clock.utcMs();
		if (utcMs !== undefined) this.reader.outcomes.dateBack(utcMs, clock.monotonicMs());
		this.#occurrences.clockChanged();
		this.#saving?.clockChanged();
		this.schedule.clockChanged();
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
		this.#world.guard("tls", () => {
			const { listener } = this.#serving;
			const { hostname } = this.#networkSettings;
			if (listener !== undefined) this.#identity.renew(listener, hostname, this.network?.address?.ip ?? "");
		});
		this.#world.guard("network", () => this.networkChanged());
	}

	/** For Acts. */
	restart(): void {
		// Others should know that its name answers nobody for a while.
		this.#world.guard("network", () => this.#services?.stop());
		this.#world.guard("trial", () => this.firmware?.restarting());
		this.#starts?.askedFor();
		this.#host.restart();
	}

	/** For MeterReader: a meter has given a good readout. */
	measured(readout: Readout): void {
		this.#history?.record(readout);
		this.outputs?.measured(readout);
		this.#world.guard("zigbee", () => this.zigbee?.measured(readout));
	}

	/** In safe mode nobody talks to the meter. */
	meterChanged(): void {
		if (this.safeMode !== "") return;
		const wantsLog = this.config.get(CONTROL_LOG_EN);
		if (!wantsLog) this.reader.log = undefined;
		else this.reader.log ??= new ConversationLog();
		this.reader.reconfigure();
	}
}
