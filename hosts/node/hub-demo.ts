/** Starts the stand-in for Home Assistant (tools/hub.ts). */
import { startTool } from "./tool-program.js";

export interface HubDemo {
	readonly url: string;
	readonly token: string;
	end(): Promise<void>;
}

export async function startHubDemo(onEnded: (message: string) => void): Promise<HubDemo> {
	const { printed, end } = await startTool({
		name: "hub",
		words: "The stand-in for Home Assistant",
		args: ["--quiet"],
		ready: /^hub (\S+) (\S+)$/,
		onEnded,
	});
	return { url: printed[0], token: printed[1], end };
}
