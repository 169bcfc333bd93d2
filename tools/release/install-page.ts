/**
 * Makes the page that installs the firmware on a board from a browser (ESP Web Tools), as static files. The page loads
 * nothing from other servers, so it works from a USB stick and from any web server.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Board } from "../../hosts/esp32/boards.js";
import { PRODUCT } from "../../modules/product/product.js";
import { omissionsOf } from "../sdk/omissions.js";

const CARRIED = ["esp-web-tools", "esptool-js", "improv-wifi-serial-sdk", "lit", "@material/web", "pako", "tslib"];
const TEMPLATE = join("tools", "release", "install");

/** Writes the page into `folder`, which has a folder with manifest.json for each board. */
export async function writeInstallPage(root: string, folder: string, version: string, boards: readonly Board[]) {
	const source = join(root, TEMPLATE);
	const install = join(folder, "install");
	mkdirSync(install, { recursive: true });
	await build({
		entryPoints: [join(source, "page.mjs")],
		outdir: install,
		bundle: true,
		splitting: true,
		minify: true,
		format: "esm",
		target: "es2022",
		legalComments: "eof",
		absWorkingDir: root,
		logLevel: "error",
	});
	copyFileSync(join(source, "page.css"), join(install, "page.css"));
	const icon = readFileSync(join(root, "hosts", "browser", "icon.svg"), "utf8");
	writeFileSync(join(install, "icon.svg"), icon.replaceAll("%PRODUCT%", PRODUCT));
	writeFileSync(join(install, "LICENSES.txt"), licencesOf(root));
	const values: Record<string, string> = {
		product: escaped(PRODUCT),
		version: escaped(version),
		boards: boards.map(optionOf).join("\n"),
		files: boards.map(({ name }) => `<li><a href="${name}.ota" download>${name}.ota</a></li>`).join("\n"),
	};
	const page = readFileSync(join(source, "page.html"), "utf8");
	writeFileSync(
		join(folder, "index.html"),
		page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]),
	);
}

const SOCKETS: Readonly<Record<Board["console"], string>> = Object.freeze({
	uart: "Use the USB socket that leads to UART 0 (its USB-UART chip needs a driver on some computers).",
	usb: "Use its USB socket, which leads to the chip itself and needs no driver.",
	both: "Use either of its USB sockets.",
});
const ADAPTER =
	"No USB socket leads to the console: connect a USB-UART adapter of 3.3 V to TXD0, RXD0 and GND, and GPIO 0 to GND while the board starts for the installation.";
const NO_IMPROV = "Plug in the network cable, or join its access point: this page can't set its Wi-Fi.";

/** Returns sentences that say what must be connected to the board. */
function needsOf(board: Board): string {
	const { console, adapter, meter } = board;
	return [
		adapter ? ADAPTER : SOCKETS[console],
		`The meter's head transmits to GPIO ${meter.receive} and receives from GPIO ${meter.transmit}.`,
		...(omissionsOf(board).includes("improv") ? [NO_IMPROV] : []),
	].join(" ");
}

function optionOf(board: Board): string {
	const { name, manufacturer, model, chip, flashMB } = board;
	const facts = { name, chip: chip.toUpperCase(), flash: String(flashMB), needs: needsOf(board) };
	const data = Object.entries(facts)
		.map(([key, value]) => `data-${key}="${escaped(value)}"`)
		.join(" ");
	return `<option value="${name}/manifest.json" ${data}>${escaped(`${manufacturer} ${model}`)} (${name})</option>`;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function licencesOf(root: string): string {
	const texts = CARRIED.map((name) => {
		const folder = join(root, "node_modules", name);
		const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
		return `${name} ${version}, ${license}\n\n${readLicence(folder)}\n`;
	});
	return texts.join(`\n${"-".repeat(80)}\n\n`);
}

function readLicence(folder: string): string {
	for (const name of ["LICENSE", "LICENSE.txt", "LICENSE.md"])
		try {
			return readFileSync(join(folder, name), "utf8").trim();
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
		}
	throw new Error(`${folder} has no licence text.`);
}
