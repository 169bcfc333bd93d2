/**
 * Turns the private fields of a script into plain ones for the firmware: `#name` becomes `$name`. XS has a closure for
 * each private name in each method that uses it, 60 KB of flash in all, and a slot more in each instance. The compiler
 * and the bench have the real ones, so what reaches into another class is found there.
 *
 * The meaning stays as long as no object has two fields of one name and nobody asks for the name itself. What would
 * change it is an Error: a name in a class and in one that it extends, a superclass that can't be told, `#name in x`,
 * `$name` elsewhere. What also changes: `{ ...instance }` and Object.freeze(instance) take such fields with them.
 */
import { below, childrenOf, type Edit, edited, type Node, nameOf, parse } from "./syntax.js";

interface Class {
	/** Its private names. */
	readonly names: ReadonlySet<string>;
	readonly superClass: Node | undefined;
}

/** Superclasses of the engine, which have no private names. */
const BUILT_IN = /^(Error|RangeError|TypeError|Array|Map|Set|Uint8Array)$/;

class PlainFields {
	readonly edits: Edit[] = [];
	/** By the name that they are bound to. */
	readonly #classes = new Map<string, Class>();
	/** Every other name, and every text that could be one. */
	readonly #others = new Set<string>();

	constructor(script: Node) {
		this.#visit(script, "");
		for (const { text } of this.edits) {
			if (this.#others.has(text)) throw new Error(`#${text.slice(1)} would become ${text}, which is there already.`);
		}
		for (const name of this.#classes.keys()) this.#check(name);
	}

	/** `binding` is the name of the variable that the node's value gets. */
	#visit(node: Node, binding: string): void {
		const { type, start, end } = node;
		if (type === "PrivateIdentifier") this.edits.push({ start, end, text: `$${nameOf(node)}` });
		else if (type === "Identifier") this.#others.add(nameOf(node));
		else if (type === "Literal") this.#others.add(String(node["value"]));
		else if (type === "ClassDeclaration" || type === "ClassExpression") this.#add(node, binding);
		else if (type === "BinaryExpression" && below(node, "left")?.type === "PrivateIdentifier")
			throw new Error(`#${nameOf(below(node, "left"))} in …: a plain field could be anybody's.`);
		const variable = type === "VariableDeclarator" ? nameOf(below(node, "id")) : "";
		for (const child of childrenOf(node)) this.#visit(child, child === node["init"] ? variable : "");
	}

	#add(node: Node, binding: string): void {
		const keys = childrenOf(below(node, "body")!).map((member) => below(member, "key"));
		const names = new Set(keys.filter((key) => key?.type === "PrivateIdentifier").map(nameOf));
		const name = nameOf(below(node, "id")) || binding || `(at ${node.start})`;
		if (this.#classes.has(name))
			throw new Error(`Two classes are called ${name}: which of them others extend is open.`);
		this.#classes.set(name, { names, superClass: below(node, "superClass") });
	}

	#check(name: string): void {
		const { names, superClass } = this.#classes.get(name)!;
		for (let above = superClass; above !== undefined; ) {
			// Made of C by the SDK.
			if (nameOf(below(above, "callee")) === "Native") return;
			const superName = nameOf(above);
			const next = this.#classes.get(superName);
			if (next === undefined && BUILT_IN.test(superName)) return;
			if (next === undefined)
				throw new Error(`What ${name} extends can't be told: it may have fields of the same names.`);
			for (const field of names)
				if (next.names.has(field)) throw new Error(`${name} and ${superName} both have #${field}: rename one of them.`);
			above = next.superClass;
		}
	}
}

/** The script with plain fields. Throws an Error with a sentence where that would not mean the same. */
export function withPlainFields(script: string): string {
	return edited(script, new PlainFields(parse(script)).edits);
}
