/** The commands of `npm run report`. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PASSPHRASE, readPrivateKey, writeKeyPair } from "../ota/key-files.js";
import { keyIdOf } from "../ota/keys.js";
import { openReport, readHeader } from "./open.js";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../../..");

const HELP = `Diagnostic reports of gateways (docs/diagnostic-report.md), and the key for which they are sealed.

  npm run report -- keygen FILE
  npm run report -- inspect REPORT
  npm run report -- open REPORT --key FILE

keygen writes a private key to FILE, outside of this repository, and its public half to FILE.pub, which goes into the
firmware, or to npm start -- --report-key.

inspect shows what is readable without the key: the unit, the time of the report, and the key for which it is sealed.

open prints a report; --key is the private key.

If the file of a private key has a passphrase, put it into $${PASSPHRASE}.`;

class UsageError extends Error {}

export interface Output {
	log(text: string): void;
	error(text: string): void;
}

/** Runs a command. Returns the exit code: 2 after a bad command line, 1 after an incomplete report or another error. */
export async function main(args: string[], output: Output): Promise<number> {
	try {
		return await run(args, output);
	} catch (error) {
		output.error((error as Error).message);
		if (!(error instanceof UsageError)) return 1;
		output.error("npm run report -- --help lists the commands.");
		return 2;
	}
}

async function run(args: string[], output: Output): Promise<number> {
	const { key, help, words } = parse(args);
	const [command, file, ...rest] = words;
	if (help) {
		output.log(HELP);
		return 0;
	}
	if (command !== "keygen" && command !== "inspect" && command !== "open")
		throw new UsageError("The first word is keygen, inspect or open.");
	if (file === undefined || rest.length > 0) throw new UsageError(`${command} takes one file.`);
	if (key !== undefined && command !== "open") throw new UsageError(`--key does not belong to ${command}.`);
	if (command === "keygen") keygen(file, output);
	else if (command === "inspect") output.log(describe(readFileSync(file)));
	else if (key === undefined) throw new UsageError("--key FILE is missing: the private key.");
	else return open(file, key, output);
	return 0;
}

function parse(args: string[]): { key: string | undefined; help: boolean; words: string[] } {
	const options = { key: { type: "string" }, help: { type: "boolean" } } as const;
	try {
		const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
		return { key: values.key, help: values.help ?? false, words: positionals };
	} catch (error) {
		throw new UsageError((error as Error).message);
	}
}

function keygen(file: string, { log }: Output): void {
	const { privateFile, publicFile, point } = writeKeyPair(file, ROOT);
	log(`${privateFile}: the private key. Reports can be read only with it; keep it secret, and keep a copy.`);
	log(`${publicFile}: the public key, for the build of the firmware.`);
	log(`Key id ${Buffer.from(keyIdOf(point)).toString("hex")}`);
}

function describe(file: Buffer): string {
	const { serial, timeS, keyId } = readHeader(file);
	const time = timeS === 0 ? "not known, its clock was not set" : new Date(timeS * 1000).toISOString();
	return `Gateway  ${serial}\nTime     ${time}\nKey      ${keyId}`;
}

async function open(file: string, keyFile: string, output: Output): Promise<number> {
	const report = readFileSync(file);
	const { text, problem } = await openReport(report, readPrivateKey(keyFile));
	output.log(`${describe(report)}\n\n${text.trimEnd()}`);
	if (problem === "") return 0;
	output.error(problem);
	return 1;
}
