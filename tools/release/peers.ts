/**
 * Libraries and programs of other makers in `npm run test:peers`, in the versions that it runs, and the newest ones in
 * their registries.
 */
const LIMIT_MS = 20_000;
/** The newest version if the registry does not answer. */
const UNKNOWN = "unknown";

const PINS = {
	pypi: {
		...{ homeassistant: "2026.11.0", aioshelly: "14.0.1", "python-homewizard-energy": "10.2.0", zha: "2.3.1" },
		...{ zigpy: "2.3.0", zeroconf: "0.152.0", jinja2: "3.1.6", pyhpke: "0.6.5" },
		...{ "pysma-plus": "0.5.4", pysunspec2: "1.3.7", pymodbus: "3.16.1" },
		...{ "iec62056-21": "0.0.2", smllib: "1.7", pyteleinfo: "0.4.0", "wiener-netze-smartmeter-serial": "0.1.1" },
		...{ pykmp: "0.0.2", pycryptodome: "4.4.0", pyMeterBus: "0.8.5", dsmr_parser: "1.11.2", "gurux-dlms": "1.0.203" },
	},
	npm: {
		...{ "node-red": "5.0.7", "iobroker.js-controller": "7.1.1", "iobroker.mqtt-client": "4.1.0" },
		...{ "node-mbus": "2.2.6", "@grafana/schema": "13.2.3" },
	},
	maven: {
		...{ "org.openmuc/j62056": "2.2.0", "com.jayway.jsonpath/json-path": "2.9.0", "org.gurux/gurux.dlms": "4.0.47" },
		...{ "com.hivemq/hivemq-community-edition-embedded": "2025.5", "org.eclipse.hawkbit/hawkbit-parent": "0.3.0M7" },
	},
	go: { "github.com/itchyny/gojq": "0.12.19", "gitlab.com/bboehmke/sunny": "0.17.0" },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type Registry = keyof typeof PINS;
type NameIn<R extends Registry> = R extends Registry ? keyof (typeof PINS)[R] & string : never;
export type PeerName = NameIn<Registry>;

export interface Pin {
	readonly registry: Registry;
	readonly name: PeerName;
	readonly version: string;
}

/** It stays at the version that openHAB has. */
const HELD: readonly PeerName[] = ["com.jayway.jsonpath/json-path"];

const REGISTRIES = Object.keys(PINS) as Registry[];
export const ALL_PINS: readonly Pin[] = REGISTRIES.flatMap((registry) =>
	Object.entries(PINS[registry]).map(([name, version]) => ({ registry, name: name as PeerName, version })),
);

export function pinOf(name: PeerName): Pin {
	return ALL_PINS.find((pin) => pin.name === name)!;
}

/** Requirement of pip. */
export const pypi = (name: NameIn<"pypi">) => `${name}==${PINS.pypi[name]}`;
/** Package of npm with its version. */
export const npm = (name: NameIn<"npm">) => `${name}@${PINS.npm[name]}`;

/** Sends a request and returns the answer. Throws if there is none. */
export type Ask = (address: string) => Promise<string>;

interface Question {
	address(name: string): string;
	/** The newest version in the answer. */
	newest(answer: string): string | undefined;
}

const QUESTIONS: Readonly<Record<Registry, Question>> = {
	pypi: {
		address: (name) => `https://pypi.org/pypi/${name}/json`,
		newest: (answer) => JSON.parse(answer).info.version,
	},
	npm: {
		address: (name) => `https://registry.npmjs.org/${name}/latest`,
		newest: (answer) => JSON.parse(answer).version,
	},
	maven: {
		address: (name) => `https://repo1.maven.org/maven2/${folderOf(name)}/maven-metadata.xml`,
		newest: (answer) => /<release>([^<]+)<\/release>/.exec(answer)?.[1],
	},
	go: {
		address: (name) => `https://proxy.golang.org/${name}/@v/list`,
		newest: (answer) =>
			[...answer.matchAll(/^v([\d.]+)$/gm)]
				.map(([, version]) => version)
				.sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
				.at(-1),
	},
};

/** Folder of group and artifact; only the dots of the group are slashes. */
function folderOf(name: string): string {
	const [group, artifact] = name.split("/");
	return `${group.replaceAll(".", "/")}/${artifact}`;
}

/** The newest version that its registry has, or UNKNOWN. */
export async function newestOf({ registry, name }: Pin, ask: Ask = get): Promise<string> {
	const { address, newest } = QUESTIONS[registry];
	try {
		return newest(await ask(address(name))) ?? UNKNOWN;
	} catch {
		return UNKNOWN;
	}
}

const majorOf = (version: string) => Number.parseInt(version, 10);
/** The lowest number that is a year. A year begins too soon after the last version of the year before. */
const YEAR = 2000;

function isMajorBehind(version: string, newest: string): boolean {
	const major = majorOf(version);
	return majorOf(newest) - major >= (major < YEAR ? 1 : 2);
}

/** The pinned versions that are at least a major version behind, with the newest ones, but none of HELD. */
export async function latePeers(ask: Ask = get): Promise<string[]> {
	const asked = ALL_PINS.map(async (pin) => ({ ...pin, newest: await newestOf(pin, ask) }));
	return (await Promise.all(asked))
		.filter(({ name, version, newest }) => !HELD.includes(name) && isMajorBehind(version, newest))
		.map(({ name, version, newest }) => `${name} ${version} (newest ${newest})`);
}

async function get(address: string): Promise<string> {
	const reply = await fetch(address, { signal: AbortSignal.timeout(LIMIT_MS) });
	if (!reply.ok) throw new Error(`${address} answers ${reply.status}`);
	return reply.text();
}
