/**
 * Turns the private fields of a script into plain ones, for the firmware. The first field of a class becomes `$0`, the
 * next one `$1` and so on, continuing after those of the superclass. XS needs a closure for each private name in each
 * method that uses this name, which takes 60 KB of flash in total, and one more slot in each instance. Each property
 * name takes flash for its text and its place in the tables, so all classes share a few names. The compiler and the
 * simulator use real private fields, so they report access from another class.
 *
 * A field without an initial value loses its declaration, because declarations take code in each constructor, 11 KB in
 * total. The first assignment then creates the property. Until then the field reads as undefined, as before.
 *
 * The meaning of the script stays the same if no object has two fields of the same name, and no code uses such a name
 * itself. Code that would change the meaning causes an Error: an unknown superclass, `#name in x`, `$0` elsewhere.
 * There are two differences: `{ ...instance }` and Object.freeze(instance) include such fields.
 */
import { below, childrenOf, type Edit, edited, isClass, type Node, nameOf, parse } from "./syntax.js";

interface Class {
	readonly names: readonly string[];
	readonly superClass: Node | undefined;
}

/** Superclasses that belong to the engine and have no private names. */
const BUILT_IN = /^(Error|RangeError|TypeError|Array|Map|Set|Uint8Array)$/;

class PlainFields {
	readonly edits: Edit[] = [];
	readonly #classes = new Map<string, Class>();
	readonly #nodes = new Map<Node, Class>();
	/** Names that are not private fields, and strings that may be names of properties. */
	readonly #others = new Set<string>();

	constructor(script: Node) {
		this.#find(script, "");
		this.#replace(script, []);
		for (const { text } of this.edits)
			if (text !== "" && this.#others.has(text))
				throw new Error(`A private name would become ${text}, which exists already.`);
	}

	/** Finds the classes below the node. `binding` is the variable that gets the node's value. */
	#find(node: Node, binding: string): void {
		const { type } = node;
		if (type === "Identifier") this.#others.add(nameOf(node));
		else if (type === "Literal") this.#others.add(String(node["value"]));
		else if (isClass(node)) this.#add(node, binding);
		else if (type === "BinaryExpression" && below(node, "left")?.type === "PrivateIdentifier")
			throw new Error(`#${nameOf(below(node, "left"))} in …: a plain field could be anybody's.`);
		const variable = type === "VariableDeclarator" ? nameOf(below(node, "id")) : "";
		for (const child of childrenOf(node)) this.#find(child, child === node["init"] ? variable : "");
	}

	#add(node: Node, binding: string): void {
		const keys = childrenOf(below(node, "body")!).map((member) => below(member, "key"));
		const names = [...new Set(keys.filter((key) => key?.type === "PrivateIdentifier").map(nameOf))];
		const name = nameOf(below(node, "id")) || binding || `(at ${node.start})`;
		if (this.#classes.has(name))
			throw new Error(`Two classes are called ${name}: it is ambiguous which one is extended.`);
		const found = { names, superClass: below(node, "superClass") };
		this.#classes.set(name, found);
		this.#nodes.set(node, found);
	}

	/** `around` lists the classes around the node, innermost first. */
	#replace(node: Node, around: readonly Class[]): void {
		const { type, start, end } = node;
		if (isOnlyDeclared(node)) {
			this.edits.push({ start, end, text: "" });
			return;
		}
		if (type === "PrivateIdentifier") {
			const name = nameOf(node);
			const owner = around.find(({ names }) => names.includes(name));
			if (owner === undefined) throw new Error(`#${name} is used outside of a class that declares it.`);
			this.edits.push({ start, end, text: `$${this.#countAbove(owner) + owner.names.indexOf(name)}` });
		}
		const own = this.#nodes.get(node);
		for (const child of childrenOf(node)) this.#replace(child, own === undefined ? around : [own, ...around]);
	}

	#countAbove({ names, superClass }: Class): number {
		let count = 0;
		for (let above = superClass; above !== undefined && names.length > 0; ) {
			// Native classes have no private names, so the count ends here.
			if (nameOf(below(above, "callee")) === "Native") return count;
			const superName = nameOf(above);
			const next = this.#classes.get(superName);
			if (next === undefined && BUILT_IN.test(superName)) return count;
			if (next === undefined) throw new Error(`#${names[0]}: the base class is unknown.`);
			count += next.names.length;
			above = next.superClass;
		}
		return count;
	}
}

function isOnlyDeclared(node: Node): boolean {
	const isField = node.type === "PropertyDefinition" && node["static"] !== true && node["computed"] !== true;
	return isField && below(node, "value") === undefined;
}

export function withPlainFields(script: string): string {
	return edited(script, new PlainFields(parse(script)).edits);
}
