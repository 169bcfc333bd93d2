/**
 * Makes the software bill of materials (SBOM) of a firmware, as CycloneDX 1.6. The same sources give the same file,
 * because its time is the time of the commit, and its ids are not random.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { MAKER, PRODUCT } from "../../modules/product/product.js";

interface FirmwarePart {
	readonly name: string;
	/** Version of the component. "sdk" or "idf" stands for the version of the SDK or of ESP-IDF. */
	readonly version: string;
	/**
	 * Version of ESP-IDF that contains this version of the component, or its beginning ("6.0"). With another version of
	 * ESP-IDF, the row must be checked.
	 */
	readonly within?: string;
	readonly type: string;
	/** SPDX identifier of the licence. */
	readonly licence: string;
	readonly supplier: string;
	readonly address: string;
	readonly purl?: string;
	readonly cpe?: string;
	readonly what: string;
}

export interface Sources {
	readonly root: string;
	/** Version of the SDK, or undefined if nothing was built with it. */
	readonly sdk: string | undefined;
	readonly idf: string | undefined;
}

const UNKNOWN = "unknown";
const PACKAGE = /(?:from|import\()\s*"((?:@[\w-]+\/)?[\w-]+)(?:\/[^"]*)?"/g;

export function pagePackages(root: string): string[] {
	const folder = join(root, "hosts", "browser");
	const names = new Set<string>();
	for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
		if (!/\.tsx?$/.test(file)) continue;
		for (const [, name] of readFileSync(join(folder, file), "utf8").matchAll(PACKAGE)) names.add(name);
	}
	return [...names].sort();
}

export function versionOfIDF(folder: string): string {
	const text = readFileSync(join(folder, "tools", "cmake", "version.cmake"), "utf8");
	return ["MAJOR", "MINOR", "PATCH"].map((name) => new RegExp(`IDF_VERSION_${name} (\\d+)`).exec(text)?.[1]).join(".");
}

/** Returns a sentence for each component that may have another version in this ESP-IDF. */
export function uncertainVersions(root: string, idfVersion: string): string[] {
	return readFirmwareParts(root)
		.filter(({ within }) => within !== undefined && !`${idfVersion}.`.startsWith(`${within}.`))
		.map(
			({ name, within }) =>
				`firmware-parts.json has the ${name} of ESP-IDF ${within}; this is ${idfVersion}: check the version, and vulnerabilities.json.`,
		);
}

export function makeSBOM({ root, sdk, idf }: Sources, version: string, builtUtcMs: number): string {
	const sdkVersion = sdk === undefined ? UNKNOWN : readFileSync(join(sdk, "tools", "VERSION"), "utf8").trim();
	const versions: Record<string, string> = { sdk: sdkVersion, idf: idf === undefined ? UNKNOWN : versionOfIDF(idf) };
	const gateway = new Models.Component(Enums.ComponentType.Firmware, "smart-meter-gateway", {
		bomRef: "firmware",
		version,
		description: `Firmware of the ${PRODUCT}, including its page`,
		licenses: licences("Apache-2.0"),
		supplier: new Models.OrganizationalEntity({ name: MAKER }),
	});
	const bom = new Models.Bom({
		metadata: new Models.Metadata({ timestamp: new Date(builtUtcMs), component: gateway }),
	});
	const firmware = readFirmwareParts(root).map((part) =>
		firmwareComponent(part, versions[part.version] ?? part.version),
	);
	for (const component of [...firmware, ...pageComponents(root)]) {
		bom.components.add(component);
		gateway.dependencies.add(component.bomRef);
	}
	bom.serialNumber = uuidOf(`${version} ${[...bom.components].map(({ name, version: one }) => `${name} ${one}`)}`);
	const spec = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
	return `${new Serialize.JsonSerializer(spec).serialize(bom, { sortLists: true, space: "\t" })}\n`;
}

function readFirmwareParts(root: string): FirmwarePart[] {
	return JSON.parse(readFileSync(join(root, "tools", "release", "firmware-parts.json"), "utf8"));
}

function firmwareComponent(part: FirmwarePart, version: string): Models.Component {
	return new Models.Component(part.type as Enums.ComponentType, part.name, {
		bomRef: part.name,
		version,
		description: part.what,
		licenses: licences(part.licence),
		supplier: new Models.OrganizationalEntity({ name: part.supplier }),
		externalReferences: references(part.address),
		...(part.purl === undefined ? {} : { purl: `${part.purl}@${version}` }),
		...(part.cpe === undefined ? {} : { cpe: part.cpe.replace("VERSION", version) as `cpe:${string}` }),
	});
}

interface LockedPackage {
	readonly version: string;
	readonly integrity: string;
	readonly license: string;
}

function pageComponents(root: string): Models.Component[] {
	const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
		packages: Record<string, LockedPackage>;
	};
	return pagePackages(root).map((name) => {
		const { version, integrity, license } = lock.packages[`node_modules/${name}`];
		const [algorithm, hash] = integrity.split("-");
		if (algorithm !== "sha512") throw new Error(`package-lock.json has no SHA-512 of ${name}.`);
		return new Models.Component(Enums.ComponentType.Library, name, {
			bomRef: `npm ${name}`,
			version,
			description: "In the web page",
			licenses: licences(license),
			purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
			hashes: new Models.HashDictionary([
				[Enums.HashAlgorithm["SHA-512"], Buffer.from(hash, "base64").toString("hex")],
			]),
			externalReferences: references(`https://www.npmjs.com/package/${name}`),
		});
	});
}

function licences(expression: string): Models.LicenseRepository {
	const isListed = !expression.startsWith("LicenseRef-") && !/[ ()]/.test(expression);
	const licence = isListed ? new Models.SpdxLicense(expression as never) : new Models.NamedLicense(expression);
	return new Models.LicenseRepository([licence]);
}

function references(address: string): Models.ExternalReferenceRepository {
	const website = new Models.ExternalReference(address, Enums.ExternalReferenceType.Website);
	return new Models.ExternalReferenceRepository([website]);
}

/** Makes a name-based UUID (RFC 9562, 5.8). */
function uuidOf(text: string): string {
	const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
	bytes[6] = 0x80 | (bytes[6] & 0x0f);
	bytes[8] = 0x80 | (bytes[8] & 0x3f);
	const hex = bytes.toString("hex");
	return `urn:uuid:${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")}`;
}
