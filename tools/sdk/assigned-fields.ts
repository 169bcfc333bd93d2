/**
 * Moves the initial values of fields into the constructors. Otherwise XS makes a function for them in each class. Such
 * a function takes three slots of flash and a call for each new object, 20 KB in total.
 */
import { transform } from "rolldown/utils";

/** The fields must be plain ones (plain-fields.ts), because private fields would need helper functions. */
export async function withAssignedFields(script: string): Promise<string> {
	const { code, errors } = await transform("main.js", script, {
		lang: "js",
		target: "es2021",
		assumptions: { setPublicClassFields: true },
	});
	if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
	return code;
}
