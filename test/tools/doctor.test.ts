import assert from "node:assert/strict";
import {
	type Check,
	diagnose,
	IDF_TAG,
	isBenchComplete,
	type Machine,
	SDK_VERSION,
} from "../../tools/doctor/checks.js";
import { asText } from "../../tools/doctor/text.js";

/** A simulated computer: the output of programs by command line, the files, and the environment. */
interface Computer {
	says: Record<string, string>;
	headers: string[];
	files: string[];
	variables: Record<string, string>;
	builds32: boolean;
	/** Replies of QEMU's programs to `-M help`, or the reason why they don't start. */
	machines: Record<string, { says?: string; fails?: string }>;
}

const MACHINES = "Supported machines are:\nnone                 empty machine\n";
const TOOLS = ["mcconfig", "xsc", "xsl"].map((name) => `/sdk/build/bin/lin/release/${name}`);

const PYTHON_VENV = "python3 -c import ensurepip, venv";
const PYTHON_USB = "python3 -c import ctypes; ctypes.CDLL('libusb-1.0.so.0')";
const XS_PROGRAM = "node_modules/@agoric/xsnap/xsnap-native/xsnap/build/bin/lin/release/xsnap-worker";

function complete(): Computer {
	return {
		says: {
			"node --version": "v20.19.0",
			"gcc --version": "gcc 12",
			"g++ --version": "g++ 12",
			"make --version": "GNU Make 4.3",
			"openssl version": "OpenSSL 3.0",
			"curl --version": "curl 7.88",
			"chromium --version": "Chromium 150",
			"pkg-config --modversion gio-2.0": "2.74.6",
			"git -C /sdk --git-dir=.git describe --tags": SDK_VERSION,
			"git -C /idf --git-dir=.git describe --tags": IDF_TAG,
			"idf.py --version": `ESP-IDF ${IDF_TAG}`,
			"git --version": "git version 2.39.5",
			"cmake --version": "cmake version 3.25.1",
			"ninja --version": "1.11.1",
			[PYTHON_VENV]: "",
			[PYTHON_USB]: "",
		},
		headers: ["mbedtls/ssl.h"],
		files: [XS_PROGRAM, "/sdk/xs/includes/xs.h", ...TOOLS, "/idf/export.sh"],
		variables: { MODDABLE: "/sdk", IDF_PATH: "/idf" },
		builds32: true,
		machines: {
			"qemu-system-xtensa": { says: `${MACHINES}esp32 Espressif ESP32 machine\nesp32s3 Espressif ESP32S3 machine\n` },
			"qemu-system-riscv32": { says: `${MACHINES}esp32c3 Espressif ESP32-C3 machine\n` },
		},
	};
}

function machineOf(computer: Computer): Machine {
	return {
		ask: (...words) => computer.says[words.join(" ")],
		hasHeader: (header) => computer.headers.includes(header),
		builds32: () => computer.builds32,
		run: (program) => {
			const found = computer.machines[program];
			const { says, fails = "" } = found ?? {};
			return { status: says === undefined ? 127 : 0, stdout: says ?? "", stderr: fails, isThere: found !== undefined };
		},
		exists: (path) => computer.files.includes(path),
		environment: (name) => computer.variables[name],
	};
}

/** The tools that a target lacks on a changed computer. */
function missing(target: string, change: (computer: Computer) => void): Check[] {
	const computer = complete();
	change(computer);
	return diagnose(machineOf(computer))
		.find(({ name }) => name === target)!
		.checks.filter(({ ok }) => !ok);
}

describe("npm run doctor", () => {
	it("reports nothing on a complete computer", () => {
		const targets = diagnose(machineOf(complete()));
		assert.deepEqual(
			targets.flatMap(({ checks }) => checks.filter(({ ok }) => !ok)),
			[],
		);
		assert.ok(isBenchComplete(targets));
		assert.doesNotMatch(asText(targets), /^ {2}missing|incomplete/m);
	});

	it("describes each missing thing, with a command, on an empty computer", () => {
		const targets = diagnose(
			machineOf({ says: {}, headers: [], files: [], variables: {}, builds32: false, machines: {} }),
		);
		assert.ok(!isBenchComplete(targets));
		const checks = targets.flatMap((target) => target.checks);
		assert.ok(checks.every(({ ok, detail, fix }) => !ok && detail.length > 0 && fix.length > 0));
		const text = asText(targets);
		for (const command of [
			"sudo apt-get install build-essential",
			"sudo apt-get install openssl",
			"sudo apt-get install chromium-headless-shell",
			"sudo apt-get install libmbedtls-dev",
			"npm install -g xs-dev && xs-dev setup --target-branch 8.2.3",
			"gcc-multilib libglib2.0-dev:i386 libmbedtls-dev:i386",
			"sudo apt-get install git cmake ninja-build python3-venv libusb-1.0-0",
			"git clone -b v6.0.2 --recursive https://github.com/espressif/esp-idf.git",
		])
			assert.ok(text.includes(command), command);
		assert.ok(text.endsWith("then: npm run doctor\n"));
	});

	for (const [version, ok] of [
		["v18.20.4", false],
		["v20.18.9", false],
		["v20.19.0", true],
		["v22.0.0", true],
	] as const) {
		it(`${ok ? "accepts" : "rejects"} Node ${version}`, () => {
			const checks = missing("bench", ({ says }) => {
				says["node --version"] = version;
			});
			assert.deepEqual(
				checks.map(({ name }) => name),
				ok ? [] : ["Node"],
			);
		});
	}

	it("reports a complete simulator when only other targets lack something", () => {
		const targets = diagnose(machineOf({ ...complete(), variables: {}, headers: [], builds32: false }));
		assert.ok(isBenchComplete(targets));
		assert.match(asText(targets), /^linux .*: incomplete$/m);
	});

	it("does not suggest installing xs-dev if it is already installed", () => {
		const [check] = missing("linux", (computer) => {
			computer.variables = {};
			computer.says["xs-dev --version"] = "0.30.3";
		});
		assert.deepEqual(check.detail, "$MODDABLE is not set");
		assert.ok(check.fix.startsWith("xs-dev setup --target-branch"));
	});

	it("shows where $MODDABLE and $IDF_PATH point if nothing is there", () => {
		const checks = missing("esp32", (computer) => {
			computer.variables = { MODDABLE: "/gone", IDF_PATH: "/lost" };
		});
		assert.match(checks[0].detail, /^not in \/gone,/);
		assert.match(checks[1].detail, /^not in \/lost,/);
	});

	it("distinguishes an SDK without built tools from a missing SDK", () => {
		const checks = missing("linux", (computer) => {
			computer.files = computer.files.filter((path) => path !== TOOLS[2]);
		});
		assert.deepEqual(
			checks.map(({ name }) => name),
			["Moddable SDK: tools"],
		);
		assert.match(checks[0].fix, /make -C "\$MODDABLE\/build\/makefiles\/lin"$/);
	});

	for (const version of ["8.2.2", "8.2.3-5-gabcdef0", undefined]) {
		it(`rejects ${version ?? "an unknown version"} as the SDK's version`, () => {
			const checks = missing("linux", ({ says }) => {
				if (version === undefined) delete says["git -C /sdk --git-dir=.git describe --tags"];
				else says["git -C /sdk --git-dir=.git describe --tags"] = version;
			});
			assert.deepEqual(
				checks.map(({ name }) => name),
				["Moddable SDK: version"],
			);
			assert.match(checks[0].fix, /checkout 8\.2\.3/);
		});
	}

	it("reads the version from the SDK's own file if there is no git repository", () => {
		const checks = missing("linux", ({ says }) => {
			delete says["git -C /sdk --git-dir=.git describe --tags"];
			says["cat /sdk/tools/VERSION"] = SDK_VERSION;
		});
		assert.deepEqual(checks, []);
	});

	it("distinguishes an XS engine that was installed but not built from a working one", () => {
		const [check] = missing("bench", (computer) => {
			computer.files = computer.files.map((path) => (path === XS_PROGRAM ? "node_modules/@agoric/xsnap" : path));
		});
		assert.equal(check.name, "XS engine from npm");
	});

	it("suggests a folder of libraries if 32-bit packages can't be installed in addition to the others", () => {
		const [check] = missing("linux", (computer) => {
			computer.builds32 = false;
		});
		assert.match(check.fix, / # if apt-get refuses: .*gcc-multilib debootstrap && .* GATEWAY_SYSROOT32=/);
	});

	it("names the programs that ESP-IDF lacks, and prints one command for all", () => {
		const checks = missing("esp32", ({ says }) => {
			for (const command of ["cmake --version", "ninja --version", PYTHON_VENV]) delete says[command];
		});
		assert.equal(checks.length, 1);
		assert.equal(checks[0].detail, "cmake, ninja, python3-venv not found");
		assert.equal(checks[0].fix, "sudo apt-get install git cmake ninja-build python3-venv libusb-1.0-0");
		const [usb] = missing("esp32", ({ says }) => {
			delete says[PYTHON_USB];
		});
		assert.equal(usb.detail, "libusb not found");
	});

	it("activates ESP-IDF after installing it", () => {
		const [check] = missing("esp32", (computer) => {
			delete computer.variables["IDF_PATH"];
		});
		assert.match(check.fix, / && export IDF_PATH=\S+ && \. "\$IDF_PATH\/export\.sh"$/);
	});

	it("asks for a clone if ESP-IDF has no version, as in a ZIP", () => {
		const [check] = missing("esp32", ({ says }) => {
			delete says["git -C /idf --git-dir=.git describe --tags"];
		});
		assert.match(check.detail, /clone/);
	});

	for (const version of ["v5.1.2", "v6.00", "v6.1", undefined]) {
		it(`rejects ${version ?? "an unknown version"} of ESP-IDF`, () => {
			const checks = missing("esp32", ({ says }) => {
				if (version === undefined) delete says["git -C /idf --git-dir=.git describe --tags"];
				else says["git -C /idf --git-dir=.git describe --tags"] = version;
			});
			assert.deepEqual(
				checks.map(({ name }) => name),
				["ESP-IDF: version"],
			);
		});
	}

	it("shows the official command for a missing emulator", () => {
		const checks = missing("emulator", (computer) => {
			computer.machines = {};
		});
		assert.equal(checks.length, 3);
		for (const { detail, fix } of checks) {
			assert.match(detail, /^qemu-system-(xtensa|riscv32) is not on the PATH$/);
			assert.match(fix, /^python "\$IDF_PATH\/tools\/idf_tools\.py" install qemu-xtensa qemu-riscv32 && /);
		}
	});

	it("names the libraries for an emulator that can't be started", () => {
		const [check] = missing("emulator", ({ machines }) => {
			machines["qemu-system-riscv32"] = { fails: "error while loading shared libraries: libslirp.so.0\n" };
		});
		assert.match(check.detail, /can't be started: .*libslirp/);
		assert.match(check.fix, /^sudo apt-get install .*libslirp0/);
	});

	it("distinguishes Debian's QEMU from Espressif's, and notices a missing chip", () => {
		const checks = missing("emulator", ({ machines }) => {
			machines["qemu-system-riscv32"] = { says: `${MACHINES}virt RISC-V VirtIO board\n` };
			machines["qemu-system-xtensa"] = { says: `${MACHINES}esp32 Espressif ESP32 machine\n` };
		});
		assert.deepEqual(
			checks.map(({ name }) => name),
			["Espressif's QEMU: esp32c3", "Espressif's QEMU: esp32s3"],
		);
		assert.match(checks[0].detail, /is not Espressif's/);
		assert.match(checks[1].detail, /has no machine esp32s3: this QEMU can't emulate that chip/);
	});
});
