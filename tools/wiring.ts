/**
 * Draws the wiring in docs/hardware.md from the table of boards. `node .build/tools/wiring.js` writes an SVG file for
 * each kind of board to docs/pictures.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Board, type DividerPin, findBoard } from "../hosts/esp32/boards.js";

export const PICTURES = fileURLToPath(new URL("../../docs/pictures", import.meta.url));

/**
 * Boards to draw, one of each kind: a bare devkit, a devkit with a radio, a gateway board, and a board with battery
 * cells.
 */
export const DRAWN = ["esp32-devkitc", "esp32-devkitc-zigbee", "slzb-06", "esp32s3-battery"] as const;
const BOUGHT = ["slzb-06"];

const WIDTH = 720;
const ROW = 30;
const GAP = 22;
const TOP = 62;
const BOARD = { left: 24, right: 268 };
const DEVICE = { left: 452, right: 696 };

const POWER = "#c62828";
const GROUND = "#333333";
const OUT = "#1555b8";
const IN = "#1b7a34";

interface Wire {
	readonly pin: string;
	readonly device: string;
	readonly colour: string;
}

interface Part {
	readonly title: string;
	readonly wires: readonly Wire[];
}

const out = (pin: number, use: string, device: string): Wire => ({ pin: `${use} GPIO ${pin}`, device, colour: OUT });
const into = (pin: number, use: string, device: string): Wire => ({ pin: `${use} GPIO ${pin}`, device, colour: IN });
const SUPPLY: readonly Wire[] = [
	{ pin: "3V3", device: "VCC 3.3 V", colour: POWER },
	{ pin: "GND", device: "GND", colour: GROUND },
];

function partsOf({ name, meter, zigbee, button, led, battery, usb, cells }: Board): Part[] {
	const head = [out(meter.transmit, "TX", "RXD, to the meter"), into(meter.receive, "RX", "TXD, from the meter")];
	const parts: Part[] = [{ title: "Optical head, TTL 3.3 V", wires: [...SUPPLY, ...head] }];
	const isBought = BOUGHT.includes(name);
	if (zigbee !== undefined && !isBought) {
		const lines = [
			out(zigbee.transmit, "TX", "RXD"),
			into(zigbee.receive, "RX", "TXD"),
			...(zigbee.reset === undefined ? [] : [out(zigbee.reset, "reset", "RESET")]),
			...(zigbee.boot === undefined ? [] : [out(zigbee.boot, "boot", "boot loader (DIO15)")]),
		];
		parts.push({ title: "TI radio module, CC2652", wires: [...SUPPLY, ...lines] });
	}
	if (battery !== undefined)
		parts.push({
			title: `${cells} alkaline cells`,
			wires: [
				{ pin: "input of the regulator", device: "+", colour: POWER },
				into(battery.pin, "ADC", `+ by ${dividerOf(battery)}`),
				{ pin: "GND", device: "−", colour: GROUND },
			],
		});
	if (usb !== undefined) parts.push({ title: "USB socket", wires: [into(usb.pin, "ADC", `5 V by ${dividerOf(usb)}`)] });
	if (led !== undefined && !isBought)
		parts.push({ title: "Status LED, yours to add", wires: [out(led.pin, "LED", "470 Ω, LED, to GND")] });
	if (button !== undefined && !isBought)
		parts.push({ title: "Button: BOOT of the devkit", wires: [into(button, "button", "to GND while pressed")] });
	return parts;
}

/** Draws a voltage divider of equal resistors. The chip measures the voltage at the lowest one. */
function dividerOf({ ratio }: DividerPin): string {
	return `${ratio} × 100 kΩ, 100 nF`;
}

function onBoard({ zigbee, button, led }: Board): string[] {
	const lines: string[] = [];
	if (zigbee !== undefined) {
		const { transmit, receive, reset, boot, select } = zigbee;
		lines.push(`radio: TX GPIO ${transmit}, RX GPIO ${receive},`, `reset GPIO ${reset}, boot GPIO ${boot},`);
		if (select !== undefined) lines.push(`select GPIO ${select}`);
	}
	if (button !== undefined) lines.push(`button: GPIO ${button}`);
	if (led !== undefined) lines.push(`LED: GPIO ${led.pin}`);
	return lines;
}

interface Text {
	readonly size?: number;
	readonly weight?: number;
	readonly end?: boolean;
	readonly fill?: string;
}

function text(
	x: number,
	y: number,
	words: string,
	{ size = 13, weight = 400, end, fill = "#1b1f24" }: Text = {},
): string {
	const anchor = end ? ' text-anchor="end"' : "";
	return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}"${anchor} fill="${fill}">${words}</text>`;
}

function box(left: number, top: number, right: number, bottom: number, fill: string): string {
	const size = `width="${right - left}" height="${bottom - top}"`;
	return `<rect x="${left}" y="${top}" ${size} rx="8" fill="${fill}" stroke="#8a94a0"/>`;
}

/** Draws a wire. An arrow points to the receiving end; wires of the power supply have no arrow. */
function line(y: number, { pin, device, colour }: Wire): string[] {
	const [from, to] = [BOARD.right, DEVICE.left];
	const tip = colour === OUT ? [to, -1] : [from, 1];
	const [x, side] = tip;
	const arrow = `<path d="M${x} ${y} l${side * 10} -5 v10 z" fill="${colour}"/>`;
	return [
		`<line x1="${from}" y1="${y}" x2="${to}" y2="${y}" stroke="${colour}" stroke-width="2.5"/>`,
		...(colour === OUT || colour === IN ? [arrow] : []),
		text(from - 10, y + 4, pin, { end: true, weight: 600 }),
		text(to + 12, y + 4, device),
	];
}

export function draw(board: Board): string {
	const drawn: string[] = [];
	let top = TOP;
	for (const { title, wires } of partsOf(board)) {
		const bottom = top + 28 + wires.length * ROW;
		drawn.push(box(DEVICE.left, top, DEVICE.right, bottom, "#f6f8fa"));
		drawn.push(text(DEVICE.left + 12, top + 20, title, { weight: 600, size: 14 }));
		wires.forEach((wire, index) => {
			drawn.push(...line(top + 42 + index * ROW, wire));
		});
		top = bottom + GAP;
	}
	const soldered = BOUGHT.includes(board.name) ? ["On the board:", ...onBoard(board)] : [];
	const end = Math.max(top - GAP, TOP) + (soldered.length > 0 ? soldered.length * 18 + 28 : 0);
	const height = end + 24;
	const title = `${board.manufacturer} ${board.model}`;
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" role="img" aria-labelledby="title">`,
		`<title id="title">Wiring of the ${title}</title>`,
		`<rect width="${WIDTH}" height="${height}" rx="10" fill="#ffffff"/>`,
		text(BOARD.left, 36, title, { size: 17, weight: 600 }),
		text(DEVICE.right, 36, `--board ${board.name}`, { size: 13, end: true, fill: "#4a5460" }),
		box(BOARD.left, TOP, BOARD.right, end, "#eef3fa"),
		text(BOARD.left + 12, TOP + 20, board.chip.toUpperCase().replace(/^ESP32(.+)/, "ESP32-$1"), {
			weight: 600,
			size: 14,
		}),
		...drawn,
		...soldered.map((words, index) => text(BOARD.left + 12, top + 10 + index * 18, words, { fill: "#4a5460" })),
		"</svg>",
	].join("\n")}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	mkdirSync(PICTURES, { recursive: true });
	for (const name of DRAWN) writeFileSync(join(PICTURES, `wiring-${name}.svg`), draw(findBoard(name)));
}
