/** Checks of the host contract: UDP and names. The peer is a UDP socket of this computer. */
import { DATAGRAM_LIMIT, type Host, RESOLVE_LIMIT, type UDP, type UDPOptions } from "../../../modules/io/host.js";
import {
	expect,
	expectBytes,
	expectEqual,
	expectRangeError,
	frozen,
	pattern,
	sleep,
	until,
	untilTaken,
} from "./check.js";

const GROUP = "224.0.0.251";
const LOOPBACK = "127.0.0.1";
const FLOOD = 200;
const FLOOD_BYTES = 100;
const HELLO = 0x68;
/** The flood counts as over after this many reads without a datagram, with a pass of the host's loop before each. */
const EMPTY_POLLS = 30;
const POLL_MS = 10;

/** A UDP port that records its events. */
class RecordingUDP {
	readonly udp: UDP;
	calls = 0;
	errors = 0;
	readonly #into = new Uint8Array(DATAGRAM_LIMIT);

	constructor(host: Host, options: Partial<UDPOptions> = {}) {
		const { io: UDPSocket, pins } = host.network.udp!;
		this.udp = new UDPSocket({
			...pins,
			port: 0,
			onReadable: () => this.calls++,
			onError: () => this.errors++,
			...options,
		});
		expectEqual(this.calls, 0, "calls inside the constructor");
		expect(this.udp.port > 0 && this.udp.port < 65_536, `receives on port ${this.udp.port}`);
		expectEqual(this.udp.read(this.#into), undefined, "read without a datagram");
	}

	/** The next datagram, if any. */
	take(): Uint8Array | undefined {
		const length = this.udp.read(this.#into);
		return length === undefined ? undefined : this.#into.subarray(0, length);
	}

	/** Waits for the next datagram. */
	async receive(host: Host): Promise<Uint8Array> {
		await until(host, () => this.calls > 0, "onReadable");
		return untilTaken(host, () => this.take(), "a datagram");
	}

	/** Reads until the flood is over; returns its number of datagrams. */
	async drain(host: Host): Promise<number> {
		let count = 0;
		for (let quiet = 0; quiet < EMPTY_POLLS; quiet++) {
			for (let bytes = this.take(); bytes !== undefined; bytes = this.take()) {
				expectBytes(bytes, pattern(FLOOD_BYTES), "a datagram of many");
				count++;
				quiet = 0;
			}
			await sleep(host, POLL_MS);
		}
		return count;
	}

	/** Answers the peer's hello with the expected pattern. */
	async answerHello(host: Host, length = FLOOD_BYTES): Promise<void> {
		const hello = await this.receive(host);
		expectEqual(hello.length, 5, "length of the greeting");
		expectEqual(hello[0], HELLO, "the greeting");
		expectEqual(this.udp.remoteAddress, LOOPBACK, "the sender's address");
		expect(this.udp.remotePort > 0, "the sender's port is missing");
		this.udp.write(pattern(length), this.udp.remoteAddress, this.udp.remotePort);
	}

	/** Closes the port; earlier datagrams were sent, and no error occurred. */
	async end(host: Host): Promise<void> {
		await sleep(host, 50);
		this.udp.close();
		expectEqual(this.errors, 0, "errors");
	}
}

/** Resolves the name; no answer may come inside the call. */
function resolve({ network }: Host, name: string): Promise<string | undefined> {
	return new Promise((done, fail) => {
		let early = true;
		network.resolve!(name, (address) => {
			if (early) fail(new Error("an answer inside the call"));
			else done(address);
		});
		early = false;
	});
}

export const udpChecks = frozen([
	{
		name: "UDP carries datagrams both ways and reports their senders",
		async run(host, peer) {
			const recorder = new RecordingUDP(host);
			peer("udp-hello", recorder.udp.port);
			await recorder.answerHello(host);
			expectEqual(recorder.take(), undefined, "read on empty");
			expectEqual(recorder.udp.remoteAddress, LOOPBACK, "the last one's sender");
			await recorder.end(host);
			recorder.udp.close();
		},
	},
	{
		name: "UDP carries datagrams of one packet and drops longer ones",
		async run(host, peer) {
			const recorder = new RecordingUDP(host);
			expectRangeError(() => recorder.udp.write(new Uint8Array(DATAGRAM_LIMIT + 1), LOOPBACK, 9), "one byte too many");
			peer("udp-long", recorder.udp.port);
			expectBytes(await recorder.receive(host), pattern(DATAGRAM_LIMIT), "the longest datagram");
			expectEqual((await recorder.receive(host)).length, 0, "length of an empty datagram");
			await recorder.answerHello(host, DATAGRAM_LIMIT);
			await recorder.end(host);
		},
	},
	{
		name: "UDP rejects invalid addresses",
		async run(host) {
			const recorder = new RecordingUDP(host);
			for (const address of ["", "localhost", "1.2.3", "1.2.3.256", "1.2.3.4.5", "::1", "1.2.3.4 ", "1.2.3.-4"]) {
				expectRangeError(() => recorder.udp.write(pattern(1), address, 9), `a datagram to "${address}"`);
			}
			recorder.udp.close();
		},
	},
	{
		name: "UDP does not fail if its datagrams have no receiver",
		async run(host, peer) {
			const recorder = new RecordingUDP(host);
			for (let i = 0; i < 10; i++) recorder.udp.write(pattern(10), LOOPBACK, 9);
			await sleep(host, 50);
			peer("udp-hello", recorder.udp.port);
			await recorder.answerHello(host);
			await recorder.end(host);
		},
	},
	{
		name: "UDP keeps whole datagrams of a flood that is read late, and then receives others",
		async run(host, peer) {
			const recorder = new RecordingUDP(host);
			peer("udp-flood", recorder.udp.port);
			await until(host, () => recorder.calls > 0, "the first of many datagrams");
			await sleep(host, 100);
			const count = await recorder.drain(host);
			expect(count > 0 && count <= FLOOD, `${count} of ${FLOOD} datagrams were kept`);
			peer("udp-hello", recorder.udp.port);
			await recorder.answerHello(host);
			await recorder.end(host);
		},
	},
	{
		name: "UDP reports nothing after close, whatever arrives",
		async run(host, peer) {
			const recorder = new RecordingUDP(host);
			const { port } = recorder.udp;
			peer("udp-flood", port);
			await until(host, () => recorder.calls > 0, "the first of many datagrams");
			recorder.udp.close();
			const { calls } = recorder;
			await sleep(host, 300);
			expectEqual(recorder.calls, calls, "calls after close");
			expectEqual(recorder.take(), undefined, "a read after close");
			const again = new RecordingUDP(host, { port });
			expectEqual(again.udp.port, port, "the port, free again");
			again.udp.close();
		},
	},
	{
		name: "UDP gives the reason if a port is in use",
		async run(host) {
			const recorder = new RecordingUDP(host);
			let message = "";
			try {
				new RecordingUDP(host, { port: recorder.udp.port });
			} catch (error) {
				message = (error as Error).message;
			}
			expect(message.length > 10, `the same port twice: "${message}"`);
			recorder.udp.close();
		},
	},
	{
		name: "UDP for the access point receives from its clients, on the port of DNS or its substitute",
		async run(host, peer) {
			const recorder = new RecordingUDP(host, { port: 53, accessPoint: true });
			peer("udp-hello", recorder.udp.port);
			await recorder.answerHello(host);
			await recorder.end(host);
		},
	},
	{
		name: "UDP carries a datagram to every member of a group, and to no other",
		needsMulticast: true,
		async run(host) {
			const first = new RecordingUDP(host, { group: GROUP });
			const second = new RecordingUDP(host, { group: GROUP, port: first.udp.port });
			const stranger = new RecordingUDP(host);
			first.udp.write(pattern(FLOOD_BYTES), GROUP, first.udp.port);
			expectBytes(await second.receive(host), pattern(FLOOD_BYTES), "the datagram to the group");
			expectEqual(second.udp.remotePort, first.udp.port, "the sender's port");
			stranger.udp.write(pattern(5), GROUP, first.udp.port);
			expectBytes(await second.receive(host), pattern(5), "the datagram to the group from outside");
			expectEqual(stranger.calls, 0, "datagrams to a port that is not a member");
			for (const { udp } of [first, second, stranger]) udp.close();
		},
	},
	{
		name: "names are resolved to addresses, and addresses to themselves",
		async run(host) {
			expectEqual(await resolve(host, LOOPBACK), LOOPBACK, "an address");
			expectEqual(await resolve(host, "192.0.2.255"), "192.0.2.255", "another address");
			expectEqual(await resolve(host, "localhost"), LOOPBACK, "localhost");
			expectEqual(await resolve(host, "nothing.invalid"), undefined, "an unknown name");
			expectEqual(await resolve(host, ""), undefined, "no name");
			let long = "a";
			while (long.length < 254) long += ".a";
			expectEqual(await resolve(host, long), undefined, "a name that is too long");
		},
	},
	{
		name: "a few names are resolved at once, and more do no harm",
		async run(host) {
			const going: Promise<string | undefined>[] = [];
			while (going.length <= RESOLVE_LIMIT) going.push(resolve(host, "localhost"));
			const answers = await Promise.all(going);
			// The first name may be answered before the last is requested.
			if (answers[RESOLVE_LIMIT] === undefined) answers.pop();
			for (const answer of answers) expectEqual(answer, LOOPBACK, "an answer");
			expectEqual(await resolve(host, "localhost"), LOOPBACK, "a late answer");
		},
	},
]);
