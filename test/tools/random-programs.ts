/**
 * Makes random JavaScript programs, reproducible by seed, with features that the firmware's rewriting affects: closures
 * in loops, labelled loops, `switch`, try and finally with `return` and `break`, generators, classes with private
 * fields, methods and getters, `super`, destructuring, BigInt, typed arrays, `??=`, shared constants.
 *
 * Each program notes values while it runs. It always terminates, because too many loop steps throw an error.
 */

/** Limit of notes in one run. */
const STEPS = 1500;
const LIMIT = 90;
/** Limit of calls of other programs in one run. */
const CALLS = 40;
const DEPTH = 3;

/** Reproducible numbers from 0 up to `below` (xorshift). */
class Chance {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0 || 1;
	}

	below(limit: number): number {
		let state = this.#state;
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		this.#state = state >>> 0;
		return this.#state % limit;
	}

	of<T>(list: readonly T[]): T {
		return list[this.below(list.length)]!;
	}
}

/** The variables in scope of statements, and the constructs that the statements may leave. */
interface Place {
	/** Variables with numbers. */
	readonly read: readonly string[];
	/** The mutable ones of these variables. */
	readonly written: readonly string[];
	readonly labels: readonly string[];
	readonly isInLoop: boolean;
	readonly isInGenerator: boolean;
	readonly depth: number;
}

class Maker {
	readonly #chance: Chance;
	readonly #functions: string[] = [];
	readonly #classes: string[] = [];
	readonly #generators: string[] = [];
	#names = 0;

	constructor(seed: number) {
		this.#chance = new Chance(seed);
	}

	make(count: number): string {
		const parts = [HEAD];
		for (let index = 0; index < count; index++) {
			if (index % 8 === 1) parts.push(this.#class());
			if (index % 8 === 3) parts.push(this.#generator());
			parts.push(this.#function());
		}
		parts.push(`const ALL = Object.freeze([${this.#functions.join(", ")}]);`, TAIL);
		return parts.join("\n");
	}

	#name(prefix: string): string {
		return `${prefix}${this.#names++}`;
	}

	#function(): string {
		const name = this.#name("f");
		const place = this.#outer(["x", "y"]);
		const text = `function ${name}(t, x, y) {\n${this.#block(place, 6)}\nreturn ${this.#number(place)};\n}`;
		this.#functions.push(name);
		return text;
	}

	/** Made at run time, because the linker can't freeze the prototype of a preloaded generator function. */
	#generator(): string {
		const name = this.#name("g");
		const place = { ...this.#outer(["x"]), isInGenerator: true };
		const body = `try {\n${this.#block(place, 4)}\nyield ${this.#number(place)};\n} finally { t.note("end of ${name}"); }`;
		this.#generators.push(name);
		return `function ${name}(t, x) {\nconst made = function* () {\n${body}\n};\nreturn made();\n}`;
	}

	/** Every third class extends an earlier one. */
	#class(): string {
		const name = this.#name("C");
		const above = this.#classes.length > 0 && this.#chance.below(3) === 0 ? this.#chance.of(this.#classes) : undefined;
		const [field, other, own] = [this.#name("field"), this.#name("other"), this.#name("own")];
		const place = {
			...this.#outer(["x", `this.#${field}`, `this.${other}`]),
			written: ["x", `this.#${field}`, `this.${other}`],
		};
		const lines = [
			`class ${name}${above === undefined ? "" : ` extends ${above}`} {`,
			`#${field} = ${this.#literal()};`,
			`${other};`,
			"constructor(t, x) {",
			above === undefined ? "" : "super(t, x);",
			above === undefined ? "this.t = t;" : "",
			`this.${other} = ${this.#number({ ...place, read: ["x"] })};`,
			"}",
			`get half() { return (this.#${field} >> 1) + ${above === undefined ? "0" : "super.half"}; }`,
			`set half(x) { this.#${field} = x + ${this.#literal()}; }`,
			`${own}(t, x) {\n${this.#block(place, 2)}\nreturn ${this.#number(place)};\n}`,
			`#hidden${name}(t, x) { t.note(x); return x ^ this.#${field}; }`,
			`act(t, x) {\nthis.half = x;\nthis.#${field} ${this.#chance.of(["+=", "^=", "??=", "||=", "&&="])} this.${own}(t, x);`,
			above === undefined ? "" : `this.${other} += super.act(t, x + 1);`,
			`return this.#hidden${name}(t, this.#${field} + this.${other});\n}`,
			`static of(t, x) { return new ${name}(t, x); }`,
			"}",
		];
		this.#classes.push(name);
		return lines.filter((line) => line !== "").join("\n");
	}

	#outer(names: readonly string[]): Place {
		return { read: names, written: names, labels: [], isInLoop: false, isInGenerator: false, depth: 0 };
	}

	#block(place: Place, count: number): string {
		let inner = place;
		const lines: string[] = [];
		for (let index = 0; index < 1 + this.#chance.below(count); index++) {
			if (this.#chance.below(3) === 0) {
				const name = this.#name("v");
				const isConstant = this.#chance.below(3) === 0;
				lines.push(`${isConstant ? "const" : "let"} ${name} = ${this.#number(inner)};`);
				inner = {
					...inner,
					read: [...inner.read, name],
					written: isConstant ? inner.written : [...inner.written, name],
				};
			} else lines.push(this.#statement({ ...inner, depth: inner.depth + 1 }));
		}
		return lines.join("\n");
	}

	#statement(place: Place): string {
		const simple = [() => this.#assignment(place), () => `t.note(${this.#number(place)});`, () => this.#leave(place)];
		if (place.depth > DEPTH) return this.#chance.of(simple)();
		return this.#chance.of([
			...simple,
			() => `if (${this.#condition(place)}) {\n${this.#block(place, 3)}\n} else {\n${this.#block(place, 2)}\n}`,
			() => `if (${this.#condition(place)}) ${this.#assignment(place)}`,
			() => this.#closures(place),
			() => this.#labelled(place),
			() => this.#while(place),
			() => this.#switch(place),
			() => this.#try(place),
			() => this.#destructuring(place),
			() => this.#forOf(place),
			() => this.#object(place),
			() => this.#typedArray(place),
			() => this.#inner(place),
		])();
	}

	#assignment({ written, ...place }: Place): string {
		const all = { ...place, written };
		const target = this.#chance.of(written);
		const operator = this.#chance.of(["=", "+=", "-=", "^=", "|=", "<<=", ">>>=", "*=", "??=", "||=", "&&="]);
		if (this.#chance.below(5) === 0) return `${target}${this.#chance.of(["++", "--"])};`;
		return `${target} ${operator} ${this.#number(all)};`;
	}

	/** Leaves a construct; mostly on a condition and seldom by an exception, so that later statements run. */
	#leave(place: Place): string {
		const ways = [`t.note(${this.#number(place)});`];
		const condition = `if (${this.#condition(place)}) `;
		if (place.isInLoop) ways.push(`${condition}break;`, `${condition}continue;`);
		for (const label of place.labels) ways.push(`${condition}break ${label};`, `${condition}continue ${label};`);
		if (place.isInGenerator) ways.push(`t.note(yield ${this.#number(place)});`);
		if (this.#chance.below(4) === 0) ways.push(`${condition}throw ${this.#number(place)};`);
		else ways.push(`${condition}return ${this.#number(place)};`);
		return this.#chance.of(ways);
	}

	/** A loop with functions that capture the loop variable. */
	#closures(place: Place): string {
		const [list, index, kept] = [this.#name("list"), this.#name("i"), this.#name("kept")];
		const inside = {
			...place,
			read: [...place.read, index, kept],
			written: [...place.written, kept],
			isInLoop: true,
			labels: [],
		};
		return `const ${list} = [];
for (let ${index} = 0; ${index} < ${1 + this.#chance.below(4)}; ${index}++) {
t.step();
let ${kept}${this.#chance.below(3) === 0 ? "" : ` = ${this.#number({ ...place, read: [...place.read, index] })}`};
${list}.push(() => ${kept}++ + ${index}, (x) => { ${kept} = x; });
${this.#block(inside, 2)}
}
for (const one of ${list}) t.note(one(${this.#number(place)}));`;
	}

	#labelled(place: Place): string {
		const [label, a, b] = [this.#name("L"), this.#name("i"), this.#name("j")];
		const inside = {
			...place,
			read: [...place.read, a, b],
			labels: [...place.labels, label],
			isInLoop: true,
		};
		return `${label}: for (let ${a} = 0; ${a} < 3; ${a}++) {
for (let ${b} = ${a}; ${b} < 4; ${b}++) {
t.step();
${this.#block(inside, 3)}
}
}`;
	}

	#while(place: Place): string {
		const count = this.#name("n");
		const inside = { ...place, read: [...place.read, count], isInLoop: true, labels: [] };
		const body = `{\nt.step();\n${count}--;\n${this.#block(inside, 3)}\n}`;
		const head = `let ${count} = ${1 + this.#chance.below(5)};\n`;
		if (this.#chance.below(2) === 0) return `${head}while (${count} > 0) ${body}`;
		return `${head}do ${body} while (${count} > 0 && ${this.#condition(place)});`;
	}

	#switch(place: Place): string {
		const inside = { ...place, isInLoop: false, labels: [] };
		const cases = [0, 1, 2, 3].map((value) => {
			const end = this.#chance.below(2) === 0 ? "\nbreak;" : "";
			return `case ${value}: {\n${this.#block(inside, 2)}${end}\n}`;
		});
		if (this.#chance.below(2) === 0) cases.splice(this.#chance.below(5), 0, `default: ${this.#assignment(place)}`);
		return `switch (${this.#number(place)} & 7) {\n${cases.join("\n")}\n}`;
	}

	#try(place: Place): string {
		const caught = this.#name("e");
		const handler = { ...place, read: [...place.read, `t.of(${caught})`] };
		const parts = [`try {\n${this.#block(place, 3)}\n}`];
		const kind = this.#chance.below(3);
		if (kind !== 1) parts.push(`catch (${caught}) {\nt.stopAt(${caught});\n${this.#block(handler, 2)}\n}`);
		if (kind !== 0) parts.push(`finally {\n${this.#block(place, 2)}\n}`);
		return parts.join(" ");
	}

	#destructuring(place: Place): string {
		const [a, b, rest] = [this.#name("a"), this.#name("b"), this.#name("rest")];
		const number = () => this.#number(place);
		return this.#chance.of([
			() =>
				`const [${a}, ${b} = ${number()}, ...${rest}] = [${number()}, undefined, ${number()}, ...SHARED.list];\nt.note(${a} + ${b} + ${rest}.length);`,
			() =>
				`const { p: ${a}, q: { r: ${b} = ${number()} } = {}, ...${rest} } = { p: ${number()}, s: ${number()}, u: 1 };\nt.note(${a} + ${b} + ${rest}.s);`,
			() =>
				`for (const { a: ${a}, b: ${b} = ${number()} } of [{ a: ${number()} }, { a: 1, b: ${number()} }]) t.note(${a} - ${b});`,
			() =>
				`const ${a} = ({ x: ${b}, y: [, ${rest} = 3] }) => ${b} * ${rest};\nt.note(${a}({ x: ${number()}, y: [${number()}] }));`,
		])();
	}

	#forOf(place: Place): string {
		const [item, other] = [this.#name("item"), this.#name("other")];
		const inside = { ...place, read: [...place.read, item], isInLoop: true, labels: [] };
		const generator =
			this.#generators.length > 0
				? `(t.mayCall() ? ${this.#chance.of(this.#generators)}(t, ${this.#number(place)}) : [6])`
				: "[4, 5]";
		const body = `{\nt.step();\n${this.#block(inside, 2)}\n}`;
		return this.#chance.of([
			() => `for (const ${item} of ${generator}) ${body}`,
			() => `for (let ${item} of [${this.#number(place)}, 2, ${this.#number(place)}]) ${body}`,
			() =>
				`for (const [${item}, ${other}] of new Map([[1, ${this.#number(place)}], [2, 3]])) {\nt.note(${other});\n${this.#block(inside, 1)}\n}`,
			() => `for (const ${other} in { p: 1, q: ${this.#number(place)} }) t.note(${other});`,
			() => `const [${item}] = ${generator};\nt.note(${item});`,
		])();
	}

	#object(place: Place): string {
		const [made, value] = [this.#name("object"), this.#number(place)];
		const plain = `const ${made} = { value: ${value}, get twice() { return this.value * 2; }, grow(x) { this.value += x; return this; } };
${made}.grow(${this.#number(place)}).value${this.#chance.of(["++", " ??= 1", " ||= 7", " &= 255"])};
t.note(${made}.twice + (${made}.none?.of ?? 3));`;
		if (this.#classes.length === 0 || this.#chance.below(3) === 0) return plain;
		const name = this.#chance.of(this.#classes);
		return `const ${made} = ${this.#chance.of([`new ${name}(t, ${value})`, `${name}.of(t, ${value})`])};
t.note(t.mayCall() ? ${made}.act(t, ${this.#number(place)}) : 6);
${made}.half += ${this.#number(place)};
t.note(${made}.half);`;
	}

	#typedArray(place: Place): string {
		const name = this.#name("bytes");
		const type = this.#chance.of(["Uint8Array", "Int16Array", "Uint32Array", "Float64Array"]);
		return `const ${name} = new ${type}([${this.#number(place)}, ${this.#number(place)}, 3, 4]);
${name}[${this.#number(place)} & 3] ${this.#chance.of(["=", "+=", "^="])} ${this.#number(place)};
t.note(${name}.subarray(1, 3)[${this.#chance.below(2)}] + ${name}.length);`;
	}

	#inner(place: Place): string {
		const name = this.#name("h");
		const inside = {
			...place,
			read: [...place.read, "z"],
			written: [...place.written, "z"],
			isInLoop: false,
			isInGenerator: false,
			labels: [],
		};
		const head = this.#chance.of([`const ${name} = (z) =>`, `const ${name} = function (z)`, `function ${name}(z)`]);
		return `${head} {\n${this.#block(inside, 2)}\nreturn ${this.#number(inside)};\n}\nt.note(${name}(${this.#number(place)}));`;
	}

	#condition(place: Place, depth = 0): string {
		const compare = () =>
			`${this.#number(place)} ${this.#chance.of(["<", ">", "<=", ">=", "===", "!=="])} ${this.#number(place)}`;
		if (depth > 1) return compare();
		return this.#chance.of([
			compare,
			() => `(${this.#number(place)} & ${1 + this.#chance.below(7)}) !== 0`,
			() => `(${this.#condition(place, depth + 1)} && ${this.#condition(place, depth + 1)})`,
			() => `(${this.#condition(place, depth + 1)} || ${this.#condition(place, depth + 1)})`,
			() => `!(${this.#condition(place, depth + 1)})`,
			() => `typeof ${this.#chance.of(place.read)} === "number"`,
		])();
	}

	#number(place: Place, depth = 0): string {
		const again = () => this.#number(place, depth + 1);
		const variable = () => this.#chance.of(place.read);
		const simple = [variable, variable, () => this.#literal(), () => `SHARED.${this.#chance.of(["a", "b", "c"])}`];
		if (depth > 2) return this.#chance.of(simple)();
		return this.#chance.of([
			...simple,
			() => `(${again()} ${this.#chance.of(["+", "-", "*", "&", "|", "^", "%", "<<", ">>", ">>>"])} ${again()})`,
			() => `(${this.#condition(place, 1)} ? ${again()} : ${again()})`,
			() => `(${again()} ${this.#chance.of(["&&", "||", "??"])} ${again()})`,
			() => `-(${again()})`,
			() => `~(${again()})`,
			() => `SHARED.list[(${again()}) & 3]`,
			() => `\`\${${again()}}:\`.length`,
			() => `Number(BigInt.asIntN(16, BigInt((${again()}) | 0) * 3n + SHARED.big))`,
			() => `[${again()}, ${again()}].map((each) => each + ${variable()})[${this.#chance.below(2)}]`,
			() =>
				this.#functions.length > 0
					? `(t.mayCall() ? ${this.#chance.of(this.#functions)}(t, ${again()}, ${variable()}) : 6)`
					: this.#literal(),
		])();
	}

	#literal(): string {
		return this.#chance.of([
			"0",
			"1",
			"2",
			"3",
			"7",
			"-1",
			"127",
			"128",
			"255",
			"-128",
			"-129",
			"32768",
			"1000003",
			"0.5",
			"-2.25",
		]);
	}
}

const HEAD = `
const SHARED = Object.freeze({ a: 5, b: -3, c: 1024, big: 12345678901n, list: Object.freeze([2, 3, 5, 8]) });
const STOP = Object.freeze({ name: "too many steps" });

class Trace {
	#steps = 0;
	#calls = 0;
	#hash = 0;
	notes = "";
	step() {
		if (++this.#steps > ${STEPS}) throw STOP;
	}
	note(value) {
		this.step();
		const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : typeof value;
		for (let at = 0; at < text.length; at++) this.#hash = ((this.#hash * 31) ^ text.charCodeAt(at)) | 0;
		if (this.notes.length < ${LIMIT}) this.notes += " " + text;
	}
	/** Whether one more function may be called. */
	mayCall() {
		return ++this.#calls <= ${CALLS};
	}
	of(value) {
		return typeof value === "number" ? value : 17;
	}
	/** The end of a run is not one of the program's own exceptions. */
	stopAt(caught) {
		if (caught === STOP) throw STOP;
	}
	get result() {
		return this.#steps + " " + this.#hash + this.notes;
	}
}
`;

const TAIL = `
class Output {
	static print(line) {
		native("xs_system_print").call(this, line);
	}
}

export default function main() {
	const values = [0, 1, -7, 200];
	for (let index = 0; index < ALL.length; index++)
		for (const value of values) {
			const trace = new Trace();
			let end;
			try {
				const result = ALL[index](trace, value, index);
				end = typeof result === "number" ? String(result) : typeof result;
			} catch (error) {
				end = error === STOP ? "stopped" : typeof error === "number" ? "threw " + error : "threw " + error?.name;
			}
			Output.print(index + " " + value + ": " + end + " " + trace.result);
		}
	Output.print("end");
}
`;

/** A module with `count` programs. Its `main` runs each several times, prints a line for each run, and then "end". */
export function randomPrograms(seed: number, count: number): string {
	return new Maker(seed).make(count);
}
