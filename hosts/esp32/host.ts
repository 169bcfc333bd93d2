/** The Host of the ESP32. */
import { BOARD } from "gateway/board";
import { RELEASE } from "gateway/release";
import config from "mc/config";
import type { Ending, Host, HostInfo, Network, Storage, TextCodec, Timers } from "../../modules/io/host.js";
import { SETTINGS_FILES } from "../../modules/provision/settings-files.js";
import { createButtonPort } from "../native/button.js";
import { NativeCrypto } from "../native/crypto.js";
import { FLASH } from "../native/flash.js";
import { MEMORY } from "../native/memory.js";
import { NativeNetwork } from "../native/network.js";
import { SDKResources, SDKText, SDKTimers } from "../native/platform.js";
import { createListenerPort } from "../native/streams.js";
import { createUDPPort } from "../native/udp.js";
import { CONSOLE } from "./console.js";
import { createCoprocessorPort } from "./coprocessor.js";
import { createEthernetPort } from "./ethernet.js";
import { type FactoryData, FactoryPartition, hostnameOf, loadFactoryData } from "./factory.js";
import { createLEDPort } from "./led.js";
import { ChipPower, ChipRetained, ChipSleep } from "./power.js";
import { UARTPort } from "./serial.js";
import { NVSStorage } from "./storage.js";
import { ChipClock, System } from "./system.js";
import { ChipUpdate } from "./update.js";
import { createWiFiPort } from "./wifi.js";

const HTTP_PORT = 80;
const HTTPS_PORT = 443;

const ACCESS_POINT_ADDRESS = "192.168.4.1";
/**
 * Country code for the channels that are allowed everywhere. A joined network may announce a country that allows more
 * channels.
 */
const COUNTRY = "01";

/** Largest transmit power of the chip, dBm. */
const MOST_DBM = 20;

const trace = (message: string): void => System.trace(message);

/** Throws an Error with a message for the user if the Host cannot be created. */
export function createHost(ending: Ending): Host {
	const timers = new SDKTimers();
	const text = new SDKText();
	const storage = new NVSStorage();
	if (storage.wasErased) trace("Flash could not be read: all settings are lost.");
	const crypto = new NativeCrypto();
	const factory = readFactoryData({ storage, crypto, text });
	const { meter, button, led } = BOARD;
	const power = new ChipPower(BOARD);
	const restart = () => void timers.set(() => System.restart(), 0);
	return {
		info: describe(factory),
		clock: new ChipClock(),
		timers,
		serial: {
			meter: new UARTPort({ pins: meter, timers, trace }),
			console: CONSOLE,
			...(HAS_RADIO ? { zigbee: createCoprocessorPort({ pins: BOARD.zigbee!, timers, trace }) } : {}),
		},
		network: createNetwork(timers),
		storage,
		flash: FLASH,
		update: new ChipUpdate({
			keys: RELEASE.updateKeys,
			revoked: RELEASE.revokedKeys,
			securityLevel: RELEASE.securityLevel,
			text,
			restart,
		}),
		retained: new ChipRetained(),
		ending,
		crypto,
		memory: MEMORY,
		text,
		power,
		sleep: new ChipSleep(BOARD, power, timers),
		resources: new SDKResources(),
		...(HAS_ETHERNET ? { ethernet: createEthernetPort({ row: BOARD.ethernet!, timers, trace }) } : {}),
		wifi: createWiFiPort({
			accessPointKey: factory.accessPointKey,
			country: COUNTRY,
			transmitDBm: BOARD.transmitDBm ?? MOST_DBM,
			timers,
			trace,
		}),
		...(button === undefined
			? { switchedOn: System.switchedOn() }
			: { button: createButtonPort((target) => System.watchButton(target, button)) }),
		...(led === undefined ? {} : { led: createLEDPort(led) }),
		restart,
		trace,
		...(SETTINGS_FILES ? { settingsFile: () => FactoryPartition.settings() } : {}),
	};
}

function readFactoryData(parts: { storage: Storage; crypto: NativeCrypto; text: TextCodec }): FactoryData {
	const partition = FactoryPartition.read();
	return loadFactoryData({
		...parts,
		partition: partition && new Uint8Array(partition),
		mac: System.mac(),
		variant: BOARD.deviceId,
		trace,
		print: trace,
	});
}

function describe(factory: FactoryData): HostInfo {
	const { name, chip, manufacturer, model, deviceId } = BOARD;
	const { serial, labelPassword } = factory;
	return {
		board: name,
		chip,
		serial,
		labelPassword,
		firmwareVersion: config.version,
		builtUtcMs: config.builtUtcMs,
		manufacturer,
		model,
		deviceId,
		hostname: hostnameOf(serial),
		timeServers: TIME_SERVERS,
		reportKey: RELEASE.reportKey,
		settingsKeys: RELEASE.settingsKeys,
		upgradeUrl: RELEASE.upgradeUrl,
	};
}

function createNetwork(timers: Timers): Network {
	const listener = (port: number, secure: boolean) => createListenerPort({ port, secure, timers });
	const ports = {
		http: listener(HTTP_PORT, false),
		https: listener(HTTPS_PORT, true),
		udp: createUDPPort({ accessPoint: ACCESS_POINT_ADDRESS, replacePorts: false, trace }),
	};
	return new NativeNetwork(ports, timers);
}
