/**
 * `npm run test:peers`: programs of other makers read our simulated meter, are read by our gateway, and discover it, so
 * that conformance does not rest on our own tests alone. Needs the internet the first time. A peer that can't run is
 * reported as skipped, with the reason; exit code 1 if a case fails.
 */
import { amisCases, prepareAMIS } from "./amis.js";
import { batteryClientCases, endBatteryClients, prepareBatteryClients } from "./battery-clients.js";
import { brokerCases, endBroker, prepareBroker } from "./broker.js";
import { setUpCases } from "./broker-set-up.js";
import { Checks, type Peer } from "./checks.js";
import { dsmrParserCases, prepareDsmrParser } from "./dsmr-parser.js";
import { endFleet, fleetCases, prepareFleet } from "./fleet.js";
import { gojqCases, prepareGojq } from "./gojq.js";
import { grafanaCases, prepareGrafana } from "./grafana.js";
import { guruxCases, prepareGurux } from "./gurux.js";
import { endGuruxGateway, guruxGatewayCases, prepareGuruxGateway } from "./gurux-gateway.js";
import { endGuruxYear, guruxYearCases, prepareGuruxYear } from "./gurux-year.js";
import { endHawkbit, hawkbitCases, prepareHawkbit } from "./hawkbit.js";
import { endHivemq, hivemqCases, prepareHivemq } from "./hivemq.js";
import { endHome, prepareHome } from "./home.js";
import { harnessCases, prepareHarness } from "./home-harness.js";
import { endIntegration, integrationCases, prepareIntegration } from "./home-integration.js";
import { endHomeMeters, homeMeterCases, prepareHomeMeters } from "./home-meters.js";
import { endHomeRecipes, homeRecipeCases, prepareHomeRecipes } from "./home-recipes.js";
import { hubCases } from "./hub.js";
import { jsonPathCases, prepareJSONPath } from "./json-path.js";
import { libmbusCases, prepareLibmbus } from "./libmbus.js";
import { endLiveMeter, liveMeterCases, prepareLiveMeter } from "./live-meter.js";
import { mdnsCases, prepareZeroconf } from "./mdns.js";
import { mqttCases } from "./mqtt.js";
import { nodeREDCases, prepareNodeRED } from "./node-red.js";
import { openMUCCases, prepareOpenMUC } from "./openmuc.js";
import { endModule, moduleCases, prepareModule, prepareZigpy, zigpyCases } from "./ota.js";
import { endPowerMeters, powerMeterCases, preparePowerMeters } from "./power-meters.js";
import { endPrometheus, preparePrometheus, prometheusCases } from "./prometheus.js";
import { preparePwitab, pwitabCases } from "./pwitab.js";
import { preparePyKMP, pyKMPCases } from "./pykmp.js";
import { preparePyteleinfo, pyteleinfoCases } from "./pyteleinfo.js";
import { brokerBed } from "./reading-bed.js";
import { endRecipes, prepareRecipes, recipeCases } from "./recipes.js";
import { hpkeCases, prepareHPKE } from "./report.js";
import { endScripts, prepareScripts, scriptCases } from "./scripts.js";
import { endSettingsURL, prepareSettingsURL, settingsURLCases } from "./settings-url.js";
import { prepareSmllib, smllibCases } from "./smllib.js";
import { standInCases } from "./stand-in.js";
import { statisticsCases } from "./statistics.js";
import { Firefox, WebKit } from "./web-driver.js";
import { endWalk, prepareWalk, walkCases } from "./web-engines.js";
import { prepareWienerNetze, wienerNetzeCases } from "./wiener-netze.js";
import { endZHA, prepareZHA, zhaCases } from "./zha.js";

const checks = new Checks((line) => process.stdout.write(`${line}\n`));
/** Words of the command line: only peers whose name contains one of them are run. Default: all. */
const words = process.argv.slice(2);
const check = async <T>(peer: Peer<T>) => {
	if (words.length === 0 || words.some((word) => peer.name.includes(word))) await checks.run(peer);
};

/** Readers of meters, and meters. */
async function checkMeters(): Promise<void> {
	await check({
		name: "OpenMUC j62056",
		programs: ["org.openmuc/j62056"],
		prepare: prepareOpenMUC,
		cases: openMUCCases,
	});
	await check({ name: "pwitab iec62056-21", programs: ["iec62056-21"], prepare: preparePwitab, cases: pwitabCases });
	await check({ name: "smllib", programs: ["smllib"], prepare: prepareSmllib, cases: smllibCases });
	await check({ name: "pyteleinfo", programs: ["pyteleinfo"], prepare: preparePyteleinfo, cases: pyteleinfoCases });
	await check({
		name: "wiener-netze-smartmeter-serial",
		programs: ["wiener-netze-smartmeter-serial"],
		prepare: prepareWienerNetze,
		cases: wienerNetzeCases,
	});
	await check({ name: "PyKMP", programs: ["pykmp"], prepare: preparePyKMP, cases: pyKMPCases });
	await check({ name: "libmbus in node-mbus", programs: ["node-mbus"], prepare: prepareLibmbus, cases: libmbusCases });
	await check({
		name: "PyCryptodome and pyMeterBus",
		programs: ["pycryptodome", "pyMeterBus"],
		prepare: prepareAMIS,
		cases: amisCases,
	});
	await check({ name: "dsmr_parser", programs: ["dsmr_parser"], prepare: prepareDsmrParser, cases: dsmrParserCases });
	await check({ name: "gurux-dlms", programs: ["gurux-dlms"], prepare: prepareGurux, cases: guruxCases });
	for (const engine of ["node", "xs"] as const) {
		await check({
			name: `our gateway (${engine}) and gurux.dlms`,
			programs: ["org.gurux/gurux.dlms"],
			prepare: () => prepareGuruxGateway(engine),
			cases: guruxGatewayCases,
			end: endGuruxGateway,
		});
	}
	await check({
		name: "our gateway (node) and a year of gurux.dlms",
		programs: ["org.gurux/gurux.dlms"],
		prepare: prepareGuruxYear,
		cases: guruxYearCases,
		end: endGuruxYear,
	});
}

/** Clients of live values: batteries, wallboxes, inverters. */
async function checkLiveValues(): Promise<void> {
	for (const engine of ["node", "xs"] as const) {
		await check({
			name: `our gateway (${engine}), aioshelly and python-homewizard-energy`,
			programs: ["aioshelly", "python-homewizard-energy", "zeroconf"],
			prepare: () => prepareLiveMeter(engine),
			cases: liveMeterCases,
			end: endLiveMeter,
		});
	}
	await check({
		name: "our gateway (xs), AstraMeter and uni-meter",
		programs: ["AstraMeter 2.2.3", "uni-meter 1.5.0"],
		prepare: prepareBatteryClients,
		cases: batteryClientCases,
		end: endBatteryClients,
	});
	for (const engine of ["node", "xs"] as const) {
		await check({
			name: `our gateway (${engine}), pysma-plus, pysunspec2, pymodbus, dbus-modbus-client, sunny and gosunspec`,
			programs: ["pysma-plus", "pysunspec2", "pymodbus", "dbus-modbus-client 1.83", "gitlab.com/bboehmke/sunny"],
			prepare: () => preparePowerMeters(engine),
			cases: powerMeterCases,
			end: endPowerMeters,
		});
	}
}

/** Programs that watch or update many gateways, and the checks of files. */
async function checkFleets(): Promise<void> {
	for (const engine of ["node", "xs"] as const) {
		await check({
			name: `our gateway (${engine}) and Prometheus`,
			programs: ["debian:prometheus"],
			prepare: () => preparePrometheus(engine),
			cases: prometheusCases,
			end: endPrometheus,
		});
	}
	await check({
		name: "50 gateways (node) and Prometheus",
		programs: ["debian:prometheus"],
		prepare: prepareFleet,
		cases: fleetCases,
		end: endFleet,
	});
	await check({
		name: "20 gateways (node) and Eclipse hawkBit",
		programs: ["org.eclipse.hawkbit/hawkbit-parent"],
		prepare: prepareHawkbit,
		cases: hawkbitCases,
		end: endHawkbit,
	});
	for (const engine of ["node", "xs"] as const) {
		await check({
			name: `our gateway (${engine}) and settings files from OpenSSL's server`,
			programs: ["debian:openssl"],
			prepare: () => prepareSettingsURL(engine),
			cases: settingsURLCases,
			end: endSettingsURL,
		});
	}
	await check({ name: "Grafana's types", programs: ["@grafana/schema"], prepare: prepareGrafana, cases: grafanaCases });
	await check({ name: "python-zeroconf", programs: ["zeroconf"], prepare: prepareZeroconf, cases: mdnsCases });
	await check({ name: "zigpy", programs: ["zigpy"], prepare: prepareZigpy, cases: zigpyCases });
	await check({ name: "HPKE of PyPI", programs: ["pyhpke"], prepare: prepareHPKE, cases: hpkeCases });
	await check({
		name: "SoftHSM by PKCS#11",
		programs: ["debian:softhsm2"],
		prepare: prepareModule,
		cases: moduleCases,
		end: endModule,
	});
}

async function checkBrokers(): Promise<void> {
	await check({
		name: "our gateway (xs) and Mosquitto",
		programs: ["debian:mosquitto"],
		prepare: () => prepareBroker("xs"),
		cases: brokerCases,
		end: endBroker,
	});
	await check({
		name: "our gateway (node) and HiveMQ CE",
		programs: ["com.hivemq/hivemq-community-edition-embedded"],
		prepare: prepareHivemq,
		cases: hivemqCases,
		end: endHivemq,
	});
}

/** The programs of docs/integrations.md, which share a test bed. */
async function checkRecipes(): Promise<void> {
	await check({
		name: "scripts, and Jinja",
		programs: ["jinja2"],
		prepare: prepareScripts,
		cases: scriptCases,
		end: endScripts,
	});
	await check({ name: "Node-RED", programs: ["node-red"], prepare: prepareNodeRED, cases: nodeREDCases });
	await check({
		name: "json-path",
		programs: ["com.jayway.jsonpath/json-path"],
		prepare: prepareJSONPath,
		cases: jsonPathCases,
	});
	await check({ name: "gojq", programs: ["github.com/itchyny/gojq"], prepare: prepareGojq, cases: gojqCases });
	await check({ name: "the broker of integrations.md", prepare: brokerBed, cases: setUpCases });
	// This check is the last one that uses the shared test bed, and stops it.
	await check({
		name: "recipes, with ioBroker, mqtt-client and others",
		programs: ["iobroker.js-controller", "iobroker.mqtt-client"],
		prepare: prepareRecipes,
		cases: recipeCases,
		end: endRecipes,
	});
}

async function checkHome(): Promise<void> {
	await check({
		name: "Home Assistant",
		programs: ["homeassistant"],
		prepare: prepareHome,
		cases: [...standInCases, ...hubCases, ...mqttCases, ...statisticsCases],
		end: endHome,
	});
}

async function checkHomeMeters(): Promise<void> {
	await check({
		name: "Shelly, HomeWizard and DSMR of Home Assistant",
		programs: ["homeassistant", "aioshelly", "python-homewizard-energy"],
		prepare: prepareHomeMeters,
		cases: homeMeterCases,
		end: endHomeMeters,
	});
}

async function checkHomeRecipes(): Promise<void> {
	await check({
		name: "recipes, with Home Assistant",
		programs: ["homeassistant"],
		prepare: prepareHomeRecipes,
		cases: homeRecipeCases,
		end: endHomeRecipes,
	});
}

async function checkIntegration(): Promise<void> {
	await check({
		name: "our integration, in Home Assistant",
		programs: ["homeassistant"],
		prepare: prepareIntegration,
		cases: integrationCases,
		end: endIntegration,
	});
	await check({
		name: "the integration's tests, in Home Assistant's harness",
		programs: ["homeassistant 2026.10.4", "pytest-homeassistant-custom-component 0.13.375"],
		prepare: prepareHarness,
		cases: harnessCases,
	});
}

async function checkBrowsers(): Promise<void> {
	for (const [name, program, start] of [
		["Firefox ESR", "debian:firefox-esr", () => Firefox.start()],
		["WebKitGTK", "debian:webkit2gtk-driver", () => WebKit.start()],
	] as const)
		await check({ name, programs: [program], prepare: () => prepareWalk(start), cases: walkCases, end: endWalk });
}

async function checkZigbee(): Promise<void> {
	for (const engine of ["node", "xs"] as const) {
		await check({
			name: `our gateway (${engine}) and ZHA`,
			programs: ["zha"],
			prepare: () => prepareZHA(engine),
			cases: zhaCases,
			end: endZHA,
		});
	}
}

// These run in parallel, because they wait most of the time. What takes longest begins first.
await Promise.all([
	...[checkRecipes(), checkHome(), checkLiveValues(), checkMeters().then(checkHomeMeters)],
	...[checkFleets().then(checkBrokers), checkZigbee().then(checkHomeRecipes), checkBrowsers().then(checkIntegration)],
]);
const { passed, failed, skipped } = checks.counts;
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exit(failed > 0 ? 1 : 0);
