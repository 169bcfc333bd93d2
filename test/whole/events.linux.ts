/** Events around the firmware on Linux with all parts and a radio; BOARD in the environment names another board. */
import { compositions } from "./compositions.js";
import { clockEvents, lifeEvents } from "./events.js";

const [first] = compositions()
	.toSorted((a, b) => (a.options.without?.length ?? 0) - (b.options.without?.length ?? 0))
	.filter(({ options }) => options.hasRadio || process.env["BOARD"] !== undefined);

if (first !== undefined) {
	const { boards, options } = first;
	const { isAhead: _, ...rest } = options;
	clockEvents(boards[0], rest);
	lifeEvents(boards[0], rest);
}
