/**
 * Runs the npm commands: installs missing packages, compiles changes, and starts the compiled program. It is plain
 * JavaScript without dependencies, because nothing may be installed yet.
 */
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const build = join(root, ".build");
const bin = (name) => join(root, "node_modules", ".bin", name);
const say = (text) => process.stderr.write(`${text}\n`);

function canWrite() {
	try {
		accessSync(existsSync(build) ? build : root, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}

const STALE = "it is not completely built yet";

function refuseToWrite(why) {
	say(`${root} can't be written, and ${why}: let its owner run \`npm run build\` there once.`);
	process.exit(1);
}

function attempt(command, args, output = 2) {
	const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", output, output] });
	if (error) say(`${command} could not be started: ${error.message}`);
	return status ?? 1;
}

/** Runs a step. If it fails, this program ends with the same exit code. */
function step(command, args) {
	const status = attempt(command, args);
	if (status !== 0) process.exit(status);
}

function checkNode() {
	const [major, minor] = process.versions.node.split(".").map(Number);
	if (major > 20 || (major === 20 && minor >= 19)) return;
	say(`Node 20.19 or newer is needed; this is ${process.versions.node}. See https://nodejs.org.`);
	process.exit(1);
}

function install() {
	const installed = join(root, "node_modules", ".package-lock.json");
	const lock = join(root, "package-lock.json");
	const isThere = existsSync(installed);
	if (isThere && (statSync(installed).mtimeMs >= statSync(lock).mtimeMs || !canWrite())) return;
	if (!canWrite()) refuseToWrite("the npm packages are not installed");
	say("Installing the pinned npm packages; the XS engine is built from source, about a minute …");
	// npm's script for XS calls make, which otherwise uses one processor.
	process.env.MAKEFLAGS ??= `-j${availableParallelism()}`;
	const ci = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
	// Only XS is built from source. Without a compiler the other packages are still useful, so they are installed
	// without XS.
	if (attempt("npm", ci) !== 0) step("npm", [...ci, "--ignore-scripts"]);
	if (!hasXS()) {
		say(
			"The XS engine could not be built. `npm run doctor` says what is missing; then delete node_modules and try again.",
		);
		say("Until then only `npm start -- --engine node` works.");
	}
}

function hasXS() {
	const built = join(root, "node_modules", "@agoric", "xsnap", "xsnap-native", "xsnap", "build", "bin");
	return existsSync(built) && readdirSync(built).some((one) => existsSync(join(built, one, "release", "xsnap-worker")));
}

const runs = (command, args, input = "") => spawnSync(command, args, { input, stdio: "pipe" }).status === 0;

/** Debian packages for tests of the native code and of the web server. These tests report what they skip. */
const TEST_PACKAGES = [
	{ name: "gcc", isThere: () => runs("gcc", ["--version"]) },
	{ name: "libmbedtls-dev", isThere: () => runs("gcc", ["-E", "-x", "c", "-"], "#include <mbedtls/ssl.h>\n") },
	{ name: "openssl", isThere: () => runs("openssl", ["version"]) },
	{ name: "curl", isThere: () => runs("curl", ["--version"]) },
	{
		name: "chromium-headless-shell",
		isThere: () => ["chromium-headless-shell", "chromium"].some((name) => runs(name, ["--version"])),
	},
];

/**
 * Returns true if the program is installed. Used for `npm run test:peers`. Most programs have the same name as their
 * Debian package. Two of the packages start a server when they are installed.
 */
const hasProgram = (name) => runs("sh", ["-c", `PATH="$PATH:/usr/sbin" command -v ${name}`]);
const PEER_PACKAGES = [
	{ name: "prometheus", isThere: () => hasProgram("promtool") },
	{ name: "mosquitto", isThere: () => hasProgram("mosquitto") },
	{ name: "mosquitto-clients", isThere: () => hasProgram("mosquitto_sub") },
	{ name: "debootstrap", isThere: () => hasProgram("debootstrap") },
	{ name: "opensc", isThere: () => hasProgram("pkcs11-tool") },
	{ name: "firefox-esr", isThere: () => hasProgram("firefox-esr") },
	{ name: "webkit2gtk-driver", isThere: () => hasProgram("WebKitWebDriver") },
	{ name: "xvfb", isThere: () => hasProgram("Xvfb") },
	{ name: "softhsm2", isThere: () => hasProgram("softhsm2-util") },
];

function installForTests(packages, mayInstall = true) {
	const missing = packages.filter(({ isThere }) => !isThere()).map(({ name }) => name);
	if (missing.length === 0) return;
	const install = ["install", "-y", "--no-install-recommends", ...missing];
	if (!mayInstall || process.getuid() !== 0 || !runs("apt-get", ["--version"])) {
		say(`Some tests will be skipped; for them: sudo apt-get ${install.join(" ")}`);
		return;
	}
	say(`Installing Debian packages for the tests: ${missing.join(", ")} …`);
	const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
	for (const args of [["update", "-qq"], install]) {
		const { status, stderr } = spawnSync("apt-get", args, { env, encoding: "utf8" });
		if (status !== 0) say(`apt-get ${args[0]}: ${stderr.trim()}`);
	}
}

/** Deletes the compiled files of deleted sources, so that a deleted test no longer runs. */
function prune(folder) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isDirectory()) prune(path);
		else if (/\.(js|js\.map|d\.ts)$/.test(entry.name)) {
			const source = join(root, relative(build, path)).replace(/\.(js|js\.map|d\.ts)$/, ".ts");
			if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(path);
		}
	}
}

/** Makes the API's description and the page's types, which the page needs to be compiled (tools/api/make.ts). */
function describeAPI(isFixed) {
	const output = isFixed ? "ignore" : 2;
	const compiler = [bin("tsc"), ["-b", "tools/api"]];
	const maker = [process.execPath, program("tools/api/make.js")];
	if ([compiler, maker].every(([command, args]) => attempt(command, args, output) === 0)) return;
	if (isFixed) refuseToWrite(STALE);
	// After output was deleted, TypeScript's record of the build is wrong.
	compiler[1].push("--force");
	for (const [command, args] of [compiler, maker]) step(command, args);
}

async function compile() {
	const isFixed = !canWrite();
	if (!isFixed) say("Compiling …");
	describeAPI(isFixed);
	// If a checkout is read-only and was not built before, there is an error for each file.
	if (attempt(bin("tsc"), ["-b"], isFixed ? "ignore" : 2) !== 0) {
		if (isFixed) refuseToWrite(STALE);
		// After output was deleted, TypeScript's record of the build is wrong.
		step(bin("tsc"), ["-b", "--force"]);
	}
	try {
		// In the other folders are builds by the Moddable SDK.
		for (const folder of ["hosts", "modules", "test", "tools"]) prune(join(build, folder));
		const { buildNames } = await import(join(build, "tools", "obis-table.js"));
		buildNames();
		const { buildPage } = await import(join(build, "tools", "page", "archive.js"));
		await buildPage();
		const { bundleGateway } = await import(join(build, "hosts", "node", "bundle.js"));
		await bundleGateway();
	} catch (error) {
		if (isFixed) refuseToWrite(STALE);
		throw error;
	}
}

/**
 * Replaces this process as far as possible. The child has the same terminal, gets forwarded signals, and determines the
 * exit code. Its channel closes when this process ends for any reason.
 */
function become(command, args, ended = (code) => process.exit(code)) {
	const child = spawn(command, args, { cwd: root, stdio: ["inherit", "inherit", "inherit", "ipc"] });
	for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
	followNpm(() => child.kill("SIGTERM"));
	child.on("error", (error) => {
		say(`${command} could not be started: ${error.message}`);
		process.exit(1);
	});
	child.on("exit", (code, signal) => ended(code ?? (signal === "SIGTERM" || signal === "SIGINT" ? 0 : 1)));
}

const PASSED_ON = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"];
const LOOK_MS = 500;

/**
 * Calls `end` when npm or its shell has ended. On a signal, npm ends itself and the shell, but not the program in the
 * shell.
 */
function followNpm(end) {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parents = () => [process.ppid, parentOf(process.ppid)].join(" ");
	const first = parents();
	const look = setInterval(() => {
		if (parents() === first) return;
		clearInterval(look);
		end();
	}, LOOK_MS);
	look.unref();
}

function parentOf(pid) {
	try {
		return /^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
	} catch {
		return undefined;
	}
}

/** Returns a path without its ending and without the commands that the end of a test file's name lists. */
const nameOf = (path) => path.replace(/(\.(test|hosts|long|linux|emulated))*\.\w+$/, "");

/**
 * Returns the compiled tests of a source file or folder, of a test file or folder, or of all test files with this name.
 * Returns undefined if nothing matches.
 */
function testsOf(argument, kind) {
	const given = relative(root, join(process.env.INIT_CWD ?? root, argument)).replace(/\\/g, "/");
	if (given.startsWith(".build/")) return given;
	const tests = allTests(kind);
	const choose = (isMeant) => tests.filter((path) => isMeant(nameOf(relative(join(build, "test"), path))));
	for (const one of [given, argument]) {
		const name = nameOf(one.replace(/^(modules(\/parts)?|test)\//, "").replace(/\/$/, ""));
		const source = [one, `${one}.ts`, `modules/${one}`, `modules/parts/${one}`, `test/${one}`]
			.filter((path) => !path.startsWith(".."))
			.map((path) => join(root, path))
			.find((path) => existsSync(path));
		const isFolder = source !== undefined && statSync(source).isDirectory();
		const own = choose((test) => test === name);
		if (own.length > 0 && !isFolder) return own;
		if (source === undefined) continue;
		// A file that has no test of its own is tested by the tests of its folder.
		const folder = isFolder ? name : dirname(name);
		const inside = choose((test) => folder === "." || test.startsWith(`${folder}/`));
		return inside.length > 0 ? inside : choose((test) => test.startsWith(folder));
	}
	const named = choose((test) => basename(test) === argument);
	return named.length > 0 ? named : undefined;
}

/**
 * Beginnings of the names of the slowest test files, the slowest first. Test files that mostly wait start first,
 * because they leave the processors to the others.
 */
const SLOWEST = [
	"browser/nine-ways",
	"whole/",
	"api/contract-xs",
	"http/siege/",
	"update/download-sockets",
	"browser/",
	"api/",
	"fuzz/",
	"hosts/",
	"zigbee/ota-herdsman",
	"tools/contributing",
	"tools/esp32-build",
	"tools/firmware-script",
	"tools/run.",
	"time/",
	"system/",
];

/** Returns the compiled test files whose names list this command, as `x.test.long.js` lists "test" and "long". */
function allTests(kind) {
	const place = (name) => {
		const found = SLOWEST.findIndex((one) => name.startsWith(one));
		return found < 0 ? SLOWEST.length : found;
	};
	return readdirSync(join(build, "test"), { recursive: true })
		.filter((name) => name.endsWith(".js") && basename(name).split(".").slice(1, -1).includes(kind))
		.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
		.map((name) => join(build, "test", name));
}

/**
 * Returns the runs of Mocha. Without arguments, one run has all tests. Otherwise the first run has the tests of the
 * named files and folders, and the second run has the tests whose titles contain the other words.
 */
function selections(kind, args) {
	if (args.length === 0) return [allTests(kind)];
	const tests = args.map((argument) => testsOf(argument, kind));
	const files = tests.flatMap((one) => one ?? []);
	const words = args.filter((_, index) => tests[index] === undefined);
	if (words.length === 0 && files.length === 0) {
		say(`${args.join(", ")}: no test file there has .${kind} in its name.`);
		process.exit(1);
	}
	if (words.length === 0) return [files];
	say(`No file or folder: ${words.join(", ")}. Searching the titles of all tests for it.`);
	const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
	const named = ["--grep", pattern, ...allTests(kind)];
	return files.length === 0 ? [named] : [files, named];
}

/** Runs the selected tests of a command, which test/runs.ts tells them. */
function runTests(kind, args, ...options) {
	process.env.TEST_RUN = kind;
	const [last, ...others] = selections(kind, args).reverse();
	for (const list of others.reverse()) {
		const status = attempt(process.execPath, ["--enable-source-maps", ...mocha(...options, ...list)]);
		if (status !== 0) process.on("exit", () => (process.exitCode ||= status));
	}
	become(process.execPath, ["--enable-source-maps", ...mocha(...options, ...last)]);
}

/** If failures are in more files than this, they hardly come from a busy computer. */
const AGAIN_LIMIT = 3;

/**
 * Runs all tests of the command. Runs files with failures once more, one at a time and with the same seeds, because many tests
 * use real time, which a busy computer delays. Mocha's exit code is the number of failures.
 */
function runAllTests(kind, jobs) {
	process.env.TEST_RUN = kind;
	const guarded = ["--no-fail-zero", "--require", join(build, "test", "second-attempts.js")];
	const start = (...args) => ["--enable-source-maps", ...mocha(...guarded, ...args)];
	become(process.execPath, start("--parallel", "--jobs", String(jobs), ...allTests(kind)), (code) => {
		const list = join(build, "tests-again.txt");
		const failures = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : [];
		const files = new Map(failures.map((line) => line.split("\t")));
		if (code === 0 || code !== failures.length || files.size > AGAIN_LIMIT) process.exit(code);
		let failed = 0;
		for (const [file, seed] of files) {
			say(`second attempt: ${relative(build, file)}`);
			if (seed) process.env.SEED = seed;
			if (attempt(process.execPath, start(file)) !== 0) failed++;
			delete process.env.SEED;
		}
		process.exit(failed);
	});
}

const program = (path) => ["--enable-source-maps", join(build, path)];
const mocha = (...patterns) => [
	bin("mocha"),
	"--no-config",
	"--exit",
	"--fail-zero",
	"--timeout",
	"240000",
	"--require",
	join(build, "test", "faults.js"),
	...patterns,
];

/** Makes the command fail at its end because of a fault in form, although the tests still run. */
function failForForm() {
	say("Biome has found problems (see the beginning of the output); npm run format fixes most of them.");
	process.exitCode ||= 1;
}

/**
 * Takes `--board NAME` from the arguments. It selects the composition of this board for test/whole, which alone runs if
 * nothing else is selected.
 */
async function selectBoard(args) {
	const at = args.indexOf("--board");
	if (at < 0) return;
	const [, board] = args.splice(at, 2);
	try {
		const { findBoard } = await import(join(build, "hosts", "esp32", "boards.js"));
		process.env.BOARD = findBoard(board).name;
	} catch (error) {
		say(error.message);
		process.exit(2);
	}
	if (args.length === 0) args.push("test/whole");
}

const commands = {
	// Without arguments there is nothing more to do, because everything is installed and compiled at this point.
	build: (args) => {
		if (args.length > 0) become(process.execPath, [...program("tools/build.js"), "build", ...args]);
		else say("Compiled. The firmware of a board: npm run build -- --board NAME (docs/flashing.md lists them).");
	},
	factory: (args) => become(process.execPath, [...program("tools/factory.js"), ...args]),
	release: (args) => become(process.execPath, [...program("tools/release.js"), ...args]),
	flash: (args) => become(process.execPath, [...program("tools/build.js"), "flash", ...args]),
	monitor: (args) => become(process.execPath, [...program("tools/build.js"), "monitor", ...args]),
	start: (args) => become(process.execPath, [...program("hosts/node/main.js"), ...args]),
	meter: (args) => become(process.execPath, [...program("tools/meter.js"), ...args]),
	ota: (args) => become(process.execPath, [...program("tools/ota.js"), ...args]),
	report: (args) => become(process.execPath, [...program("tools/report.js"), ...args]),
	zigbee: (args) => become(process.execPath, [...program("tools/zigbee.js"), ...args]),
	coordinator: (args) => become(process.execPath, [...program("tools/coordinator.js"), ...args]),
	hub: (args) => become(process.execPath, [...program("tools/hub.js"), ...args]),
	linux: (args) => become(process.execPath, [...program("tools/linux.js"), ...args]),
	emulate: (args) => become(process.execPath, [...program("tools/emulate.js"), ...args]),
	fleet: (args) => become(process.execPath, [...program("test/fleet/run.js"), ...args]),
	benchmark: (args) => become(process.execPath, [...program("tools/benchmark.js"), ...args]),
	size: (args) => become(process.execPath, [...program("tools/size.js"), ...args]),
	api: ([what, ...args]) => {
		become(process.execPath, [...program(what === "--make" ? "tools/api-make.js" : "tools/api-page.js"), ...args]);
	},
	doctor: () => become(process.execPath, program("tools/doctor.js")),
	lint: () => step(bin("biome"), ["check", "."]),
	format: () => step(bin("biome"), ["check", "--write", "."]),
	test: (args) => {
		// The lint is omitted for selected tests, which should take only seconds.
		if (args.length === 0) {
			installForTests(TEST_PACKAGES);
			say("Checking the code with Biome …");
			if (attempt(bin("biome"), ["check", "."]) !== 0) process.on("exit", failForForm);
		}
		say("Running the tests …");
		// The tests run in parallel, because they mostly wait. The results of a file appear when the file ends.
		if (args.length === 0) runAllTests("test", 6);
		else runTests("test", args);
	},
	// The page in Chromium, the C code, and builds for the chip: they take as long as all other tests.
	"test:hosts": (args) => {
		if (args.length > 0) {
			runTests("hosts", args);
			return;
		}
		installForTests(TEST_PACKAGES);
		// Chromium itself uses both processors.
		runAllTests("hosts", 5);
	},
	check: () => become(process.execPath, program("tools/check.js")),
	"test:long": (args) => runTests("long", args, "--timeout", "0"),
	"test:linux": async (args) => {
		await selectBoard(args);
		step(process.execPath, [...program("tools/linux.js"), "--build"]);
		// Two files run at the same time, because each of them waits for its firmware half of the time.
		const twoAtOnce = args.length > 1 ? ["--parallel", "--jobs", "2", "--no-fail-zero"] : [];
		runTests("linux", args, ...twoAtOnce);
	},
	"test:emulated": (args) => runTests("emulated", args, "--timeout", "0", "--bail"),
	"test:peers": () => {
		// Packages are installed automatically only in CI. They start a broker and a Prometheus permanently. On their own
		// computers, people must be asked first.
		installForTests(PEER_PACKAGES, Boolean(process.env.CI));
		become(process.execPath, [...program("test/peers/run.js"), ...args]);
	},
};

const [name, ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name)) {
	say(`Usage: node tools/run.mjs ${Object.keys(commands).join("|")} [arguments]`);
	process.exit(2);
}
checkNode();
install();
if (name !== "format" && name !== "lint") await compile();
await commands[name](args);
