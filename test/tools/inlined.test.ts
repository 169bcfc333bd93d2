/** Bodies of functions in the place of their calls: what changes, what stays, and that the script still does the same. */
import assert from "node:assert/strict";
import { withInlined } from "../../tools/sdk/inlined.js";
import { withStatements } from "../../tools/sdk/statements.js";

/** Runs a script that defines `main`; returns its result. */
const run = (script: string): unknown => new Function(`${script}\nreturn main();`)();

/** Number of functions and methods in the script. */
const countIn = (script: string) => (script.match(/=>|^\s*(get )?#\w+\(.*\) \{/gm) ?? []).length;

describe("Functions with a single call", () => {
	for (const [what, script] of [
		["as a statement", "const f = (a) => { a.push(1); };\nconst main = () => { const a = []; f(a); return a; };"],
		["as a result", "const f = (a) => { if (a > 1) return 2; };\nconst main = () => { return f(5); };"],
		["with nothing returned", "const f = (a) => { a.x = 1; };\nconst main = () => { return f({}); };"],
		[
			"as a variable",
			"const f = (a) => { const b = a + 1; return b; };\nconst main = () => { const c = f(2); return c; };",
		],
		[
			"with an early return",
			"const f = (a) => { for (;;) if (a++ > 3) return a; };\nconst main = () => { const c = f(1); return c; };",
		],
		[
			"with returns in branches",
			"const f = (a) => { if (a) { return 1; } else return 2; };\nconst main = () => { let c = 0; c = f(1); return c; };",
		],
		[
			"as a test",
			"const f = (a) => { const b = a; return b > 1; };\nconst main = () => { if (!f(2)) return 1; return 2; };",
		],
		[
			"behind a test",
			"const f = (a) => { const b = a; b.push(1); };\nconst main = () => { const l = []; l.length > 0 || f(l); return l; };",
		],
		[
			"in one of two results",
			"const f = (a) => { const b = a; return b * 2; };\nconst main = () => { const l = 3; return l > 2 ? f(l) : 0; };",
		],
		[
			"as a loop's list",
			"const f = (a) => { const b = [a]; return b; };\nconst main = () => { for (const x of f(7)) return x; };",
		],
		[
			"with changed parameters",
			"const f = (a) => { a++; return a; };\nconst main = () => { const a = 1; const b = f(a); return [a, b]; };",
		],
		[
			"with a pattern",
			"const f = ({ a, b: [c] }) => { const d = a + c; return d; };\nconst main = () => { const x = { a: 1, b: [2] }; const y = f(x); return y; };",
		],
		[
			"with an initial value",
			"const f = (a, b = 4) => { const c = a + b; return c; };\nconst main = () => { const y = f(1); return y; };",
		],
		[
			"with a missing argument",
			"const f = (a, b) => { const c = [a, b]; return c; };\nconst main = () => { const y = f(1); return y; };",
		],
		[
			"with names that the caller has too",
			"const f = (b) => { const a = b + 1; return { a }; };\nconst main = () => { const a = 5; const y = f(a); return [a, y]; };",
		],
		[
			"with a nested function of the same names",
			"const f = (a, b) => { const g = (a) => a + b; return g(1); };\nconst main = () => { const y = f(2, 3); return y; };",
		],
		[
			"with a parameter that a nested function shadows",
			"const f = (a, b) => { return [1].map((a) => a + b); };\nconst main = () => { const y = f(7, 8); return y; };",
		],
		[
			"in each pass of a loop",
			"const f = (l, i) => { let x; if (i === 1) x = i; l.push(() => x); };\nconst main = () => { const l = []; for (let i = 0; i < 3; i++) f(l, i); return l.map((g) => g()); };",
		],
		[
			"in a switch",
			"const f = (a) => { switch (a) { case 1: return 2; default: return 3; } };\nconst main = () => { const y = f(1); return y; };",
		],
		[
			"in a switch in a loop, with a return in each case",
			"const f = (a) => { if (a === 0) return 9; switch (a) { case 1: if (a > 5) return 1; return 2; case 2: return 4; default: return 3; } };\nconst main = () => { let s = 0; for (let i = 0; i < 4; i++) { const y = f(i); s = s * 10 + y; } return s; };",
		],
		[
			"behind try",
			"const f = (a) => { try { return a.b.c; } catch { return 9; } };\nconst main = () => { const x = {}; const y = f(x); return y; };",
		],
		[
			"of functions with a single call",
			"const g = (a) => { if (a > 2) return 1; return 5; };\nconst f = (a) => { const b = g(a); return b + 1; };\nconst main = () => { const y = f(1); return y; };",
		],
		[
			"without braces",
			"const f = (a) => { const b = a; b.x = 1; };\nconst main = () => { const o = {}; if (true) f(o); else o.y = 1; return o; };",
		],
	])
		it(`are replaced by their bodies: ${what}`, () => {
			const changed = withInlined(withStatements(script));
			assert.deepEqual(run(changed), run(script), changed);
			assert.ok(countIn(changed) < countIn(script), changed);
		});

	for (const [what, script] of [
		[
			"a nested function",
			"const g = (a) => a;\nconst f = (a) => { const b = g(a) + g(1); return b; };\nconst main = () => { const y = () => f(2); return y(); };",
		],
		[
			"a statement, of a function that returns from a switch before its end",
			"const f = (a) => { switch (a) { case 1: return 2; } return 3; };\nconst main = () => { const y = f(1); return y; };",
		],
		[
			"a statement, of a function that returns from a loop in a switch",
			"const f = (a) => { switch (a) { default: for (;;) return 2; } };\nconst main = () => { const y = f(1); return y; };",
		],
		[
			"a loop's test",
			"const f = (a) => { const b = a; return b.length < 3; };\nconst main = () => { const l = []; while (f(l)) l.push(1); return l; };",
		],
		[
			"an operand after another one",
			"const f = (a) => { a.x++; return 1; };\nconst main = () => { const o = { x: 1 }; return o.x + f(o); };",
		],
		[
			"an operand after a variable that changes",
			"const f = (a) => { const b = a; return b * 10; };\nconst main = () => { let i = 1; return i + f(i++); };",
		],
		[
			"a right side that may not be evaluated",
			"const f = (a) => { const b = a; b.x = 1; return b; };\nconst main = () => { const o = {}; const y = o.z && f(o); return [o, y]; };",
		],
		[
			"a labelled loop",
			"const f = (a) => { const b = [a, a]; return b; };\nconst main = () => { let n = 0; outer: for (const x of f(2)) { for (;;) { n += x; continue outer; } } return n; };",
		],
		[
			"a caller that needs three variables of the top level less than the body",
			"const t = [1];\nconst u = [2];\nconst v = [3];\nconst f = (a) => { const b = t; return b[a] + u[a] + v[a]; };\nconst main = () => { const y = f(0); return y; };",
		],
		[
			"a variable of the same name as the body needs",
			"const t = [1];\nconst f = () => { const b = t; return b[0]; };\nconst main = () => { const t = 5; const y = f(); return [t, y]; };",
		],
		[
			"an initial value that a given argument may need",
			"const f = (a = 4) => { const b = a; return b; };\nconst main = () => { const o = {}; const y = f(o.x); return y; };",
		],
		["a value", "const f = (a) => { const b = a; return b; };\nconst main = () => [1].map(f);"],
		["a generator", "const f = function* (a) { yield a; };\nconst main = () => { const y = f(1); return [...y]; };"],
	])
		it(`stay if the call is in or with ${what}`, () => {
			const changed = withInlined(script);
			assert.deepEqual(run(changed), run(script), changed);
			assert.ok(/\bf\b/.test(changed), changed);
		});
});

describe("Private methods with a single call", () => {
	const classOf = (members: string) => `class A {\n${members}\n}\nconst main = () => new A().run();`;

	it("are replaced by their bodies", () => {
		const script = classOf(
			"x = 1;\n#g(a) { if (a < 0) return; this.x += a; }\nget #h() { const b = this.x; return b * 2; }\n" +
				"run() { this.#g(4); const y = this.#h; return [y, this.x]; }",
		);
		const changed = withInlined(script);
		assert.deepEqual(run(changed), [10, 5], changed);
		assert.doesNotMatch(changed, /#/);
	});

	it("stay if they are called by another object, as a value, or as what a getter returns", () => {
		for (const members of [
			"#g() { const a = 5; return a; }\nrun() { const o = this; return o.#g(); }",
			"#g() { const a = 5; return a; }\nrun() { const g = this.#g; return g(); }",
			"x = 5;\n#f() { return this?.x; }\nget #g() { return this.#f; }\nrun() { return this.#g(); }",
		]) {
			const script = classOf(members);
			assert.equal(run(withInlined(script)), 5);
			assert.match(withInlined(script), /#g\b/);
		}
	});
});

describe("Short expressions", () => {
	it("are copied to each call, also in nested functions if they need nothing of the top level", () => {
		const script =
			"const t = [3];\nconst f = (a) => a + 1;\nconst g = (a) => a + t[0];\n" +
			"const main = () => { const x = 2; return [f(x) * 2, f(3), [1].map(() => f(x)), g(x), [1].map(() => g(4))]; };";
		const changed = withInlined(script);
		assert.deepEqual(run(changed), [6, 4, [3], 5, [7]]);
		assert.doesNotMatch(changed, /\bf\b/);
		assert.match(changed, /\bg\b/);
	});

	it("stay functions if an argument is evaluated once only by a call", () => {
		const script = "const f = (a) => a + a;\nconst main = () => { let i = 1; return [f(i++), i]; };";
		assert.deepEqual(run(withInlined(script)), [2, 2]);
	});
});

describe("Statements that are expressions", () => {
	for (const [before, after] of [
		["a && b();", "{ if (a) { (b()); } }"],
		["a || b();", "{ if (!(a)) { (b()); } }"],
		["a ? b() : c && d();", "{ if (a) { (b()); } else { if (c) { (d()); } } }"],
		[
			"const f = () => { return a ? b() : 0; };",
			"const f = () => { { if (a) { return (b()); } else { return (0); } } };",
		],
		["a ?? b();", "a ?? b();"],
		["const f = () => { return a ? 1 : 0; };", "const f = () => { return a ? 1 : 0; };"],
		["a && b(() => { c && d(); });", "a && b(() => { { if (c) { (d()); } } });"],
	])
		it(`become if where it is shorter: ${before}`, () => assert.equal(withStatements(before), after));
});
