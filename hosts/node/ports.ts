/** Checks that the ports of the command line are free. */
import { createServer, type Server } from "node:net";

export interface WantedPorts {
	/** Port number; 0: any free port. */
	readonly httpPort: number;
	readonly httpsPort: number;
}

/**
 * Rejects with a message for the user if a port is not free; the message names the option. Opens both ports at the same
 * time, to detect equal numbers.
 */
export async function checkPorts({ httpPort, httpsPort }: WantedPorts): Promise<void> {
	const taken: Server[] = [];
	try {
		taken.push(await take(httpsPort, "--https-port"));
		taken.push(await take(httpPort, "--http-port"));
	} finally {
		for (const server of taken) await new Promise((resolve) => server.close(resolve));
	}
}

function take(port: number, option: string): Promise<Server> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once("error", (error: NodeJS.ErrnoException) =>
			reject(new Error(`${failureOf(error, port)}: choose another with ${option}.`)),
		);
		server.listen(port, () => resolve(server));
	});
}

function failureOf(error: NodeJS.ErrnoException, port: number): string {
	if (error.code === "EADDRINUSE") return `Port ${port} is used by another program`;
	if (error.code === "EACCES") return `Port ${port} needs more rights (ports below 1024 are for root)`;
	return `Port ${port} can't be listened on (${error.message})`;
}
