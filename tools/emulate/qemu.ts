/** Espressif's QEMU: installation and command line. */
import { spawnSync } from "node:child_process";
import type { Chip } from "../../hosts/esp32/boards.js";
import { EMULATED_CHIPS, type EmulatedChip } from "./chips.js";

/** Command that installs QEMU. Afterwards `export.sh` adds QEMU to the terminal's $PATH. */
export const QEMU_INSTALL =
	'python "$IDF_PATH/tools/idf_tools.py" install qemu-xtensa qemu-riscv32 && . "$IDF_PATH/export.sh"';
/** Libraries that Espressif's programs need on Debian and similar systems (ESP-IDF, "QEMU Emulator"). */
export const QEMU_LIBRARIES = "sudo apt-get install libgcrypt20 libglib2.0-0 libpixman-1-0 libsdl2-2.0-0 libslirp0";

/** Events of QEMU's flash chip. */
const FLASH_EVENTS = ["m25p80_page_program", "m25p80_flash_erase"];

export interface Run {
	/** Exit code; null if the program could not be started or was ended by a signal. */
	readonly status: number | null;
	readonly stdout: string;
	readonly stderr: string;
	readonly isThere: boolean;
}

export type Runner = (program: string, args: readonly string[]) => Run;

export const runHere: Runner = (program, args) => {
	const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
	const isThere = (error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT";
	return { status, stdout: stdout ?? "", stderr: stderr ?? "", isThere };
};

export function lacksChip(chip: Chip, run: Runner): { readonly reason: string; readonly fix: string } | undefined {
	const { program, machine } = EMULATED_CHIPS[chip];
	const { status, stdout, stderr, isThere } = run(program, ["-M", "help"]);
	if (!isThere) return { reason: `${program} is not on the PATH`, fix: QEMU_INSTALL };
	if (status !== 0) {
		const [first = "it fails"] = stderr.trim().split("\n");
		return { reason: `${program} can't be started: ${first}`, fix: QEMU_LIBRARIES };
	}
	if (new RegExp(`^${machine}\\s`, "m").test(stdout)) return undefined;
	const isEspressif = /^esp32/m.test(stdout);
	const reason = isEspressif
		? `The installed ${program} has no machine ${machine}: this QEMU can't emulate that chip`
		: `${program} on the PATH is not Espressif's: it has no machine ${machine}`;
	return { reason, fix: QEMU_INSTALL };
}

export function needQEMU(chip: Chip, run: Runner = runHere): void {
	const lack = lacksChip(chip, run);
	if (lack !== undefined) throw new Error(`${lack.reason}.\nInstall Espressif's: ${lack.fix}`);
}

export interface QEMUOptions {
	readonly chip: Chip;
	readonly flash: string;
	readonly fuses: string;
	/** Local port that is forwarded to the firmware. */
	readonly httpsPort: number;
	readonly httpPort: number;
	/** Number of the meter's UART, 1 or 2. */
	readonly meterUART: number;
	readonly meterSocket: string;
	/** The radio's UART, and the TCP port of the coprocessor that is connected to it. */
	readonly radio?: { readonly uart: number; readonly port: number } | undefined;
	/** File for QEMU's record of each byte that is programmed into the flash and of each erase, in order. */
	readonly flashLog?: string | undefined;
}

/**
 * Returns the command line. The console (UART 0) is on standard input and output. As with `idf.py qemu`, the watchdogs
 * of the timer groups are off, because a busy computer may be too slow for them.
 */
export function qemuCommand(options: QEMUOptions): { readonly program: string; readonly args: readonly string[] } {
	const { flash, fuses, httpsPort, httpPort, meterUART, meterSocket, radio, flashLog } = options;
	const { program, machine }: EmulatedChip = EMULATED_CHIPS[options.chip];
	const forwards = [`hostfwd=tcp:127.0.0.1:${httpsPort}-:443`, `hostfwd=tcp:127.0.0.1:${httpPort}-:80`];
	const args = [
		...["-M", machine, "-display", "none", "-monitor", "none"],
		...["-drive", `file=${escaped(flash)},if=mtd,format=raw`],
		...["-drive", `file=${escaped(fuses)},if=none,format=raw,id=efuse`],
		...["-global", `driver=nvram.${machine}.efuse,property=drive,value=efuse`],
		...["-global", `driver=timer.${machine}.timg,property=wdt_disable,value=true`],
		...["-nic", `user,model=open_eth,${forwards.join(",")}`],
	];
	// QEMU connects them to the UARTs in this order.
	const serials = ["stdio"];
	serials[meterUART] = `unix:${escaped(meterSocket)},server=on,wait=off`;
	if (radio !== undefined) serials[radio.uart] = `tcp:127.0.0.1:${radio.port},reconnect=1`;
	for (let uart = 0; uart < serials.length; uart++) args.push("-serial", serials[uart] ?? "null");
	if (flashLog !== undefined)
		args.push("-D", flashLog, ...FLASH_EVENTS.flatMap((event) => ["-trace", `enable=${event}`]));
	return { program, args };
}

/** Doubles the commas in a path, because commas separate QEMU's options. */
function escaped(path: string): string {
	return path.replaceAll(",", ",,");
}
