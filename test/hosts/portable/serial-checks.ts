/** Checks of the host contract: serial ports. The peer is `echo`, or sends on request. */
import {
	FORMAT_7E1,
	FORMAT_8N1,
	type Host,
	SERIAL_ERROR_OVERRUN,
	SERIAL_RECEIVE_LIMIT,
	type SerialOptions,
} from "../../../modules/io/host.js";
import { expect, expectBytes, expectEqual, expectRangeError, frozen, pattern, sleep, until } from "./check.js";
import { RecordingSerial } from "./recording-serial.js";

const recorded = (host: Host, options?: Partial<SerialOptions>) =>
	new RecordingSerial(host.serial.meter, { baud: 9600, ...options });

export const serialChecks = frozen([
	{
		name: "a serial port accepts nothing before it has announced room",
		async run(host) {
			const port = recorded(host);
			expectRangeError(() => port.serial.write(pattern(1)), "an early write");
			await until(host, () => port.writable > 0, "the first onWritable");
			expect(port.writable >= 64, `room for ${port.writable} bytes only`);
			expectEqual(port.serial.read(new Uint8Array(8)), undefined, "read on empty");
			port.serial.close();
		},
	},
	{
		name: "a serial port sends what was written and receives what arrives",
		async run(host, peer) {
			peer("echo");
			const port = recorded(host);
			await until(host, () => port.writable > 0, "onWritable");
			const bytes = pattern(100);
			const room = port.serial.write(bytes, 10, 60);
			expect(room <= port.writable - 50, `room for ${room} after 50 of ${port.writable} were accepted`);
			bytes.fill(0);
			port.serial.write(new Uint8Array(0));
			// Reading before the event could suppress it.
			await until(host, () => port.readable >= 1, "onReadable");
			expectBytes(await port.collect(host, 50), pattern(100).subarray(10, 60), "the echo");
			expectEqual(port.serial.read(new Uint8Array(8)), undefined, "read on empty");
			port.serial.close();
		},
	},
	{
		name: "a serial port returns received bytes in pieces, at the given place of the array",
		async run(host, peer) {
			const port = recorded(host);
			await until(host, () => port.writable > 0, "onWritable");
			peer("send", 40);
			await until(host, () => port.readable === 40, "40 bytes waiting");
			const into = new Uint8Array(64);
			expectEqual(port.serial.read(into, 5, 15), 10, "first piece");
			expectEqual(port.serial.read(into, 15, 15), undefined, "no place");
			expectEqual(port.serial.read(into, 15), 30, "the rest");
			expectBytes(into.subarray(5, 45), pattern(40), "the bytes");
			expectEqual(into[4] + into[45], 0, "bytes beside the place");
			port.serial.close();
		},
	},
	{
		name: "a write that is too long is rejected as a whole",
		async run(host, peer) {
			peer("echo");
			const port = recorded(host);
			await until(host, () => port.writable > 0, "onWritable");
			const announced = port.writable;
			expectRangeError(() => port.serial.write(pattern(announced + 1)), "one byte more than announced");
			port.serial.write(pattern(3));
			expectBytes(await port.collect(host, 3), pattern(3), "bytes after the rejected write");
			port.serial.close();
		},
	},
	{
		name: "a serial port reports once per burst that the last bit was sent, and not earlier than the wire allows",
		async run(host, peer) {
			peer("echo");
			const port = recorded(host, { baud: 4800 });
			await until(host, () => port.writable > 0, "onWritable");
			const startMs = host.clock.monotonicMs();
			port.serial.write(pattern(30));
			port.serial.write(pattern(30));
			await until(host, () => port.drained > 0, "onDrained");
			const tookMs = host.clock.monotonicMs() - startMs;
			expect(tookMs >= 125, `60 characters at 4800 Bd took ${tookMs} ms, the wire needs 125`);
			// At 300 Bd it would take longer than this limit, which suffices on a busy computer.
			expect(tookMs < 1900, `60 characters at 4800 Bd took ${tookMs} ms`);
			await port.collect(host, 60);
			await sleep(host, 20);
			expectEqual(port.drained, 1, "onDrained of two writes in one burst");
			port.serial.write(pattern(1));
			await until(host, () => port.drained === 2, "onDrained of the next burst");
			port.serial.close();
		},
	},
	{
		name: "a serial port changes speed and format between bursts and loses nothing",
		async run(host, peer) {
			peer("echo");
			const port = recorded(host, { baud: 300, format: FORMAT_7E1 });
			await until(host, () => port.writable > 0, "onWritable");
			for (const baud of [9600, 300, 115_200, 19_200]) {
				port.serial.configure({ baud, format: FORMAT_7E1 });
				port.drained = 0;
				port.serial.write(Uint8Array.of(0x2f, 0x3f, 0x21));
				await until(host, () => port.drained === 1, `onDrained at ${baud} Bd`);
				expectBytes(await port.collect(host, 3), Uint8Array.of(0x2f, 0x3f, 0x21), `the echo at ${baud} Bd`);
			}
			port.serial.configure({ baud: 9600, format: FORMAT_8N1 });
			port.serial.write(Uint8Array.of(0x7e, 0xa0, 0xff));
			expectBytes(await port.collect(host, 3), Uint8Array.of(0x7e, 0xa0, 0xff), "the echo in 8N1");
			peer("baud", 9600);
			await sleep(host, 30);
			port.serial.close();
		},
	},
	{
		name: "a serial port keeps the oldest unread bytes and reports the loss of the newest",
		async run(host, peer) {
			const port = recorded(host, { baud: 115_200 });
			await until(host, () => port.writable > 0, "onWritable");
			peer("send", SERIAL_RECEIVE_LIMIT + 500);
			await until(host, () => port.errors.length > 0, "an overrun");
			await sleep(host, 50);
			expect(
				port.errors.every((code) => code === SERIAL_ERROR_OVERRUN),
				`errors ${port.errors.join()}`,
			);
			const received = await port.collect(host, SERIAL_RECEIVE_LIMIT);
			expectBytes(received, pattern(SERIAL_RECEIVE_LIMIT), "the kept bytes");
			peer("send", 10);
			expectBytes(await port.collect(host, 10), pattern(10), "bytes after the overrun");
			port.serial.close();
		},
	},
	{
		name: "a closed serial port reports nothing, may be closed again, and can be replaced by the next one",
		async run(host, peer) {
			const port = recorded(host);
			await until(host, () => port.writable > 0, "onWritable");
			port.serial.write(pattern(20));
			peer("send", 20);
			port.serial.close();
			port.serial.close();
			const { calls } = port;
			expectEqual(port.serial.read(new Uint8Array(8)), undefined, "read of a closed port");
			expectRangeError(() => port.serial.write(pattern(1)), "write to a closed port");
			port.serial.configure({ baud: 300, format: FORMAT_8N1 });
			const next = recorded(host);
			await until(host, () => next.writable > 0, "onWritable of the next port");
			const never = recorded(host);
			never.serial.close();
			await sleep(host, 60);
			expectEqual(port.calls, calls, "calls after close");
			expectEqual(never.calls, 0, "calls of a port closed before it was open");
			next.serial.close();
		},
	},
]);
