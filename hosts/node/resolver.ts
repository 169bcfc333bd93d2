/** Name resolution of the host contract. */
import { lookup } from "node:dns";
import { isIPv4 } from "node:net";
import { RESOLVE_LIMIT } from "../../modules/io/host.js";

/** Limit of a DNS name (RFC 1035, 2.3.4) without the final dot. */
const NAME_LIMIT = 253;

export class NodeResolver {
	#going = 0;

	resolve(name: string, done: (address: string | undefined) => void): void {
		if (isIPv4(name)) {
			setImmediate(done, name);
			return;
		}
		if (name.length === 0 || name.length > NAME_LIMIT || this.#going >= RESOLVE_LIMIT) {
			setImmediate(done, undefined);
			return;
		}
		this.#going++;
		lookup(name, { family: 4 }, (error, address) => {
			this.#going--;
			done(error ? undefined : address);
		});
	}
}
