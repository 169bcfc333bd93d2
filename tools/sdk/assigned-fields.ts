/**
 * Moves initial values of fields into the constructors. Otherwise XS makes a function for them in each class, which
 * costs three slots of flash and a call per new object, 20 KB in all.
 */
import { transform } from "rolldown/utils";

/** The fields must be plain ones (plain-fields.ts), because private ones would need helpers. */
export async function withAssignedFields(script: string): Promise<string> {
	const { code, errors } = await transform("main.js", script, {
		lang: "js",
		target: "es2021",
		assumptions: { setPublicClassFields: true },
	});
	if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
	return code;
}
