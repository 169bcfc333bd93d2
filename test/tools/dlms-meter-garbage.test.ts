import assert from "node:assert/strict";
import { SeededRandom } from "../../hosts/node/random.js";
import { DrivenDLMSMeter, frame } from "./driven-dlms-meter.js";

const AARQ = "601da109060760857405080101be10040e01000000065f1f0400001211ffff";
const LLS = `6036a1090607608574050801018a0207808b0760857405080201ac0a8008${Buffer.from("12345678").toString("hex")}be10040e01000000065f1f0400001211ffff`;
const REQUESTS = [
	"c001c100080000010000ff0200",
	"c001c1000f0000280000ff0200",
	"c002c100000001",
	"c003c10200080000010000ff020000030100010800ff0300",
	"c301c1000f0000280000ff010109111000000001000000000000000000000000",
	"c101c100080000010000ff020000",
	"c81e3001234567411312ff935a47566827c467bc7d825c3be4a77c3fcc056b6b",
	"db084d4d4d0000bc614e1e3001234567411312ff935a47566827c467bc7d825c3be4a77c3fcc056b6b",
	"6203800100",
	AARQ,
	LLS,
];

/** Changes, deletes or doubles a few bytes at random. */
function spoil(hex: string, random: SeededRandom): string {
	const bytes = [...Buffer.from(hex, "hex")];
	for (let i = random.below(4); i > 0; i--) {
		const at = random.below(bytes.length);
		const kind = random.below(4);
		if (kind === 0) bytes.splice(at, random.below(6));
		else if (kind === 1) bytes.splice(at, 0, random.below(256));
		else if (kind === 2) bytes.length = at + 1;
		else bytes[at] = random.below(256);
	}
	return Buffer.from(bytes.length > 0 ? bytes : [0]).toString("hex");
}

describe("The simulated DLMS meter, with random input", () => {
	for (const seed of [1, 2, 3]) {
		it(`never throws on APDUs, and accepts the next association (seed ${seed})`, () => {
			const random = new SeededRandom(seed);
			const meter = new DrivenDLMSMeter("--pdu 128 --odd-types");
			for (let i = 0; i < 400; i++) {
				if (random.oneIn(5)) meter.open().apdu(AARQ);
				meter.apdu(spoil(REQUESTS[random.below(REQUESTS.length)], random));
			}
			assert.match(meter.open().apdu(AARQ), /^6129/);
		});

		it(`never throws on bytes and frames, and opens the next link (seed ${seed})`, () => {
			const random = new SeededRandom(seed);
			const meter = new DrivenDLMSMeter("--mode-e --linger 100000");
			meter.send(Buffer.from("/?!\r\n").toString("hex")).pass(50);
			meter.send(Buffer.from("\x06252\r\n").toString("hex")).pass(50);
			for (let i = 0; i < 600; i++) {
				const information = random.oneIn(3) ? `e6e600${REQUESTS[random.below(REQUESTS.length)]}` : "";
				const control = random.below(256).toString(16).padStart(2, "0");
				const whole = frame("0321", control, information, random.oneIn(4));
				meter.send(random.oneIn(3) ? spoil(whole, random) : whole).pass(random.below(40));
			}
			meter.pass(1000);
			assert.equal(meter.exchange(frame("0321", "53")).length, 1);
			assert.match(meter.control("93")[0], /^73 /);
		});
	}
});
