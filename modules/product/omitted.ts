/** Search in the list of parts and protocols that the build left out (without.ts). */
import { WITHOUT } from "./without.js";

/** True if the build left out this part, setting or meter protocol (tools/sdk/omissions.ts). */
export function isOmitted(name: string): boolean {
	return WITHOUT !== "" && WITHOUT.split(" ").includes(name);
}
