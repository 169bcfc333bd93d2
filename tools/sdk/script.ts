/**
 * Bundles a compiled main module and its imports into one script for the Moddable SDK. A single module takes a third
 * less flash than a module for each file, because unused code is removed, constants are inlined, and there are no lists
 * of imports and exports. The input is the compiler's output, so XS runs the code that was type-checked.
 */
import { dirname, join, relative, sep } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { withArrows } from "./arrows.js";
import { withAssignedFields } from "./assigned-fields.js";
import { revertBundlerChanges } from "./bundler-changes.js";
import { withInlined } from "./inlined.js";
import { checkJumps } from "./jumps.js";
import { withOwnMethods } from "./own-methods.js";
import { withOwnNames } from "./own-names.js";
import { withPlainFields } from "./plain-fields.js";
import { plainness } from "./sdk.js";
import { withShortNames } from "./short-names.js";
import { withStatements } from "./statements.js";

/** Import name of an SDK module, such as "timer" or "text/decoder", but not "node:fs". */
const SDK_MODULE = /^[a-z][\w/-]*$/i;

export interface Script {
	readonly text: string;
	/** Number of characters from each file, before the script is shortened, by the file's path from the root. */
	readonly lengths: ReadonlyMap<string, number>;
}

export interface Made {
	/** Source texts of additional modules, by import name. */
	readonly modules: Readonly<Record<string, string>>;
	/** Global constants, as JavaScript. Code that can never run with these constants is left out, with its imports. */
	readonly constants: Readonly<Record<string, string>>;
	/** Texts that replace compiled files, by path from the root (omissions.ts). */
	readonly replaced?: Readonly<Record<string, string>>;
}

const NOTHING: Made = Object.freeze({ modules: {}, constants: {} });

async function shortened(script: string): Promise<string> {
	const own = withOwnMethods(withArrows(revertBundlerChanges(script)));
	const plain = withPlainFields(withInlined(withStatements(own)));
	return withShortNames(withOwnNames(await withAssignedFields(plain)));
}

function pathOf(build: string, file: string): string {
	return relative(build, file).replaceAll(sep, "/");
}

export function replacing(build: string, replaced: NonNullable<Made["replaced"]>): Plugin {
	return { name: "replacing", load: (id) => replaced[pathOf(build, id)] };
}

/** Makes the script. `main` is a path from the root without extension, and `build` is the compiler's output folder. */
export async function makeScript(
	build: string,
	main: string,
	{ modules, constants, replaced = {} } = NOTHING,
): Promise<Script> {
	const isPlain = plainness() === "all";
	const bundle = await rolldown({
		input: join(build, `${main}.js`),
		cwd: build,
		platform: "neutral",
		external: (name) => SDK_MODULE.test(name) && modules[name] === undefined,
		plugins: [
			{
				name: "made",
				resolveId: (name) => (modules[name] === undefined ? undefined : `\0${name}`),
				load: (id) => modules[id.slice(1)],
			},
			replacing(build, replaced),
		],
		transform: { define: constants },
		// Calls of these functions have no side effects. Therefore frozen tables, native classes and failures
		// (readout/failure.ts) are left out if they are unused.
		treeshake: { manualPureFunctions: ["Object.freeze", "Native", "failure", "finalFailure"] },
		optimization: { inlineConst: { mode: "all", pass: 3 } },
		onLog: (_level, { message }) => {
			throw new Error(message);
		},
	});
	try {
		// XS recognises calls of C by their form, `super(); native("…").call(this, …);`. Sequences of expressions would
		// change this form.
		const compress = { sequences: false, joinVars: false };
		const { output } = await bundle.generate({
			format: "esm",
			comments: false,
			minify: isPlain ? false : { compress, mangle: false, codegen: false },
		});
		if (output.length !== 1) throw new Error(`${main} has become ${output.length} scripts.`);
		const { code, modules: files } = output[0];
		const lengths = Object.entries(files).map(([file, { renderedLength }]): [string, number] => [
			// Generated files count as part of the main module.
			file.startsWith("\0") ? `${dirname(main)}/${file.slice(1)}` : pathOf(build, file).replace(/js$/, "ts"),
			renderedLength,
		]);
		const text = isPlain ? code : await shortened(code);
		checkJumps(text);
		return { text, lengths: new Map(lengths) };
	} finally {
		await bundle.close();
	}
}
