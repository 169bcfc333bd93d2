/**
 * The integration for Home Assistant (hosts/homeassistant) in Home Assistant's own test harness, with its tests of
 * test/homeassistant, and under mypy and Ruff.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { FORKY } from "./debian.js";
import { PEER_SOURCES } from "./peer.js";

const NAME = "home-assistant-tests";
/** Folder in the Debian for the sources. */
const FOLDER = "integration";
/** Least share of lines that the tests run, per cent. */
const COVERAGE = 95;

export async function prepareHarness(): Promise<void> {
	await FORKY.install(NAME);
	const folder = join(FORKY.root, FOLDER);
	const root = join(PEER_SOURCES, "..", "..");
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder);
	cpSync(join(root, "hosts", "homeassistant"), folder, { recursive: true });
	cpSync(join(root, "test", "homeassistant"), join(folder, "tests"), { recursive: true });
}

/** Runs a program of the environment in the folder; fails with its output. */
async function runInside(command: string): Promise<void> {
	const child = FORKY.start(`sh -c "cd /${FOLDER} && /${NAME}/bin/${command}"`, "ignore", "pipe");
	const [output, errors] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, "exit")]);
	assert.equal(child.exitCode, 0, `${output.slice(-6000)}\n${errors.slice(-2000)}`);
}

export const harnessCases = [
	{
		name: "Ruff finds nothing, and the files are formatted",
		run: async () => {
			await runInside("ruff check --no-cache .");
			await runInside("ruff format --no-cache --check .");
		},
	},
	{ name: "mypy, strict, finds nothing", run: () => runInside("mypy custom_components") },
	{
		name: `the tests pass, and run ${COVERAGE} % of the lines`,
		run: () => runInside(`python -m pytest --timeout 60 --cov=custom_components --cov-fail-under=${COVERAGE} tests`),
	},
];
