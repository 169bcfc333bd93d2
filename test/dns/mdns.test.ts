import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { ADDRESS, Air, CLIENT, GROUP, type ReceivedMessage, recordsOf, S, SETTINGS } from "./mdns-bed.js";
import {
	A,
	AAAA,
	ANY,
	address,
	message,
	name,
	type Parts,
	PTR,
	type ResourceRecord,
	SRV,
	srv,
	TXT,
	txt,
} from "./messages.js";

const HOST = "gateway.local";
const INSTANCE = "Smart-Meter Gateway a1b2c3";
const HTTPS = `${INSTANCE}._https._tcp.local`;
const HTTP = `${INSTANCE}._http._tcp.local`;
const SMGW = `${INSTANCE}._smgw._tcp.local`;
const META = "_services._dns-sd._udp.local";
const RESPONSE = 0x8400;
const QU = 0x8001;

const RECORD_A = `${HOST} A! 120 192.168.1.50`;
const RECORD_NSEC = `${HOST} NSEC! 120 ${HOST} 000140`;
const SRV_HTTPS = `${HTTPS} SRV! 120 443 ${HOST}`;
const TXT_HTTPS = `${HTTPS} TXT! 4500 \0`;
const PTR_HTTPS = `_https._tcp.local PTR 4500 ${HTTPS}`;
const TXT_SMGW = `${SMGW} TXT! 4500 \x06api=v1\x0cpath=/api/v1\x0bmodel=SMG-1\x09id=a1b2c3`;
const instanceNSEC = (instance: string) => `${instance} NSEC! 120 ${instance} 00050000800040`;

const ALL = [
	RECORD_A,
	RECORD_NSEC,
	...[
		["_https", HTTPS, 443, TXT_HTTPS],
		["_http", HTTP, 80, `${HTTP} TXT! 4500 \0`],
		["_smgw", SMGW, 443, TXT_SMGW],
	].flatMap(([type, instance, port, texts]) => [
		`${type}._tcp.local PTR 4500 ${instance}`,
		`${instance} SRV! 120 ${port} ${HOST}`,
		`${texts}`,
		`${META} PTR 4500 ${type}._tcp.local`,
		instanceNSEC(`${instance}`),
	]),
].sort();

const one = (owner: string, type: number, dnsClass = 1): Parts => ({
	questions: [{ name: owner, type, class: dnsClass }],
});
const answersOf = (list: readonly ReceivedMessage[]) => list.flatMap(({ answers }) => answers);
const claimed = (owner: string, type: number, data: Uint8Array): Parts => ({
	flags: RESPONSE,
	answers: [{ name: owner, type, class: QU, data }],
});

describe("dns/mdns", () => {
	describe("start", () => {
		it("sends three probes for its names, 250 ms apart, with the proposed records", () => {
			const air = new Air();
			air.device().start(SETTINGS);
			const probes = air.run(1000 - 1).filter(({ flags }) => flags === 0);
			assert.equal(probes.length, 3);
			assert.ok(probes[0].timeMs <= 250);
			assert.deepEqual(
				probes.map(({ timeMs }) => timeMs - probes[0].timeMs),
				[0, 250, 500],
			);
			for (const [i, { questions, authorities, answers, additionals, to }] of probes.entries()) {
				assert.equal(to, "all");
				assert.deepEqual(
					questions,
					[HOST, HTTPS, HTTP, SMGW].map((owner) => `${owner} ANY${i < 2 ? "!" : ""}`),
				);
				assert.deepEqual([...answers, ...additionals], []);
				const own = ALL.filter((record) => / (A|SRV|TXT)! /.test(record)).map((record) => record.replace("! ", " "));
				assert.deepEqual([...authorities].sort(), own);
			}
		});

		it("begins after a random delay", () => {
			const starts = new Set<number>();
			for (let i = 0; i < 10; i++) {
				const air = new Air();
				for (let skipped = 0; skipped < i; skipped++) air.device();
				air.device().start(SETTINGS);
				starts.add(air.run(300)[0].timeMs);
			}
			assert.ok(starts.size >= 8);
		});

		it("announces all its records three times, and reports its name", () => {
			const air = new Air();
			const names: string[] = [];
			const device = air.device(ADDRESS, names);
			assert.equal(device.hostname, "");
			device.start(SETTINGS);
			const messages = air.run(3600 * S).filter(({ flags }) => flags === RESPONSE);
			assert.deepEqual(
				messages.map(({ timeMs }) => timeMs - messages[0].timeMs),
				[0, 1000, 3000],
			);
			for (const { answers, additionals, to } of messages) {
				assert.equal(to, "all");
				assert.deepEqual([...answers].sort(), ALL);
				assert.deepEqual(additionals, []);
			}
			assert.deepEqual(names, ["gateway"]);
			assert.equal(device.hostname, "gateway");
		});

		it("answers nothing before its names are confirmed", () => {
			const air = new Air();
			air.device().start(SETTINGS);
			air.run(600);
			air.send(one(HOST, A));
			air.send(one("_https._tcp.local", PTR), { port: 40_000 });
			assert.ok(air.run(100).every(({ flags }) => flags === 0));
		});
	});

	describe("replies", () => {
		it("answers questions for its name at once, even for types that it has no records of", () => {
			const { air } = Air.settled();
			for (const type of [A, ANY]) {
				const [reply, ...more] = air.query(one("GATEWAY.local", type));
				assert.deepEqual([reply.to, reply.id, reply.questions, more.length], ["all", 0, [], 0]);
				assert.deepEqual([reply.answers, reply.additionals], [[RECORD_A], [RECORD_NSEC]]);
				assert.equal(reply.timeMs, air.time.nowMs - 10 * S);
			}
			for (const type of [AAAA, TXT, SRV, 65]) {
				assert.deepEqual(answersOf(air.query(one(HOST, type))), [RECORD_NSEC], `type ${type}`);
			}
			assert.deepEqual(answersOf(air.query(one(HTTPS, AAAA))), [instanceNSEC(HTTPS)]);
		});

		it("answers for its services after 20 to 120 ms, with all records that a client needs to connect", () => {
			const { air } = Air.settled();
			const delays = new Set<number>();
			for (let i = 0; i < 40; i++) {
				const [reply, ...more] = air.query(one("_https._tcp.local", PTR));
				assert.deepEqual([reply.to, more.length], ["all", 0]);
				assert.deepEqual(reply.answers, [PTR_HTTPS]);
				assert.deepEqual([...reply.additionals].sort(), [SRV_HTTPS, TXT_HTTPS, RECORD_A, RECORD_NSEC].sort());
				const delay = reply.timeMs - (air.time.nowMs - 10 * S);
				assert.ok(delay >= 20 && delay <= 120, `${delay} ms`);
				delays.add(delay);
			}
			assert.ok(delays.size > 15);
		});

		it("answers for an instance, and for the list of service types", () => {
			const { air } = Air.settled();
			assert.deepEqual(recordsOf(air.query(one(HTTPS, SRV))), [RECORD_A, RECORD_NSEC, SRV_HTTPS].sort());
			assert.deepEqual(recordsOf(air.query(one(SMGW, TXT))), [TXT_SMGW]);
			assert.deepEqual(answersOf(air.query(one(HTTPS, ANY))).sort(), [SRV_HTTPS, TXT_HTTPS].sort());
			const list = ["_http", "_https", "_smgw"].map((type) => `${META} PTR 4500 ${type}._tcp.local`);
			assert.deepEqual(answersOf(air.query(one(META, PTR))).sort(), list);
			assert.deepEqual(answersOf(air.query(one(META, PTR, 0x00ff))).sort(), list);
		});

		it("answers several questions in one reply", () => {
			const { air } = Air.settled();
			const questions = ["_https._tcp.local", "_smgw._tcp.local", "_ipp._tcp.local"].map((owner) => ({
				name: owner,
				type: PTR,
			}));
			const replies = air.query({ questions: [...questions, { name: HOST, type: A }] });
			assert.equal(replies.length, 1);
			assert.deepEqual(
				[...replies[0].answers].sort(),
				[RECORD_A, PTR_HTTPS, `_smgw._tcp.local PTR 4500 ${SMGW}`].sort(),
			);
		});

		it("does not answer questions for other names, types or classes, or messages that are not valid questions", () => {
			const { air } = Air.settled();
			const silent: Parts[] = [
				one("gateway2.local", A),
				one("gatewax.local", A),
				one("_googlecast._tcp.local", PTR),
				one("_https._tcp.local", A),
				one("_https._tcp.local", SRV),
				one(`other._https._tcp.local`, SRV),
				one(META, TXT),
				one("local", ANY),
				one(HOST, A, 3),
				{ ...one(HOST, A), flags: 0x2800 },
				{ ...one(HOST, A), flags: 0x0003 },
				{ ...one(HOST, A), flags: RESPONSE },
				{},
			];
			for (const parts of silent) assert.deepEqual(air.query(parts), [], JSON.stringify(parts));
			const cut = message(one(HOST, A));
			for (let length = 0; length < cut.length; length++) assert.deepEqual(air.query(cut.slice(0, length)), []);
		});

		it("omits records that the client knows for at least half of their lifetime", () => {
			const { air } = Air.settled();
			const known = (ttl: number, record: ResourceRecord): ReceivedMessage[] =>
				air.query({ ...one(record.name, record.type), answers: [{ ...record, ttl }] });
			const a = { name: HOST, type: A, data: address(ADDRESS) };
			assert.deepEqual(known(60, a), []);
			assert.deepEqual(answersOf(known(59, a)), [RECORD_A]);
			assert.deepEqual(answersOf(known(120, { ...a, data: address("192.168.1.51") })), [RECORD_A]);
			const ptr = { name: "_https._tcp.local", type: PTR, data: name(HTTPS) };
			assert.deepEqual(known(2250, ptr), []);
			assert.deepEqual(answersOf(known(2249, ptr)), [PTR_HTTPS]);
			assert.deepEqual(answersOf(known(4500, { ...ptr, data: name(HTTP) })), [PTR_HTTPS]);
			assert.deepEqual(known(120, { name: HTTPS, type: SRV, data: srv(443, HOST) }), []);
			assert.deepEqual(answersOf(known(120, { name: HTTPS, type: SRV, data: srv(444, HOST) })), [SRV_HTTPS]);
			assert.deepEqual(known(4500, { name: HTTPS, type: TXT, data: txt("") }), []);
			assert.deepEqual(answersOf(known(4500, { name: HTTPS, type: TXT, data: txt("a") })), [TXT_HTTPS]);
			assert.deepEqual(known(4500, { name: META, type: PTR, data: name("_http._tcp.local") }).length, 1);
			// Only the answer section lists known answers.
			const authorities = [{ ...a, ttl: 120 }];
			assert.deepEqual(answersOf(air.query({ ...one(HOST, A), authorities })), [RECORD_A]);
		});

		it("answers a truncated question when the client has sent all its known answers", () => {
			const { air } = Air.settled();
			const types = ["_https", "_http", "_smgw"].map((type) => `${type}._tcp.local`);
			const truncated = { flags: 0x0200, questions: types.map((owner) => ({ name: owner, type: PTR })) };
			const knows = (owner: string, instance: string) => ({
				answers: [{ name: owner, type: PTR, ttl: 4500, data: name(instance) }],
			});
			air.send({ ...truncated, ...knows(types[0], HTTPS) });
			air.run(300);
			air.send({ flags: 0x0200, ...knows(types[1], HTTP) });
			air.send({ ...knows(types[2], SMGW) }, { from: "192.168.1.8" });
			assert.deepEqual(air.run(390), []);
			air.send(knows(types[1], HTTP));
			const replies = air.run(10 * S);
			assert.equal(replies.length, 1);
			assert.deepEqual(answersOf(replies), [`_smgw._tcp.local PTR 4500 ${SMGW}`]);
			// Another client asks the same question before that. Both get the records that they do not know.
			air.send({ ...truncated, ...knows(types[0], HTTPS) });
			air.send({ ...truncated, ...knows(types[1], HTTP) }, { from: "192.168.1.8" });
			assert.deepEqual(
				answersOf(air.run(10 * S)).sort(),
				types.map((type) => ALL.find((record) => record.startsWith(`${type} PTR`))).sort(),
			);
		});

		it("replies by unicast on request if the record was multicast lately", () => {
			const { air } = Air.settled();
			const [first] = air.query(one(HOST, A, QU));
			assert.equal(first.to, "all");
			const [second, ...more] = air.query(one(HOST, A, QU));
			assert.deepEqual([second.to, more.length], [`${CLIENT}:5353`, 0]);
			assert.deepEqual([second.answers, second.additionals, second.id], [[RECORD_A], [RECORD_NSEC], 0]);
			const [far] = air.query(one(HOST, A, QU), { from: "10.1.1.1" });
			assert.equal(far.to, "all");
			const both = air.query({
				questions: [
					{ name: HOST, type: A, class: QU },
					{ name: HOST, type: A },
				],
			});
			assert.deepEqual(
				both.map(({ to }) => to),
				["all"],
			);
		});

		it("replies in the form of plain DNS to a client that knows only plain DNS", () => {
			const { air } = Air.settled();
			const [reply, ...more] = air.query({ id: 0x4321, ...one("Gateway.local", A) }, { port: 40_000 });
			assert.equal(more.length, 0);
			assert.deepEqual([reply.to, reply.id, reply.flags], [`${CLIENT}:40000`, 0x4321, RESPONSE]);
			assert.deepEqual(reply.questions, ["Gateway.local A"]);
			assert.deepEqual(reply.answers, [`${HOST} A 10 192.168.1.50`]);
			const [service] = air.query({ id: 1, ...one("_https._tcp.local", PTR) }, { port: 40_000 });
			assert.deepEqual(service.answers, [`_https._tcp.local PTR 10 ${HTTPS}`]);
			assert.ok(service.additionals.includes(`${HTTPS} SRV 10 443 ${HOST}`));
			assert.deepEqual(air.query({ id: 1, ...one(HOST, A) }, { port: 40_000, from: "10.1.1.1" }), []);
			assert.deepEqual(
				air.query({ questions: [...one(HOST, A).questions!, ...one(HTTPS, SRV).questions!] }, { port: 40_000 }),
				[],
			);
		});

		it("multicasts a record at most once a second", () => {
			const { air } = Air.settled();
			const times: number[] = [];
			for (let i = 0; i < 100; i++) {
				air.send(one(HOST, A));
				if (i % 3 === 0) air.send(one(HTTPS, SRV));
				for (const { answers, additionals, timeMs } of air.run(50)) {
					if ([...answers, ...additionals].includes(RECORD_A)) times.push(timeMs);
				}
			}
			times.push(...air.run(10 * S).map(({ timeMs }) => timeMs));
			const gaps = times.slice(1).map((timeMs, i) => timeMs - times[i]);
			assert.ok(gaps.length >= 4 && gaps.every((gap) => gap >= 1000 && gap < 1100), gaps.join(" "));
		});

		it("answers a probe for its name at once, up to four times a second", () => {
			const { air } = Air.settled();
			const probe = { ...one(HOST, ANY), authorities: [{ name: HOST, type: A, data: address("192.168.1.9") }] };
			air.send(one(HOST, A));
			air.run(260);
			air.send(probe);
			const [defence] = air.run(5);
			assert.deepEqual(defence.answers, [RECORD_A]);
			air.send(probe);
			assert.deepEqual(air.run(100), []);
		});
	});

	describe("name conflicts", () => {
		it("takes the next host name when another device answers for it during the probes", () => {
			for (const [type, data] of [
				[A, address("192.168.1.9")],
				[AAAA, new Uint8Array(16)],
			] as const) {
				const air = new Air();
				const names: string[] = [];
				const device = air.device(ADDRESS, names);
				device.start(SETTINGS);
				air.run(400);
				air.send(claimed("Gateway.LOCAL", type, data));
				const messages = air.run(20 * S).filter(({ flags }) => flags === RESPONSE);
				assert.deepEqual(names, ["gateway-2"]);
				assert.equal(device.hostname, "gateway-2");
				assert.ok(messages[0].answers.includes("gateway-2.local A! 120 192.168.1.50"));
				assert.ok(messages[0].answers.includes(`${HTTPS} SRV! 120 443 gateway-2.local`));
				assert.deepEqual(air.query(one(HOST, A)), []);
				assert.equal(air.query(one("gateway-2.local", A)).length, 1);
			}
		});

		it("takes the next instance name when another device has it", () => {
			const air = new Air();
			const device = air.device();
			device.start(SETTINGS);
			air.run(400);
			air.send(claimed(SMGW, SRV, srv(443, "other.local")));
			air.run(20 * S);
			assert.equal(device.hostname, "gateway");
			const owner = `${INSTANCE} (2)._https._tcp.local`;
			assert.deepEqual(answersOf(air.query(one("_https._tcp.local", PTR))), [`_https._tcp.local PTR 4500 ${owner}`]);
		});

		it("takes the next host and instance name when one response has both", () => {
			const air = new Air();
			const device = air.device();
			device.start(SETTINGS);
			air.run(400);
			const service = claimed(HTTP, SRV, srv(81, HOST));
			air.send({ ...service, additionals: claimed(HOST, A, address("192.168.1.9")).answers! });
			air.run(20 * S);
			const owner = `${INSTANCE} (2)._http._tcp.local`;
			assert.deepEqual(answersOf(air.query(one(owner, SRV))), [`${owner} SRV! 120 80 gateway-2.local`]);
			assert.equal(device.hostname, "gateway-2");
		});

		it("truncates long names to make room for their number", () => {
			const air = new Air();
			const names: string[] = [];
			const device = air.device(ADDRESS, names);
			const hostname = "h".repeat(63);
			const instance = `${"ä".repeat(31)}x`;
			device.start({ ...SETTINGS, hostname, instance });
			air.run(400);
			air.send(claimed(`${hostname}.local`, A, address("192.168.1.9")));
			air.run(100);
			air.send(claimed(`${instance}._http._tcp.local`, TXT, txt("x")));
			air.run(20 * S);
			assert.deepEqual(names, [`${"h".repeat(61)}-2`]);
			const [found] = answersOf(air.query(one("_http._tcp.local", PTR)));
			assert.equal(found, `_http._tcp.local PTR 4500 ${"ä".repeat(29)} (2)._http._tcp.local`);
		});

		it("gives three devices that start with the same names different ones", () => {
			for (let seed = 0; seed < 12; seed++) {
				const air = new Air();
				for (let i = 0; i < seed; i++) air.device();
				const names: string[][] = [[], [], []];
				const addresses = ["192.168.1.50", "192.168.1.51", "192.168.1.52"];
				addresses.forEach((own, i) => {
					air.device(own, names[i]).start({ ...SETTINGS, address: own });
				});
				air.run(60 * S);
				const last = names.map((list) => list.at(-1)!);
				assert.deepEqual([...last].sort(), ["gateway", "gateway-2", "gateway-3"], `seed ${seed}`);
				const answers = last.map((host, i) => {
					const [reply, ...more] = answersOf(air.query(one(`${host}.local`, A)));
					assert.equal(more.length, 0);
					return reply === `${host}.local A! 120 ${addresses[i]}`;
				});
				assert.deepEqual(answers, [true, true, true]);
				assert.equal(answersOf(air.query(one("_https._tcp.local", PTR))).length, 3);
			}
		});

		it("lets the lexicographically later of two proposals win, and waits a second if its own loses", () => {
			const propose = (...authorities: ResourceRecord[]) => {
				const air = new Air();
				air.device().start({ ...SETTINGS, services: [{ type: "_https._tcp", port: 443, txt: ["b=1"] }] });
				const [first] = air.run(251);
				air.send({ questions: authorities.map((record) => ({ name: record.name, type: ANY })), authorities });
				const next = air.run(5 * S).find(({ flags }) => flags === 0)!;
				const lost = air.network.sent.filter(({ bytes }) => (bytes[2] & 0x80) === 0).length > 3;
				return { lost, gap: next.timeMs - first.timeMs };
			};
			const a = (text: string): ResourceRecord => ({ name: HOST, type: A, data: address(text) });
			const service = (...data: [number, Uint8Array][]) =>
				data.map(([type, bytes]) => ({ name: HTTPS, type, data: bytes }));
			const own: [number, Uint8Array][] = [
				[TXT, txt("b=1")],
				[SRV, srv(443, HOST)],
			];
			const wins: [string, ResourceRecord[]][] = [
				["an earlier address", [a("192.168.1.49")]],
				["the same", [a(ADDRESS)]],
				["an earlier one beside the same", [a(ADDRESS), a("10.0.0.1")]],
				["an earlier class", [{ ...a("255.0.0.1"), class: 0 }]],
				["the same service in any order", service(own[1], own[0])],
				["less than the same", service(own[0])],
				["an earlier TXT", service([TXT, txt("a=1")], [SRV, srv(9999, HOST)])],
				["an earlier port", service(own[0], [SRV, srv(442, HOST)])],
				["an earlier host", service(own[0], [SRV, srv(443, "gatewax.local")])],
				["something that sorts before", service([A, address("255.1.1.1")], ...own)],
			];
			const loses: [string, ResourceRecord[]][] = [
				["a later address", [a("192.168.1.51")]],
				["a later class", [{ ...a("1.0.0.1"), class: 3 }]],
				["a later type", [{ name: HOST, type: AAAA, data: new Uint8Array(16) }]],
				["more than the same", [a(ADDRESS), a("200.0.0.1")]],
				["more in any order", [a("200.0.0.1"), a(ADDRESS)]],
				["longer data", service([TXT, txt("b=1", "c")])],
				["a later port", service([SRV, srv(444, HOST)], own[0])],
				["a later host", service(own[0], [SRV, srv(443, "gatewaz.local")])],
				["only what sorts after", service([SRV, srv(1, "a.local")])],
				["the same and something that sorts after", service(...own, [65, txt("x")])],
			];
			for (const [what, records] of wins) assert.deepEqual(propose(...records).lost, false, what);
			for (const [what, records] of loses) {
				const { lost, gap } = propose(...records);
				assert.equal(lost, true, what);
				assert.ok(gap >= 1000, `${what}: ${gap} ms`);
			}
		});

		it("compares a compressed proposal like an uncompressed one", () => {
			const air = new Air();
			air.device().start({ ...SETTINGS, services: [{ type: "_https._tcp", port: 443, txt: [] }] });
			air.run(251);
			const proposal = message({
				questions: [{ name: HTTPS, type: ANY }],
				authorities: [
					{ name: HTTPS, type: TXT, data: txt("") },
					{ name: HTTPS, type: SRV, data: srv(443, HOST) },
				],
			});
			// "gateway.local" ends with a pointer to the "local" of the question.
			const pointed = Buffer.concat([proposal.subarray(0, -7), Buffer.from([0xc0, 12 + 27 + 12])]);
			const lengthAt = proposal.length - 15 - 6 - 2;
			pointed.writeUInt16BE(proposal.subarray(lengthAt + 2).length - 5, lengthAt);
			air.send(pointed);
			const probes = air.run(5 * S).filter(({ flags }) => flags === 0);
			assert.ok(probes.length <= 2, "the responder has lost against its own proposal");
		});

		it("probes again when another device answers for its name, and keeps the name if nobody objects", () => {
			const { air, device } = Air.settled();
			air.send(claimed(HOST, A, address("192.168.1.9")));
			const messages = air.run(20 * S);
			assert.equal(messages.filter(({ flags }) => flags === 0).length, 3);
			assert.equal(messages.filter(({ flags }) => flags === RESPONSE).length, 3);
			assert.equal(device.hostname, "gateway");
			for (const parts of [
				claimed(HOST, A, address(ADDRESS)),
				claimed(HOST, AAAA, new Uint8Array(16)),
				claimed(HTTPS, SRV, srv(443, HOST)),
				claimed("_https._tcp.local", PTR, name(`other._https._tcp.local`)),
				claimed(META, PTR, name("_ipp._tcp.local")),
				{ flags: RESPONSE, answers: [{ name: HOST, type: A, ttl: 0, data: address("192.168.1.9") }] },
				{ flags: RESPONSE, answers: [{ name: HOST, type: A, class: 3, data: address("192.168.1.9") }] },
			]) {
				assert.deepEqual(air.query(parts), [], JSON.stringify(parts));
			}
			assert.deepEqual(air.query(claimed(HOST, A, address("192.168.1.9")), { port: 40_000 }), []);
		});

		it("takes the next name if another device keeps answering for its own", () => {
			const { air, device } = Air.settled();
			air.send(claimed(HOST, A, address("192.168.1.9")));
			for (let i = 0; i < 4; i++) {
				air.run(200);
				air.send(claimed(HOST, A, address("192.168.1.9")));
			}
			air.run(20 * S);
			assert.equal(device.hostname, "gateway-2");
		});

		it("probes at most every 5 s while another device claims all names", () => {
			const air = new Air();
			air.device().start(SETTINGS);
			const probes: number[] = [];
			for (let i = 0; i < 3000; i++) {
				for (const { questions, timeMs } of air.run(20)) {
					probes.push(timeMs);
					air.send(claimed(questions[0].split(" ")[0], A, address("192.168.1.9")));
				}
			}
			const gaps = probes.slice(15).map((timeMs, i) => timeMs - probes[14 + i]);
			assert.ok(gaps.length >= 8 && gaps.every((gap) => gap >= 5000), gaps.join(" "));
		});
	});

	describe("changes", () => {
		/** Goodbyes for all records but the list of service types, which other devices may share. */
		const goodbyes = ALL.filter((record) => !record.startsWith(META))
			.map((record) => record.replace(/(!?) (120|4500) /, "$1 0 "))
			.sort();

		it("sends goodbyes for its records when it stops", () => {
			const { air, device } = Air.settled();
			device.stop();
			device.stop();
			const messages = air.run(3600 * S);
			assert.equal(messages.length, 1);
			assert.deepEqual([...messages[0].answers].sort(), goodbyes);
			assert.equal(device.hostname, "");
			assert.deepEqual(air.network.ports, []);
			const quiet = air.device();
			quiet.start(SETTINGS);
			air.run(500);
			quiet.stop();
			assert.deepEqual(air.run(60 * S), []);
		});

		it("announces a new address at once, which replaces the old one", () => {
			const { air, device } = Air.settled();
			air.query(one(HOST, A));
			air.send(one(HOST, A));
			air.run(5);
			device.update({ ...SETTINGS, address: "192.168.1.77" });
			const messages = air.run(60 * S);
			assert.equal(messages.length, 3);
			assert.ok(messages.every(({ answers }) => answers.includes(`${HOST} A! 120 192.168.1.77`)));
			assert.equal(messages[0].answers.length, ALL.length);
			device.update({ ...SETTINGS, address: "192.168.1.77" });
			assert.deepEqual(air.run(60 * S), []);
		});

		it("sends goodbyes, probes and announces for another name or other services", () => {
			const { air, device } = Air.settled();
			for (const change of [
				{ hostname: "cellar" },
				{ instance: "Cellar" },
				{ services: SETTINGS.services.slice(1) },
				{ services: SETTINGS.services.map((service) => ({ ...service, port: 8443 })) },
				{ services: SETTINGS.services.map((service) => ({ ...service, txt: ["a=b"] })) },
			]) {
				device.update({ ...SETTINGS, ...change });
				const messages = air.run(60 * S);
				assert.deepEqual([...messages[0].answers].sort(), goodbyes);
				assert.equal(messages.length, 1 + 3 + 3);
				device.update(SETTINGS);
				air.run(60 * S);
			}
			const names: string[] = [];
			const fresh = new Air();
			const other = fresh.device(ADDRESS, names);
			other.update(SETTINGS);
			fresh.run(10 * S);
			other.update({ ...SETTINGS, hostname: "cellar" });
			fresh.run(10 * S);
			assert.deepEqual(names, ["gateway", "cellar"]);
		});

		it("moves its port to the network of the access point, and back", () => {
			const { air, device } = Air.settled();
			const isThere = () => air.network.ports.map(({ address, group }) => [address, group]);
			assert.deepEqual(isThere(), [[ADDRESS, GROUP]]);
			device.update({ ...SETTINGS, accessPoint: true, address: "192.168.4.1" });
			assert.deepEqual(isThere(), [["192.168.4.1", GROUP]]);
			const messages = air.run(60 * S);
			assert.deepEqual([...messages[0].answers].sort(), goodbyes);
			assert.equal(messages.length, 1 + 3 + 3);
			assert.ok(messages[6].answers.includes(`${HOST} A! 120 192.168.4.1`));
			device.update(SETTINGS);
			assert.deepEqual(isThere(), [[ADDRESS, GROUP]]);
		});

		it("opens the port again after 30 s if it is in use or lost, and then probes again", () => {
			const air = new Air();
			air.network.failure = "udp port 5353 is used by another program";
			const device = air.device();
			device.start(SETTINGS);
			air.run(29 * S);
			assert.deepEqual(air.traced, ["mdns: udp port 5353 is used by another program"]);
			air.network.failure = "";
			assert.equal(air.run(20 * S).length, 6);
			air.loseNetwork();
			assert.deepEqual(air.run(29 * S), []);
			assert.equal(air.run(20 * S).length, 6);
		});

		it("reports no name, old or new, while it has no port to probe for it", () => {
			for (const isLost of [false, true]) {
				const air = new Air();
				const names: string[] = [];
				const device = air.device(ADDRESS, names);
				if (!isLost) air.network.failure = "no port is free";
				device.start(SETTINGS);
				air.run(20 * S);
				if (isLost) air.loseNetwork();
				names.length = 0;
				device.update({ ...SETTINGS, hostname: "cellar" });
				assert.deepEqual(air.run(9 * S), []);
				assert.deepEqual([names, device.hostname], [[], ""]);
				air.network.failure = "";
				const messages = air.run(60 * S);
				assert.deepEqual([messages.length, messages[0].questions[0]], [6, "cellar.local ANY!"]);
				assert.deepEqual([names, device.hostname], [["cellar"], "cellar"]);
			}
		});
	});

	it("replies by unicast without forgetting other questions, or that known answers follow", () => {
		const { air } = Air.settled();
		air.query(one(HOST, A));
		const questions = [
			{ name: HOST, type: A, class: QU },
			{ name: "_smgw._tcp.local", type: PTR, class: 1 },
		];
		air.send({ flags: 0x0200, questions });
		const alone = air.run(300);
		assert.deepEqual([alone.map(({ to }) => to), answersOf(alone)], [[`${CLIENT}:5353`], [RECORD_A]]);
		const later = air.run(300);
		assert.deepEqual([later.map(({ to }) => to), answersOf(later)], [["all"], [`_smgw._tcp.local PTR 4500 ${SMGW}`]]);
	});

	it("fits all records into one message, whatever the names, and refuses services that do not fit", () => {
		const host = "h".repeat(63);
		const instance = "i".repeat(63);
		const types = ["https", "http", "smgw", "a", "b", "c"];
		const services = types.map((type) => ({ type: `_${type}._tcp`, port: 443, txt: [`a=${"x".repeat(62)}`] }));
		const longest = { hostname: host, instance, services };
		const { air, device } = Air.settled(longest);
		device.update({ ...SETTINGS, ...longest, address: "192.168.1.77" });
		const [all, ...more] = air.run(500);
		assert.deepEqual([all.answers.length, more.length], [2 + 5 * types.length, 0]);
		const tooMuch = services.map((service) => ({ ...service, txt: [`a=${"x".repeat(80)}`] }));
		for (const change of [
			{ services: tooMuch },
			{ services: [...services, services[0]] },
			{ services: [{ ...services[0], type: `_${"t".repeat(900)}` }] },
		]) {
			assert.throws(() => new Air().device().start({ ...SETTINGS, ...longest, ...change }), RangeError);
		}
	});

	it("answers a good question after 10 000 random or damaged messages", () => {
		const random = new SeededRandom(3);
		const frames = [
			message(one(HOST, A)),
			message({ ...one(HTTPS, ANY), authorities: [{ name: HTTPS, type: SRV, data: srv(444, HOST) }] }),
			message(claimed(HOST, A, address("192.168.1.9"))),
			message({
				flags: 0x0200,
				...one(META, PTR),
				answers: [{ name: META, type: PTR, data: name("_http._tcp.local") }],
			}),
		];
		const { air, device } = Air.settled();
		for (let i = 0; i < 10_000; i++) {
			const bytes = i % 4 === 0 ? random.bytes(random.below(200)) : frames[random.below(frames.length)].slice();
			if (i % 4 > 0) bytes[random.below(bytes.length)] ^= random.next();
			air.send(bytes, { port: random.oneIn(4) ? 40_000 : 5353 });
			air.run(random.below(50));
		}
		device.update({ ...SETTINGS, hostname: "cellar", instance: "Cellar" });
		air.run(60 * S);
		assert.deepEqual(answersOf(air.query(one("cellar.local", A))), ["cellar.local A! 120 192.168.1.50"]);
		assert.equal(air.network.ports.length, 1);
	});
});
