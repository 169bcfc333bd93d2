/** A suite of checks of one whole gateway. */
import { WholeGateway, type WholeOptions } from "./whole-gateway.js";

type WholeChecks = (gateway: () => WholeGateway) => void;

export function wholeSuite(name: string, options: WholeOptions, ...checks: readonly WholeChecks[]): void {
	describe(name, function () {
		this.timeout(240_000);
		let gateway: WholeGateway;

		before(async () => {
			gateway = await WholeGateway.startWhole(options);
		});
		afterEach(function () {
			if (this.currentTest?.state === "failed") console.error(gateway.diagnosis);
		});
		after(async () => {
			const { operations, slots, stack, stackLimit } = gateway.figures;
			console.log(`      ${operations} operations, ${slots} slots, stack ${stack} of ${stackLimit}`);
			await gateway.stop();
		});

		for (const check of checks) check(() => gateway);
	});
}
