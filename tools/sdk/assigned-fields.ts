/**
 * Lets constructors assign the fields of their class, for the firmware: for a class with initial values of fields XS keeps a
 * function of its own, three slots of flash and a call for each new object, 20 KB in all. The bundler knows how: it does
 * the same for browsers older than ECMAScript 2022.
 */
import { transform } from "rolldown/utils";

/** Throws an Error when the bundler does. The fields must be plain ones (plain-fields.ts): private ones would take helpers. */
export async function withAssignedFields(script: string): Promise<string> {
	const { code, errors } = await transform("main.js", script, {
		lang: "js",
		target: "es2021",
		assumptions: { setPublicClassFields: true },
	});
	if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
	return code;
}
