/** The command line of `npm run release`. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { BOARDS, type Board, findBoard } from "../../hosts/esp32/boards.js";
import { commandSigner, fileSigner, readPoint } from "../ota/key-files.js";
import type { Signer } from "../ota/keys.js";
import { buildForChip, findIDF } from "../sdk/esp32.js";
import { NO_RELEASE, type Release, readRelease } from "../sdk/release.js";
import { findSDK, ROOT } from "../sdk/sdk.js";
import { writeRelease } from "./folder.js";
import { latePeers } from "./peers.js";
import { uncertainVersions, versionOfIDF } from "./sbom.js";
import { scan } from "./scan.js";
import { type Version, versionOf } from "./version.js";

const HELP = `  npm run release -- --board NAME [--board NAME …] --key FILE [options]

Builds the firmware of each board and puts the files to publish into release/VERSION (docs/release.md).

  --board NAME         a board; can be repeated
  --boards all         all boards
  --key FILE           the private key that signs the firmware files (npm run ota -- keygen); or
  --signer COMMAND     a command that signs, with
  --public-key FILE    its public key, and
  --digest             if the command expects the SHA-256 of the data (npm run ota -- --help)
  --release FILE       settings of the build: keys whose updates gateways accept, and more (docs/flashing.md).
                       Default: gateways accept the key that signs
  --scan               asks OSV (api.osv.dev) for vulnerabilities of the components; it names those that nobody has
                       assessed, which are "in triage" in vex.cdx.json
  --any-peers          does not ask whether npm run test:peers runs new versions of others' programs (to build an old
                       version again)
  --out DIR            the folder to create (default release/VERSION)

The version is that of package.json for a commit with its tag (v1.2.3); for any other commit its hash is added, and
"dirty" if files were changed.
Boards: ${BOARDS.map(({ name }) => name).join(", ")}
`;

class UsageError extends Error {}

export interface Output {
	log(text: string): void;
	error(text: string): void;
}

interface Order {
	readonly boards: readonly Board[];
	readonly signer: Signer;
	readonly release: Release;
	readonly isScanned: boolean;
	readonly hasAnyPeers: boolean;
	readonly out: string | undefined;
}

function readOrder(args: string[]): Order | undefined {
	const { help, ...values } = parse(args);
	if (help) return undefined;
	const { board = [], boards, out } = values;
	if (boards !== undefined && (boards !== "all" || board.length > 0))
		throw new UsageError("Use --boards all, or --board NAME for each board.");
	if (boards === undefined && board.length === 0) throw new UsageError("--board is missing: the board to build for.");
	const chosen = boards === undefined ? [...new Set(board)].map(findBoard) : BOARDS;
	const signer = signerOf(values);
	const point = Buffer.from(signer.point).toString("hex");
	const release = values.release === undefined ? { ...NO_RELEASE, updateKeys: [point] } : readRelease(values.release);
	if (!release.updateKeys.includes(point))
		throw new Error(
			`${values.release}: the signing key is not one of "update_keys", so gateways of this release would refuse the next one.`,
		);
	const isScanned = values.scan;
	const hasAnyPeers = values["any-peers"];
	return { boards: chosen, signer, release, isScanned, hasAnyPeers, out: out === undefined ? out : resolve(out) };
}

type Given = ReturnType<typeof parse>;

function parse(args: string[]) {
	try {
		const { values } = parseArgs({
			args,
			options: {
				board: { type: "string", multiple: true },
				boards: { type: "string" },
				key: { type: "string" },
				signer: { type: "string" },
				"public-key": { type: "string" },
				digest: { type: "boolean", default: false },
				release: { type: "string" },
				scan: { type: "boolean", default: false },
				"any-peers": { type: "boolean", default: false },
				out: { type: "string" },
				help: { type: "boolean" },
			},
		});
		return values;
	} catch (error) {
		throw new UsageError((error as Error).message);
	}
}

function signerOf({ key, signer, digest, "public-key": publicKey }: Given): Signer {
	if (key !== undefined && signer === undefined) return fileSigner(key);
	if (signer !== undefined && publicKey !== undefined) return commandSigner(signer, readPoint(publicKey), digest);
	throw new UsageError("Firmware files are signed: --key FILE, or --signer COMMAND with --public-key FILE.");
}

/** Fails if `npm run test:peers` runs versions that are a major version behind. */
async function requireNewPeers(): Promise<void> {
	const late = await latePeers();
	if (late.length === 0) return;
	throw new Error(
		`npm run test:peers runs old versions: ${late.join(", ")}. Change them in tools/release/peers.ts, and run it.`,
	);
}

async function carryOut(order: Order, output: Output): Promise<void> {
	if (!order.hasAnyPeers) await requireNewPeers();
	const idf = findIDF();
	const sdk = findSDK().folder;
	const { version: own } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const version = versionOf(ROOT, own);
	const folder = order.out ?? join(ROOT, "release", version.version);
	if (existsSync(folder)) throw new Error(`${folder} exists already: delete it, or choose another folder with --out.`);
	for (const sentence of uncertainVersions(ROOT, versionOfIDF(idf))) output.error(sentence);
	if (version.isDirty) output.error("There are uncommitted changes, so others can't reproduce this build.");
	const draft = `${folder}.draft`;
	rmSync(draft, { recursive: true, force: true });
	mkdirSync(draft, { recursive: true });
	const built = [];
	for (const board of order.boards) {
		output.error(`Building for ${board.name} …`);
		built.push({ board, build: await build(board, order, version, idf) });
	}
	const { signer, release } = order;
	const { securityLevel } = release;
	const files = await writeRelease({
		root: ROOT,
		folder: draft,
		version,
		built,
		signer,
		securityLevel,
		sdk,
		idf,
		scan: order.isScanned ? scan : undefined,
		warn: (line) => output.error(line),
	});
	mkdirSync(dirname(folder), { recursive: true });
	renameSync(draft, folder);
	output.log(folder);
	for (const file of files) output.log(`  ${file}`);
	output.log(
		`To check it: npx vite preview --outDir ${relative(ROOT, folder) || "."} (the page), sha256sum -c SHA256SUMS`,
	);
}

async function build(board: Board, { release }: Order, { version, builtUtcMs }: Version, idf: string): Promise<string> {
	const out = join(ROOT, ".build", "release");
	const order = { board, production: false, out, idf, version, builtUtcMs, release, isRelease: true };
	return dirname((await buildForChip(order)).image);
}

export async function main(args: string[], output: Output): Promise<number> {
	try {
		const order = readOrder(args);
		if (order === undefined) output.log(HELP);
		else await carryOut(order, output);
		return 0;
	} catch (error) {
		output.error((error as Error).message);
		if (!(error instanceof UsageError)) return 1;
		output.error("npm run release -- --help lists the options.");
		return 2;
	}
}
