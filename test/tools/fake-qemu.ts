/**
 * A stand-in for Espressif's QEMU in tests of `npm run emulate`. It lists the machines, prints the firmware's console
 * output, serves a page and a few routes over TLS at the forwarded port, sends `/?!` to each client of the meter's socket,
 * and resets the radio. It writes its arguments, and the replies of meter and radio, to `$FAKE_QEMU_LOG`.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createServer as createTLSServer } from "node:https";
import { connect, createServer } from "node:net";
import { AREQ, encodeFrame } from "../../tools/zigbee/frames.js";

const args = process.argv.slice(2);
const log = process.env["FAKE_QEMU_LOG"]!;
const after = (text: string, begin: string) => text.slice(text.indexOf(begin) + begin.length).split(/[-,]/)[0];
const note = (text: string) => appendFileSync(log, `${text}\n`);

if (args.includes("help")) {
	process.stdout.write(`Supported machines are:\n${process.env["FAKE_QEMU_MACHINES"] ?? "esp32 x\nesp32c3 x\n"}`);
	process.exit(0);
}
note(`args ${args.join(" ")}`);
if (process.env["FAKE_QEMU_FAILS"]) {
	process.stderr.write("qemu: it does not like this\n");
	process.exit(1);
}
const nic = args[args.indexOf("-nic") + 1];
const serials = args.filter((_, at) => args[at - 1] === "-serial").join(" ");
const [, meter] = /unix:([^,]+)/.exec(serials)!;
const [, radio] = /tcp:127\.0\.0\.1:(\d+)/.exec(serials) ?? [];
if (radio !== undefined) {
	const port = connect(Number(radio), "127.0.0.1");
	port.on("data", (bytes: Buffer) => note(`radio ${bytes.toString("hex")}`));
	// SYS_RESET_REQ
	port.write(encodeFrame({ type: AREQ, subsystem: 1, command: 0, data: Buffer.of(1) }));
}

const server = createTLSServer(
	{ key: readFileSync(process.env["FAKE_QEMU_KEY"]!), cert: readFileSync(process.env["FAKE_QEMU_CERT"]!) },
	(request, response) => {
		let body = "";
		request.on("data", (bytes: Buffer) => {
			body += bytes.toString();
		});
		request.on("end", () => {
			note(`${request.method} ${request.url} ${body}`);
			const replies: Record<string, object> = {
				"/api/v1/system/challenge": { nonce: "n", salt: "s" },
				"/api/v1/system/login": { token: "t" },
			};
			response.end(JSON.stringify(replies[request.url!] ?? {}));
		});
	},
);
createServer((socket) => {
	socket.on("data", (bytes: Buffer) =>
		note(`meter ${JSON.stringify(bytes.toString("latin1").replace(/[\u0080-\u00ff]/g, "?"))}`),
	);
	socket.write("/?!\r\n");
}).listen(meter);
server.listen(Number(after(nic, "hostfwd=tcp:127.0.0.1:")), "127.0.0.1", () => {
	process.stdout.write("\u001b[0;31mE (12) boot: colours\u001b[0m\r\n");
	process.stdout.write("Unit 02ABCDEF0123 serves as smgw-ef0123.\r\n");
});
