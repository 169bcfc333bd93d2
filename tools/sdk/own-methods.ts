/**
 * For the firmware, makes methods and accessors private if only their own class uses them. plain-fields.ts then gives
 * the private names of all classes the same few names. A name qualifies if it appears in the script in only one class,
 * as `this.name` or as a declaration. It must not also be a string, a private name, or a name that the engine calls.
 */
import { below, childrenOf, type Edit, edited, isClass, type Node, nameOf, parse, propertyOf } from "./syntax.js";

const BUILT_IN = new Set(
	Object.getOwnPropertyNames(globalThis).flatMap((name) => {
		const value: unknown = Reflect.get(globalThis, name);
		if (typeof value !== "function") return [];
		return [...Object.getOwnPropertyNames(value), ...Object.getOwnPropertyNames(value.prototype ?? {})];
	}),
);
/** Names of methods that the engine calls on any object. */
const HOOKS = /^(next|return|throw|then|toJSON)$/;

interface Uses {
	/** Class in which the name occurs first. */
	readonly owner: Node | undefined;
	isDeclared: boolean;
	/** True if the script contains `x.name`. If it does not, C code may call the method. */
	isAccessed: boolean;
	/** True if all occurrences are in that class and use `this`. */
	isOwn: boolean;
	readonly places: Node[];
}

class OwnMethods {
	readonly edits: Edit[];
	readonly #uses = new Map<string, Uses>();
	/** Private names, and strings that may be names of properties. */
	readonly #others = new Set<string>();

	constructor(script: Node) {
		this.#find(script, undefined);
		const own = [...this.#uses].filter(
			([name, { isDeclared, isAccessed, isOwn }]) =>
				isDeclared && isAccessed && isOwn && !this.#others.has(name) && !BUILT_IN.has(name) && !HOOKS.test(name),
		);
		this.edits = own.flatMap(([, { places }]) => places.map(({ start }) => ({ start, end: start, text: "#" })));
	}

	#find(node: Node, owner: Node | undefined): void {
		const { type } = node;
		if (type === "Literal") this.#others.add(String(node["value"]));
		else if (type === "PrivateIdentifier") this.#others.add(nameOf(node));
		const key = propertyOf(node);
		if (key !== undefined && type === "MemberExpression")
			this.#use(key, owner, below(node, "object")!.type === "ThisExpression").isAccessed = true;
		else if (key !== undefined && type === "MethodDefinition")
			this.#use(key, owner, node["kind"] !== "constructor" && node["static"] !== true).isDeclared = true;
		else if (key !== undefined) this.#use(key, owner, false);
		const inside = isClass(node) ? node : owner;
		for (const child of childrenOf(node)) this.#find(child, inside);
	}

	#use(place: Node, owner: Node | undefined, isOwn: boolean): Uses {
		const name = nameOf(place);
		const uses = this.#uses.get(name) ?? { owner, isDeclared: false, isAccessed: false, isOwn, places: [] };
		this.#uses.set(name, uses);
		uses.isOwn &&= isOwn && uses.owner === owner;
		uses.places.push(place);
		return uses;
	}
}

/** If C calls a method, the script must not call it by `this`, because the method would then be renamed. */
export function withOwnMethods(script: string): string {
	return edited(script, new OwnMethods(parse(script)).edits);
}
