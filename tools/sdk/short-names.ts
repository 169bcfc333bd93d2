/**
 * Reduces the number of variable names in a script, for the firmware. XS stores each name in flash, with a slot of 16
 * bytes, its text, and entries in two tables. The bundler finds out which variables can share a name. Each of these
 * shared names is then replaced by the name of a property, which flash contains already. Properties keep their names.
 *
 * As a consequence, error messages of XS contain the name of the property instead of the variable.
 */
import { minify } from "rolldown/utils";
import { below, childrenOf, type Edit, edited, type Node, nameOf, parse, propertyOf } from "./syntax.js";

class Names {
	readonly properties = new Set<string>();
	readonly variables = new Set<string>();
	/** Places of local and global variables, each with a prefix that the syntax needs there. */
	readonly places: { readonly node: Node; readonly prefix: string }[] = [];

	constructor(script: Node) {
		this.#find(script);
	}

	/** Finds the variables below the node. `prefix` is inserted before a variable at the node itself. */
	#find(node: Node, prefix = ""): void {
		if (node.type === "Identifier") this.places.push({ node, prefix });
		for (const target of declaredBy(node)) this.#declare(target);
		const key = propertyOf(node);
		if (key !== undefined) this.properties.add(nameOf(key));
		const passed = [key, below(node, "imported"), below(node, "exported")];
		for (const child of childrenOf(node)) {
			if (passed.includes(child)) continue;
			// In `{ a }` and `{ a = 1 }` the key is also the variable. Therefore the key must be written before the new name.
			if (node["shorthand"] === true) this.#find(child, `${nameOf(key)}: `);
			else this.#find(child, node.type === "AssignmentPattern" && child === node["left"] ? prefix : "");
		}
	}

	#declare(target: Node): void {
		if (target.type === "Identifier") this.variables.add(nameOf(target));
		else if (target.type === "Property") this.#declare(below(target, "value")!);
		else if (target.type === "AssignmentPattern") this.#declare(below(target, "left")!);
		else for (const child of childrenOf(target)) this.#declare(child);
	}
}

function declaredBy(node: Node): Node[] {
	const names = /^(Variable|Function|Class|Import)/.test(node.type) ? ["id", "local"] : [];
	const targets = [...names, ...(node.type === "CatchClause" ? ["param"] : [])].flatMap(
		(name) => below(node, name) ?? [],
	);
	return Array.isArray(node["params"]) ? [...targets, ...(node["params"] as Node[])] : targets;
}

function isFree(name: string): boolean {
	if (name in globalThis || /^[nN]ative$/.test(name)) return false;
	try {
		parse(`const ${name} = 0;`);
		return true;
	} catch {
		return false;
	}
}

export async function withShortNames(script: string): Promise<string> {
	const { code, errors } = await minify("main.js", script, {
		module: true,
		compress: false,
		mangle: { toplevel: true },
		codegen: { removeWhitespace: false },
	});
	if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
	return withNamesOfProperties(code);
}

/** Renames the variables. Variables with equal names keep equal names, so scopes do not matter. */
export function withNamesOfProperties(script: string): string {
	const { properties, variables, places } = new Names(parse(script));
	const globals = new Set(places.map(({ node }) => nameOf(node)).filter((name) => !variables.has(name)));
	const free = [...properties].filter((name) => !globals.has(name) && isFree(name));
	const spare = [...variables].filter((name) => !free.includes(name));
	const renamed = new Map([...variables].map((name, index) => [name, free[index] ?? spare.pop()!]));
	const edits = places.flatMap(({ node, prefix }): Edit[] => {
		const text = renamed.get(nameOf(node));
		return text === undefined ? [] : [{ start: node.start, end: node.end, text: prefix + text }];
	});
	return edited(script, edits);
}
