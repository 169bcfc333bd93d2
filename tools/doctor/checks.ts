/**
 * Checks whether the computer meets the requirements of each target, for `npm run doctor`. Accesses the computer only
 * through Machine.
 */

import { lacksChip, type Runner } from "../emulate/qemu.js";

/** Version of the SDK with which the firmware was built and tested. */
export const SDK_VERSION = "8.2.3";
/** Oldest version of ESP-IDF that the SDK accepts. */
export const IDF_VERSION = "v6.0";
/** Version of ESP-IDF that the documents ask for (docs/decisions/0039-esp-idf-6-0-2.md). */
export const IDF_TAG = "v6.0.2";
const CHIPS = "esp32,esp32s3,esp32c3,esp32c6";
/** Programs and libraries that ESP-IDF needs on Linux and does not install: names, and commands that fail without them. */
const IDF_NEEDS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
	["git", "git", "--version"],
	["cmake", "cmake", "--version"],
	["ninja", "ninja", "--version"],
	["python3-venv", "python3", "-c", "import ensurepip, venv"],
	["libusb", "python3", "-c", "import ctypes; ctypes.CDLL('libusb-1.0.so.0')"],
];
const NODE_VERSION = [20, 19];
/** Paths of the XS worker, as in hosts/node/xs-worker.ts. */
const XS_PROGRAMS = ["lin", "mac"].map(
	(platform) => `node_modules/@agoric/xsnap/xsnap-native/xsnap/build/bin/${platform}/release/xsnap-worker`,
);

export interface Machine {
	ask(command: string, ...args: string[]): string | undefined;
	hasHeader(header: string): boolean;
	/** Returns true if 32-bit programs with GLib and Mbed TLS can be built and run. */
	builds32(): boolean;
	exists(path: string): boolean;
	readonly run: Runner;
	environment(name: string): string | undefined;
}

export interface Check {
	name: string;
	ok: boolean;
	detail: string;
	fix: string;
}

export interface Target {
	name: string;
	purpose: string;
	checks: Check[];
}

export function diagnose(machine: Machine): Target[] {
	return [
		{
			name: "bench",
			purpose: "the simulator, which is the gateway on this computer: npm start",
			checks: benchChecks(machine),
		},
		{ name: "tests", purpose: "all of npm test, which skips tests without these", checks: testChecks(machine) },
		{
			name: "linux",
			purpose: "the firmware in the SDK's XS: npm run linux, npm run size",
			checks: linuxChecks(machine),
		},
		{ name: "esp32", purpose: "the firmware on the chip: npm run build -- --board NAME", checks: esp32Checks(machine) },
		{
			name: "emulator",
			purpose: "the firmware of a board in QEMU, with all that esp32 needs: npm run emulate -- --board NAME",
			checks: EMULATED.map((chip) => emulatorCheck(machine, chip)),
		},
	];
}

export function isBenchComplete(targets: readonly Target[]): boolean {
	return targets[0].checks.every(({ ok }) => ok);
}

const EMULATED = ["esp32", "esp32c3", "esp32s3"] as const;

function emulatorCheck(machine: Machine, chip: (typeof EMULATED)[number]): Check {
	const lack = lacksChip(chip, machine.run);
	const name = `Espressif's QEMU: ${chip}`;
	if (lack === undefined) return { name, ok: true, detail: "listed by -M help", fix: "" };
	return { name, ok: false, detail: lack.reason, fix: lack.fix };
}

function apt(...packages: string[]): string {
	return `sudo apt-get install ${packages.join(" ")}`;
}

function found(name: string, detail: string | undefined, fix: string): Check {
	return { name, ok: detail !== undefined, detail: detail ?? "not found", fix: detail === undefined ? fix : "" };
}

function header(machine: Machine, name: string, path: string, fix: string): Check {
	return found(name, machine.hasHeader(path) ? path : undefined, fix);
}

function benchChecks(machine: Machine): Check[] {
	const built = XS_PROGRAMS.some((path) => machine.exists(path)) ? "@agoric/xsnap" : undefined;
	return [
		nodeCheck(machine),
		...["gcc", "g++", "make"].map((name) => found(name, machine.ask(name, "--version"), apt("build-essential"))),
		found("XS engine from npm", built, "rm -rf node_modules && npm run build"),
	];
}

function nodeCheck(machine: Machine): Check {
	const version = machine.ask("node", "--version");
	const [major = 0, minor = 0] = (version ?? "").replace(/^v/, "").split(".").map(Number);
	const ok = major > NODE_VERSION[0] || (major === NODE_VERSION[0] && minor >= NODE_VERSION[1]);
	const wanted = `${NODE_VERSION.join(".")} or newer is needed`;
	const detail = ok ? version! : `${version ?? "not found"}; ${wanted}`;
	return { name: "Node", ok, detail, fix: ok ? "" : "see https://nodejs.org/en/download" };
}

function testChecks(machine: Machine): Check[] {
	return [
		found("OpenSSL", machine.ask("openssl", "version"), apt("openssl")),
		found("curl", machine.ask("curl", "--version"), apt("curl")),
		found(
			"Chromium",
			machine.ask("chromium-headless-shell", "--version") ?? machine.ask("chromium", "--version"),
			apt("chromium-headless-shell"),
		),
		header(machine, "Mbed TLS for C", "mbedtls/ssl.h", apt("libmbedtls-dev")),
	];
}

function linuxChecks(machine: Machine): Check[] {
	const i386 = "libglib2.0-dev:i386 libmbedtls-dev:i386";
	const beside = `sudo dpkg --add-architecture i386 && sudo apt-get update && ${apt("gcc-multilib", i386)}`;
	const bootstrap = "sudo debootstrap --arch=i386 --variant=minbase --include=libglib2.0-dev,libmbedtls-dev bookworm";
	const apart = `${apt("gcc-multilib", "debootstrap")} && ${bootstrap} ~/i386 && export GATEWAY_SYSROOT32=~/i386`;
	// APT refuses if the 32-bit packages conflict with installed 64-bit packages. Then they go to a separate folder.
	const all32 = `${beside} # if apt-get refuses: ${apart}`;
	return [
		...sdkChecks(machine),
		found("GLib for C", machine.ask("pkg-config", "--modversion", "gio-2.0"), apt("pkg-config", "libglib2.0-dev")),
		header(machine, "Mbed TLS for C", "mbedtls/ssl.h", apt("libmbedtls-dev")),
		found("32-bit builds, with the memory of the chip", machine.builds32() ? "gcc -m32" : undefined, all32),
	];
}

function sdkChecks(machine: Machine): Check[] {
	const folder = machine.environment("MODDABLE");
	const there = folder !== undefined && machine.exists(`${folder}/xs/includes/xs.h`);
	const setUp = `xs-dev setup --target-branch ${SDK_VERSION}`;
	const get = machine.ask("xs-dev", "--version") === undefined ? `npm install -g xs-dev && ${setUp}` : setUp;
	const place = found("Moddable SDK", there ? folder : undefined, `${get} # then open a new terminal`);
	if (!there) {
		if (folder !== undefined) place.detail = `not in ${folder}, where $MODDABLE points`;
		else place.detail = "$MODDABLE is not set";
		return [place];
	}
	const make = 'make -C "$MODDABLE/build/makefiles/lin"';
	const tools = ["mcconfig", "xsc", "xsl"].map((name) => `${folder}/build/bin/lin/release/${name}`);
	const built = tools.every((path) => machine.exists(path)) ? "mcconfig, xsc, xsl" : undefined;
	return [
		place,
		sdkVersion(machine, folder, make),
		found("Moddable SDK: tools", built, `${apt("libgtk-3-dev")} && ${make}`),
	];
}

/**
 * Returns the version from the tags of the folder's own repository, not of an enclosing one. With --git-dir, Git
 * accepts a folder of any owner.
 */
function describe(machine: Machine, folder: string): string | undefined {
	return machine.ask("git", "-C", folder, "--git-dir=.git", "describe", "--tags");
}

function sdkVersion(machine: Machine, folder: string, make: string): Check {
	const name = "Moddable SDK: version";
	const version = describe(machine, folder) ?? machine.ask("cat", `${folder}/tools/VERSION`);
	if (version === SDK_VERSION) return { name, ok: true, detail: version, fix: "" };
	const git = 'git -C "$MODDABLE"';
	return {
		name,
		ok: false,
		detail: `${version ?? "unknown version"}; the firmware is tested with ${SDK_VERSION}`,
		fix: `${git} fetch --depth 1 origin tag ${SDK_VERSION} && ${git} checkout ${SDK_VERSION} && ${make}`,
	};
}

function idfNeeds(machine: Machine): Check {
	const name = "what ESP-IDF needs";
	const lacking = IDF_NEEDS.filter(([, command, ...args]) => machine.ask(command, ...args) === undefined);
	const names = (needs: typeof IDF_NEEDS) => needs.map(([each]) => each).join(", ");
	if (lacking.length === 0) return { name, ok: true, detail: names(IDF_NEEDS), fix: "" };
	const fix = apt("git", "cmake", "ninja-build", "python3-venv", "libusb-1.0-0");
	return { name, ok: false, detail: `${names(lacking)} not found`, fix };
}

function esp32Checks(machine: Machine): Check[] {
	const folder = machine.environment("IDF_PATH");
	const there = folder !== undefined && machine.exists(`${folder}/export.sh`);
	// The command uses Git, because xs-dev would install a version that is too old for the SDK.
	const clone = `git clone -b ${IDF_TAG} --recursive https://github.com/espressif/esp-idf.git ~/esp32/esp-idf`;
	const exports = '. "$IDF_PATH/export.sh"';
	const install = `${clone} && ~/esp32/esp-idf/install.sh ${CHIPS} && export IDF_PATH=~/esp32/esp-idf && ${exports}`;
	const place = found("ESP-IDF", there ? folder : undefined, install);
	if (!there) {
		place.detail = folder === undefined ? "$IDF_PATH is not set" : `not in ${folder}, where $IDF_PATH points`;
		return [idfNeeds(machine), ...sdkChecks(machine), place];
	}
	const version = describe(machine, folder);
	const right = version !== undefined && (version === IDF_VERSION || version.startsWith(`${IDF_VERSION}.`));
	return [
		idfNeeds(machine),
		...sdkChecks(machine),
		place,
		{
			name: "ESP-IDF: version",
			ok: right,
			detail: right
				? version
				: `${version ?? "unknown version (a ZIP has none; clone it)"}; the SDK needs ${IDF_VERSION}`,
			fix: right ? "" : install,
		},
		found("ESP-IDF: idf.py", machine.ask("idf.py", "--version"), exports),
	];
}
