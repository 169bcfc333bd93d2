/**
 * Renames those of our properties that have the same name as an engine function. The SDK's linker leaves out engine
 * functions whose names do not appear in the script. However, it cannot distinguish our `take` from the `take` of
 * iterators. Renaming saves 7 KB.
 */
import { below, childrenOf, type Edit, edited, type Node, nameOf, parse, propertyOf } from "./syntax.js";

/**
 * Names to change. The firmware uses no property of the engine with such a name, and the engine's C uses no property of
 * ours.
 */
export const OWN_NAMES: readonly string[] = Object.freeze(["at", "copy", "drop", "from", "log", "raw", "seal", "take"]);

/** Objects of the engine that have properties with these names. */
const ENGINES = /^(Array|Math|Object|String|Uint8Array|Iterator|Float64Array)$/;

function editsBelow(node: Node, isRenamed: ReadonlySet<string>): Edit[] {
	const key = propertyOf(node);
	const own: Edit[] = [];
	if (key !== undefined && isRenamed.has(nameOf(key))) {
		const { start, end } = key;
		if (node.type === "MemberExpression" && ENGINES.test(nameOf(below(node, "object"))))
			throw new Error(`${nameOf(key)} of the engine is used: take it out of OWN_NAMES (tools/sdk/own-names.ts).`);
		const text = `${nameOf(key)}_`;
		if (node["shorthand"] === true) own.push({ start, end: start, text: `${text}: ` });
		else own.push({ start, end, text });
	}
	return [...own, ...childrenOf(node).flatMap((child) => editsBelow(child, isRenamed))];
}

/** Renames the properties. The project's C must not use any of these names. */
export function withOwnNames(script: string): string {
	const names = new Set(OWN_NAMES);
	// In a shorthand property, key and value are at the same place, which must be edited once.
	const edits = new Map(editsBelow(parse(script), names).map((edit) => [`${edit.start}`, edit]));
	return edited(script, [...edits.values()]);
}
