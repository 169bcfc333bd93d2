/** A sample of siege.linux.ts for the simulator with Node's TLS: the HTTP server's own defence. */
import { siegeOf } from "./check.js";

siegeOf("xs", "The simulator under siege", {
	ms: 4000,
	attacks: [
		"clients that reject the certificate",
		"slow heads over TLS",
		"slow logins over TLS",
		"slow logins over plain HTTP",
		"slow frames for live values",
		"requests for live values by WebSocket",
	],
	stalled: [3],
	crowds: [60],
	mixed: 8,
	strangers: [8],
	streams: [8],
});
