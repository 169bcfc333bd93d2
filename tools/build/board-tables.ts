/** Tables of docs/hardware.md that follow from the boards' rows (hosts/esp32/boards.ts). */
import { BOARDS, type Board, type Console } from "../../hosts/esp32/boards.js";
import { omissionsOf } from "../sdk/omissions.js";

const CONSOLES: Readonly<Record<Console, string>> = { uart: "UART 0", usb: "own USB", both: "UART 0, own USB" };

function ethernetOf({ ethernet }: Board): string {
	if (ethernet?.kind === "rmii") {
		const { phy, mdc, mdio, power, clock } = ethernet;
		return `PHY ${phy}; MDC ${mdc}, MDIO ${mdio}, power ${power}, clock ${clock === 0 ? "from 0" : `to ${clock}`}`;
	}
	if (ethernet?.kind !== "w5500") return "";
	const { miso, mosi, clock, select, interrupt, reset } = ethernet;
	return `W5500; MISO ${miso}, MOSI ${mosi}, SCLK ${clock}, CS ${select}, INT ${interrupt}, RST ${reset}`;
}

function pinsOf(board: Board): readonly string[] {
	const { meter, zigbee, button, led, battery, usb, transmitDBm } = board;
	const more = [
		button === undefined ? "" : `button ${button}`,
		led === undefined ? "" : `LED ${led.pin}`,
		transmitDBm === undefined ? "" : `Wi-Fi ${transmitDBm} dBm`,
		zigbee?.select === undefined ? "" : `radio select ${zigbee.select}`,
		zigbee?.rts === undefined ? "" : `RTS ${zigbee.rts}, CTS ${zigbee.cts}`,
		battery === undefined ? "" : `${board.cells} cells ${battery.pin}, USB ${usb!.pin}, each by 1:${battery.ratio}`,
	];
	return [
		`${board.manufacturer} ${board.model}`,
		`${board.chip}, ${board.flashMB} MB`,
		`${CONSOLES[board.console]}${board.adapter ? " (adapter)" : ""}`,
		`${meter.transmit} ${meter.receive}`,
		zigbee === undefined ? "" : `${zigbee.transmit} ${zigbee.receive}, ${zigbee.reset} ${zigbee.boot}`,
		ethernetOf(board),
		more.filter((text) => text !== "").join("; "),
	];
}

/** `emulated` is not known here: it is copied from the table, and is "no" for a new board. */
function keepingOf(board: Board, old: readonly string[] = []): readonly string[] {
	const ways = [board.ethernet && "cable", "access point", !omissionsOf(board).includes("improv") && "Improv"];
	const reset = board.button === undefined ? "power cuts" : `button ${board.button}`;
	const lines = board.meter.invertReceive ? "inverted" : "as wired";
	const [emulated = "no"] = old.slice(5);
	return [ways.filter(Boolean).join(", "), reset, `${board.transmitDBm ?? 20} dBm`, lines, emulated, board.pinsFrom];
}

function omissionsIn(board: Board): readonly string[] {
	return [
		omissionsOf(board)
			.map((name) => `\`${name}\``)
			.join(", "),
	];
}

/** Tables by their first two heads. */
const TABLES: readonly {
	readonly heads: readonly [string, string];
	readonly boards: readonly Board[];
	cells(board: Board, old: readonly string[] | undefined): readonly string[];
}[] = [
	{ heads: ["`--board`", "what it is"], boards: BOARDS, cells: pinsOf },
	{ heads: ["board", "set up by"], boards: BOARDS, cells: keepingOf },
	{
		heads: ["board", "left out of its firmware"],
		boards: BOARDS.filter((board) => omissionsOf(board).length > 0),
		cells: omissionsIn,
	},
];

function cellsOf(line: string): readonly string[] {
	return line
		.split("|")
		.slice(1, -1)
		.map((cell) => cell.trim());
}

/** Returns the text of docs/hardware.md with the present rows. */
export function withBoardTables(text: string): string {
	return text.replace(/^\|.*\n\| -.*\n(\|.*\n)+/gm, (table) => {
		const [heads, , ...old] = table.trimEnd().split("\n").map(cellsOf);
		const made = TABLES.find((one) => one.heads.every((head, i) => heads[i] === head));
		if (made === undefined) return table;
		const rows = made.boards.map((board) => {
			const name = `\`${board.name}\``;
			return [
				name,
				...made.cells(
					board,
					old.find(([cell]) => cell === name),
				),
			];
		});
		const widths = heads.map((_, i) => Math.max(...[heads, ...rows].map((cells) => cells[i].length)));
		const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |\n`;
		return [heads, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
	});
}
