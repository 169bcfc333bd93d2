/** Recorded messages between a host and a joining coprocessor: test/vectors/zigbee. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "..", "..", "..", "test", "vectors", "zigbee");
const NAME = "ti-znp-herdsman";

export interface TraceFrame {
	readonly fromChip: boolean;
	/** Command and data, hex. */
	readonly body: string;
}

export function trace(): TraceFrame[] {
	return readFileSync(join(FOLDER, `${NAME}.txt`), "utf8")
		.split("\n")
		.filter((line) => line.startsWith("<") || line.startsWith(">"))
		.map((line) => ({ fromChip: line.startsWith("<"), body: line.slice(2).replace(" ", "") }));
}

export interface TraceIncoming {
	readonly cluster: string;
	readonly source: number;
	readonly endpoint: number;
	readonly zcl: string;
}

/** The received ZCL frames for the endpoint, in order. */
export function traceIncoming(): TraceIncoming[] {
	return JSON.parse(readFileSync(join(FOLDER, `${NAME}.json`), "utf8")).incoming;
}
