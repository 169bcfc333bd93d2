/**
 * Runs the simulated Zigbee coprocessor (tools/zigbee.ts). If the program ends by itself, it is restarted on the same
 * ports, as after a power cut. A file in the state folder contains its memory.
 */
import { join } from "node:path";
import { startTool, type ToolProgram } from "./tool-program.js";

const RESTART_DELAY_MS = 2000;

export interface SimulatedCoprocessor {
	readonly path: string;
	readonly coordinator: string;
	/** Sets the lines, as `setLines` of CoprocessorPort. */
	setLines(reset: boolean, bootLoader: boolean): void;
	end(): Promise<void>;
}

export interface SimulatedCoprocessorOptions {
	readonly stateFolder: string;
	say(message: string): void;
}

export async function startSimulatedCoprocessor({
	stateFolder,
	say,
}: SimulatedCoprocessorOptions): Promise<SimulatedCoprocessor> {
	let isEnding = false;
	let lines = { reset: false, bootLoader: false };
	const nv = ["--nv", join(stateFolder, "zigbee.json")];
	const start = async (ports: readonly string[]): Promise<ToolProgram> => {
		const program = await startTool({
			name: "zigbee",
			words: "The simulated Zigbee coprocessor",
			args: [...nv, ...ports, "--quiet"],
			ready: /^zigbee (tcp:\S+) (tcp:\S+)$/,
			onEnded: () => ended(),
		});
		program.child.send({ lines });
		return program;
	};
	let program = await start(["--device", "0"]);
	const [path, coordinator] = program.printed;
	const portOf = (url: string) => url.slice(url.lastIndexOf(":") + 1);
	const again = async () => {
		try {
			program = await start(["--device", portOf(path), "--coordinator", portOf(coordinator)]);
		} catch {
			// The program has already printed the reason. Another attempt follows.
			return;
		}
		if (isEnding) await program.end();
		else say("The simulated Zigbee coprocessor is back.");
	};
	const ended = () => {
		if (isEnding) return;
		say(`The simulated Zigbee coprocessor has ended; it comes back in ${RESTART_DELAY_MS / 1000} s.`);
		setTimeout(() => isEnding || void again(), RESTART_DELAY_MS);
	};
	return {
		path,
		coordinator,
		setLines: (reset, bootLoader) => {
			lines = { reset, bootLoader };
			if (program.child.connected) program.child.send({ lines });
		},
		end: () => {
			isEnding = true;
			return program.end();
		},
	};
}
