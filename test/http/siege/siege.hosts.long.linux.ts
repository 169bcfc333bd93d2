/** Sieges of the firmware on Linux, with its native core; and, as a sample, of the simulator with Node's TLS. */
import { byRun } from "../../runs.js";
import { siegeOf } from "./check.js";

const FIRMWARE = { crowds: [60, 240], mixed: 12, streams: [3, 8, 20] };

byRun({
	hosts: () =>
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
		}),
	long: () =>
		siegeOf("linux", "The firmware on Linux under siege", {
			...FIRMWARE,
			ms: 120_000,
			stalled: [3, 8],
			strangers: [3, 7, 8, 20, 60, 240],
		}),
	linux: () =>
		siegeOf("linux", "The firmware on Linux under siege", {
			...FIRMWARE,
			ms: 6000,
			stalled: [1, 2, 3, 8],
			strangers: [3, 7, 8, 20, 60],
		}),
})();
