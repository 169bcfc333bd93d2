/**
 * Texts packed a quarter denser than gzip packs them, since those of three languages are a third of the page. Each bit is
 * predicted from the characters before it by several contexts whose votes are weighed (context mixing, as in lpaq by
 * M. Mahoney), and an arithmetic coder writes what the prediction has left open.
 *
 * The tool that packs and each browser that unpacks must predict the same to the last bit. So there are only sums,
 * products and quotients: ECMA-262 asks IEEE 754 of those, while `Math.exp` may differ from engine to engine.
 */

/** Characters before the one to come, of each context; the last two are the word so far, alone and with the one before. */
const ORDERS = [0, 1, 2, 3, 4, 6];
const CONTEXTS = ORDERS.length + 2;
/** Slots of what was seen so far, 32 bits each: 22 of a probability, 5 of the hash, 5 of how often it was seen. */
const SLOTS = 1 << 22;
const ONE = 1 << 22;
const CHECK = 31 << 5;
const SEEN = 31;
const SEEN_LIMIT = 30;
/** What the first bit seen in a slot counts. */
const FIRST_SHARE = 1.1;
const LEARNING = 0.0015;
/** Of a vote at first, in each of the four sets of weights that are summed up. */
const WEIGHT = 0.055;
/** Logistic function and its inverse in steps of 1/256, from -8 to 8. */
const STEPS = 4096;
const STEP = Math.fround(1.0039138793945312);

const squashed = new Float64Array(STEPS);
const stretched = new Float64Array(STEPS);
let power = 1;
for (let i = 0; i < STEPS / 2; i++) {
	squashed[STEPS / 2 + i] = power / (1 + power);
	squashed[STEPS / 2 - i] = 1 / (1 + power);
	power *= STEP;
}
for (let i = 0, x = 0; i < STEPS; i++) {
	while (x < STEPS - 1 && squashed[x] * STEPS < i + 0.5) x++;
	stretched[i] = (x - STEPS / 2) / 256;
}

class Model {
	/** That the next bit is 1, of 65536. */
	p = 0;
	readonly #slots = new Uint32Array(SLOTS);
	readonly #weights = new Float64Array(4 * 256 * CONTEXTS).fill(WEIGHT);
	readonly #hashes = new Int32Array(CONTEXTS);
	readonly #found = new Int32Array(CONTEXTS);
	readonly #votes = new Float64Array(CONTEXTS);
	/** Where the sets of weights begin: of the longest context that was seen before, of this byte's bits, of the two bytes before. */
	#sets: number[] = [];
	/** The bits of this byte so far, behind a 1. */
	#bits = 1;
	#last = [0, 0, 0, 0, 0, 0];
	#word = 0;
	#wordBefore = 0;

	constructor() {
		this.#predict();
	}

	#predict(): void {
		let longest = 0;
		for (let k = 0; k < CONTEXTS; k++) {
			const hash = Math.imul(this.#hashes[k] + Math.imul(this.#bits, 0x9e3779b1), 0x2c1b3c6d);
			const at = (hash ^ (hash >>> 15)) & (SLOTS - 1);
			const check = (hash >>> 22) & CHECK;
			let slot = this.#slots[at];
			// Another context has it: this one takes it over.
			if ((slot & CHECK) !== check) slot = this.#slots[at] = check;
			const seen = slot & SEEN;
			this.#found[k] = at;
			this.#votes[k] = seen && stretched[slot >>> 20];
			if (seen && k < ORDERS.length) longest = k + 1;
		}
		const sets = [longest, 256 + this.#bits, 512 + this.#last[0], 768 + this.#last[1]];
		this.#sets = sets.map((set) => set * CONTEXTS);
		let sum = 0;
		for (let k = 0; k < CONTEXTS; k++) for (const from of this.#sets) sum += this.#votes[k] * this.#weights[from + k];
		const step = Math.max(1, Math.min(STEPS - 1, Math.floor(sum * 256 + 0.5) + STEPS / 2));
		this.p = Math.max(1, Math.min(65535, Math.floor(squashed[step] * 65536)));
	}

	/** What the bit was. */
	learn(bit: number): void {
		const error = (bit - this.p / 65536) * LEARNING;
		for (let k = 0; k < CONTEXTS; k++) {
			for (const from of this.#sets) this.#weights[from + k] += error * this.#votes[k];
			const slot = this.#slots[this.#found[k]];
			const seen = slot & SEEN;
			const before = seen === 0 ? ONE / 2 : slot >>> 10;
			const after = Math.floor(before + (bit * ONE - before) / (seen + FIRST_SHARE));
			this.#slots[this.#found[k]] = (after << 10) | (slot & CHECK) | Math.min(SEEN_LIMIT, seen + 1);
		}
		this.#bits = (this.#bits << 1) | bit;
		if (this.#bits >= 256) this.#end(this.#bits & 255);
		this.#predict();
	}

	#end(byte: number): void {
		this.#bits = 1;
		this.#last = [byte, ...this.#last.slice(0, 5)];
		// Letters, and all beyond ASCII.
		const isLetter = byte > 64 && byte !== 123 && byte !== 125;
		if (!isLetter && this.#word !== 0) this.#wordBefore = this.#word;
		this.#word = isLetter ? Math.imul(this.#word + (byte | 32), 0x2f0b4c47) : 0;
		ORDERS.forEach((order, k) => {
			let hash = order;
			for (let i = 0; i < order; i++) hash = Math.imul(hash + this.#last[i] + 1, 0x2f0b4c47) ^ (hash >>> 13);
			this.#hashes[k] = hash;
		});
		this.#hashes[ORDERS.length] = Math.imul(this.#word + 77, 0x2545f491);
		this.#hashes[ORDERS.length + 1] = Math.imul(this.#word + Math.imul(this.#wordBefore, 0x3c6ef372), 0x2545f491);
	}
}

/** Where the coder's range [low, high] is divided: bits that are 1 are below. */
function divide(low: number, high: number, p: number): number {
	return low + Math.floor(((high - low) * p) / 65536);
}

/** What ends a text; none of them has it inside. */
const END = 0;

/** Packs texts without NUL. */
export function pack(texts: readonly string[]): Uint8Array {
	const model = new Model();
	const packed: number[] = [];
	let low = 0;
	let high = 0xffffffff;
	for (const byte of new TextEncoder().encode(texts.map((text) => text + String.fromCharCode(END)).join(""))) {
		for (let i = 7; i >= 0; i--) {
			const bit = (byte >> i) & 1;
			const middle = divide(low, high, model.p);
			if (bit === 1) high = middle;
			else low = middle + 1;
			model.learn(bit);
			for (; (low ^ high) >>> 24 === 0; low = (low << 8) >>> 0, high = ((high << 8) | 255) >>> 0)
				packed.push(high >>> 24);
		}
	}
	packed.push(high >>> 24, (high >>> 16) & 255);
	return Uint8Array.from(packed);
}

/** The texts that `pack` was given, one after the other as they are asked for; it does not know when it has given all. */
export function* unpack(packed: Uint8Array): Generator<string, never> {
	const model = new Model();
	const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	let low = 0;
	let high = 0xffffffff;
	let at = 4;
	let code = [0, 1, 2, 3].reduce((sum, i) => ((sum << 8) | (packed[i] ?? 0)) >>> 0, 0);
	for (let bytes: number[] = []; ; ) {
		let byte = 0;
		for (let i = 0; i < 8; i++) {
			const middle = divide(low, high, model.p);
			const bit = code <= middle ? 1 : 0;
			byte = (byte << 1) | bit;
			if (bit === 1) high = middle;
			else low = middle + 1;
			model.learn(bit);
			for (; (low ^ high) >>> 24 === 0; low = (low << 8) >>> 0, high = ((high << 8) | 255) >>> 0)
				code = ((code << 8) | (packed[at++] ?? 0)) >>> 0;
		}
		if (byte !== END) bytes.push(byte);
		else {
			yield decoder.decode(Uint8Array.from(bytes));
			bytes = [];
		}
	}
}
