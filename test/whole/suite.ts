/** A suite of checks of one whole gateway. */
import { WholeGateway, type WholeOptions } from "./whole-gateway.js";

/** Limit of a test; the first one may build the firmware. */
const LIMIT_MS = 600_000;

type WholeChecks = (gateway: () => WholeGateway) => void;

export function wholeSuite(name: string, options: WholeOptions, ...checks: readonly WholeChecks[]): void {
	describe(name, function () {
		this.timeout(LIMIT_MS);
		let gateway: WholeGateway | undefined;

		before(async () => {
			gateway = await WholeGateway.startWhole(options);
		});
		afterEach(function () {
			if (this.currentTest?.state === "failed") console.error(gateway?.diagnosis);
		});
		after(async () => {
			if (gateway === undefined) return;
			const { operations, slots, stack, stackLimit } = gateway.figures;
			console.log(`      ${operations} operations, ${slots} slots, stack ${stack} of ${stackLimit}`);
			await gateway.stop();
		});

		for (const check of checks) check(() => gateway!);
	});
}
