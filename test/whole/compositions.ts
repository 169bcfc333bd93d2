/** The compositions that ship: what the firmware of a board has, each once. */
import { BOARDS, type Board } from "../../hosts/esp32/boards.js";
import { omissionsOf } from "../../tools/sdk/omissions.js";
import type { WholeOptions } from "./whole-gateway.js";

export interface Composition {
	/** Names of the boards with this composition, the first one first. */
	readonly boards: readonly string[];
	readonly options: WholeOptions;
}

function optionsOf(board: Board): WholeOptions {
	const { cells, ethernet, zigbee } = board;
	const args = [...(ethernet === undefined ? [] : ["--cable"]), ...(cells === 0 ? [] : ["--supply", "battery"])];
	const without = omissionsOf(board).filter((name) => name !== "zigbee");
	return { engine: "linux", isAhead: true, hasRadio: zigbee !== undefined, without, args };
}

/** BOARD in the environment selects the composition of this board. */
export function compositions(): readonly Composition[] {
	const all = new Map<string, { boards: string[]; options: WholeOptions }>();
	for (const board of BOARDS) {
		const options = optionsOf(board);
		const key = JSON.stringify(options);
		const same = all.get(key);
		if (same === undefined) all.set(key, { boards: [board.name], options });
		else same.boards.push(board.name);
	}
	const { BOARD } = process.env;
	return [...all.values()].filter(({ boards }) => BOARD === undefined || boards.includes(BOARD));
}
