/**
 * The dashboard of docs/fleet against npm's @grafana/schema, the types that Grafana generates from the schema of
 * dashboards. The compiler finds invalid members and options. Grafana itself does not run.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm } from "../../tools/release/peers.js";
import { FLEET_FILES } from "./fleet.js";
import { PEERS_FOLDER, PeerMissing, run } from "./peer.js";

const PACKAGE = "@grafana/schema";
const COMPILER = join(PEERS_FOLDER, "..", "node_modules", "typescript", "bin", "tsc");

const panelTypes = (type: string, file: string) =>
	`${PACKAGE}/dist/esm/raw/composable/${type}/panelcfg/x/${file}_types.gen`;
const IMPORTS = [
	["{ Dashboard, FieldConfigSource, Panel }", PACKAGE],
	["* as Series", panelTypes("timeseries", "TimeSeriesPanelCfg")],
	["* as Stat", panelTypes("stat", "StatPanelCfg")],
	["* as Table", panelTypes("table", "TablePanelCfg")],
].map(([names, path]) => `import type ${names} from ${JSON.stringify(path)};`);

/** A program to compile with the dashboard at its end; its types have strings in place of enums, as JSON does. */
const CHECK = `
${IMPORTS.join("\n")}
type Plain<T> = T extends string
	? \`\${T}\`
	: T extends readonly (infer E)[]
		? Plain<E>[]
		: T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Of<Type extends string, Options, Custom> = Omit<Panel, "type" | "options" | "fieldConfig"> & {
	type: Type;
	options: Options;
	fieldConfig: FieldConfigSource<Custom>;
};
type Panels =
	| Of<"timeseries", Series.Options, Series.FieldConfig>
	| Of<"stat", Stat.Options, object>
	| Of<"table", Table.Options, object>;
export const dashboard: Plain<Omit<Dashboard, "panels"> & { panels: Panels[] }> = `;

export async function prepareGrafana(): Promise<string> {
	const folder = join(PEERS_FOLDER, "grafana");
	const target = join(folder, "node_modules", "@grafana", "schema");
	mkdirSync(target, { recursive: true });
	let archive: string;
	try {
		archive = (await run("npm", ["pack", npm(PACKAGE), "--silent", "--pack-destination", folder])).trim();
	} catch (error) {
		throw new PeerMissing(`npm could not fetch ${npm(PACKAGE)}: ${(error as Error).message}`);
	}
	await run("tar", ["-xzf", join(folder, archive), "-C", target, "--strip-components=1"]);
	const options = { strict: true, noEmit: true, module: "esnext", moduleResolution: "bundler", skipLibCheck: true };
	writeFileSync(
		join(folder, "tsconfig.json"),
		JSON.stringify({ compilerOptions: { ...options, target: "es2023", types: [] }, files: ["check.ts"] }),
	);
	return folder;
}

/** The compiler's messages on a dashboard; empty: valid. */
async function complaints(folder: string, dashboard: string): Promise<string> {
	writeFileSync(join(folder, "check.ts"), `${CHECK}${dashboard};\n`);
	// tsc writes errors to standard output.
	return await run("sh", ["-c", '"$0" "$1" -p "$2" || true', process.execPath, COMPILER, folder]);
}

export const grafanaCases = [
	{
		name: "the dashboard matches the types",
		async run(folder: string) {
			const text = readFileSync(join(FLEET_FILES, "dashboard.json"), "utf8");
			assert.equal(await complaints(folder, text), "");
			// Shows that the check detects errors at all.
			for (const [right, wrong] of [
				['"drawStyle": "bars"', '"drawStyle": "bar"'],
				['"graphMode": "none"', '"graphMode": 0'],
				['"gridPos"', '"gridPosition"'],
				['"schemaVersion": 39', '"schemaVersion": "39"'],
			]) {
				assert.ok(text.includes(right), right);
				assert.notEqual(await complaints(folder, text.replace(right, wrong)), "", wrong);
			}
		},
	},
];
