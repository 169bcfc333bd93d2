/** Starts the stand-in for Home Assistant (tools/hub.ts); its page shows the states that the gateway sends. */
import { startTool } from "./tool-program.js";

export interface HubDemo {
	readonly url: string;
	readonly token: string;
	end(): Promise<void>;
}

/** Rejects with a message for the user if the program does not start. */
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
