/**
 * For the firmware, puts the body of a function into the place of its call if the script has only this call, or if the
 * body is a short expression. The functions are those of the top level, and private methods and getters that are called
 * by `this`. A function takes 48 bytes of flash, a method 64, and each call takes stack.
 *
 * A body becomes a block, because blocks share the places of their variables. It is a labelled block if it has a
 * `return` before its end. Variables of the body get new names. A `return` in a switch at the end of the body becomes a
 * `break`; a body with another `return` in a switch stays a function (jumps.ts says why).
 *
 * The order of evaluation stays the same: a body comes before the statement with the call, so this statement must not
 * evaluate anything before the call that the body could change. A call in a nested function stays, because XS copies
 * what the body needs from the top level into RAM for each such function. A call also stays if the body needs more than
 * MORE_NEEDED variables of the top level that the caller does not need, because XS copies these to the stack: without this
 * rule the start took 485 slots instead of 409. The limit of two is worth 12 KB on slzb-06 and takes no more stack than 0.
 */
import { below, childrenOf, type Edit, edited, isClass, type Node, nameOf, parse, propertyOf } from "./syntax.js";
import { addNames, assignedBelow, declaredBelow, FUNCTION, type Use, usesBelow } from "./variables.js";

/** Largest number of nodes of the syntax that the copies of an expression may add. */
const LARGEST_COPY = 24;

/** The first pass replaces 220 functions of slzb-06, the second one 45, and two more would replace 4. */
const PASSES = 2;
/** Largest number of variables of the top level that a caller may need in addition. */
const MORE_NEEDED = 2;
/** Beginning of our labels, all of which are different. */
const LABEL = "$l";

interface Callee {
	/** The declaration, or the member of the class. It is removed. */
	readonly whole: Node;
	readonly code: Node;
	readonly isGetter: boolean;
	readonly calls: Call[];
	/** True if the function is used otherwise than by such calls. */
	isValue: boolean;
}

interface Call {
	/** The call, or the member expression of a getter. */
	readonly node: Node;
	/** Nodes around the call, outermost first. */
	readonly around: readonly Node[];
}

/** The statement with a call. */
interface Place {
	readonly statement: Node;
	readonly caller: Node;
	/** True if the statement is one of a list, so that it may become several statements. */
	readonly isListed: boolean;
}

type Names = Map<string, string>;

class Inliner {
	readonly edits: Edit[] = [];
	/** Number of the next new name. */
	number: number;
	readonly #script: string;
	readonly #functions = new Map<string, Callee>();
	readonly #methods = new Map<Node, Map<string, Callee>>();
	readonly #topLevel = new Set<string>();
	/** Variables of the top level that never change. */
	readonly #constants = new Set<string>();

	constructor(script: string, number: number) {
		this.#script = script;
		this.number = number;
		const tree = parse(script);
		for (const statement of childrenOf(tree)) this.#declare(statement);
		this.#find(tree, []);
		for (const callee of this.#functions.values()) this.#inline(callee);
		for (const own of this.#methods.values()) for (const callee of own.values()) this.#inline(callee);
	}

	#declare(statement: Node): void {
		addNames(below(statement, "id"), this.#topLevel);
		for (const one of [
			...((statement["declarations"] ?? []) as Node[]),
			...((statement["specifiers"] ?? []) as Node[]),
		])
			addNames(below(one, "id") ?? below(one, "local"), this.#topLevel);
		if (statement["kind"] !== "const") return;
		const [variable, ...others] = statement["declarations"] as Node[];
		const code = below(variable!, "init");
		for (const one of [variable!, ...others]) addNames(below(one, "id"), this.#constants);
		if (others.length > 0 || code?.type !== "ArrowFunctionExpression") return;
		const name = nameOf(below(variable!, "id"));
		this.#functions.set(name, { whole: statement, code, isGetter: false, calls: [], isValue: false });
	}

	#declareMethods(node: Node): void {
		const own = new Map<string, Callee>();
		this.#methods.set(node, own);
		for (const whole of childrenOf(below(node, "body")!)) {
			const { type, kind } = whole;
			const key = below(whole, "key");
			if (type !== "MethodDefinition" || key?.type !== "PrivateIdentifier" || whole["static"] === true) continue;
			const code = below(whole, "value")!;
			// A getter and a setter of the same name belong together.
			const isValue = kind === "set" || own.has(nameOf(key));
			own.set(nameOf(key), { whole, code, isGetter: kind === "get", calls: [], isValue });
		}
	}

	#find(node: Node, around: Node[]): void {
		if (isClass(node)) this.#declareMethods(node);
		const parent = around.at(-1);
		if (node.type === "Identifier") this.#findFunction(node, parent!, around);
		else if (node.type === "PrivateIdentifier") this.#findMethod(node, parent!, around);
		around.push(node);
		for (const child of childrenOf(node)) this.#find(child, around);
		around.pop();
	}

	#findFunction(node: Node, parent: Node, around: readonly Node[]): void {
		const callee = this.#functions.get(nameOf(node));
		const isDeclaration = parent.type === "VariableDeclarator" && parent["id"] === node;
		const isKey = propertyOf(parent) === node && parent["shorthand"] !== true;
		if (callee === undefined || isDeclaration || isKey) return;
		if (isCallOf(parent, node)) callee.calls.push({ node: parent, around: around.slice(0, -1) });
		else callee.isValue = true;
	}

	#findMethod(node: Node, parent: Node, around: readonly Node[]): void {
		const callee = this.#methods.get(around.findLast(isClass)!)?.get(nameOf(node));
		if (callee === undefined || parent.type === "MethodDefinition") return;
		const outer = around.at(-2)!;
		const isCall = isCallOf(outer, parent);
		// A call of what a getter returns would get another `this`.
		if (below(parent, "object")?.type !== "ThisExpression" || isCall === callee.isGetter) callee.isValue = true;
		else if (callee.isGetter) callee.calls.push({ node: parent, around: around.slice(0, -1) });
		else callee.calls.push({ node: outer, around: around.slice(0, -2) });
	}

	#inline(callee: Callee): void {
		const { whole, code, calls, isValue } = callee;
		if (isValue || calls.length === 0 || isBound(code) || calls.some(({ node }) => isInside(node, whole))) return;
		const edits = this.#asExpression(callee) ?? this.#asBlock(callee);
		if (edits === undefined) return;
		const all = [{ start: whole.start, end: whole.end, text: "" }, ...edits];
		// A copied body must not change in the same pass.
		if (all.some(({ start, end }) => this.edits.some((other) => start < other.end && other.start < end))) return;
		this.edits.push(...all);
	}

	/** Puts a body that is a single expression into the place of each call. */
	#asExpression({ code, calls }: Callee): Edit[] | undefined {
		const body = below(code, "body")!;
		const expression = body.type === "BlockStatement" ? onlyReturned(body) : body;
		if (expression === undefined || (calls.length - 1) * sizeOf(expression) > LARGEST_COPY) return undefined;
		const uses = usesBelow(code);
		const needed = uses.filter(({ isOwn }) => !isOwn).map(({ node }) => nameOf(node));
		const edits: Edit[] = [];
		for (const { node, around } of calls) {
			const [caller, ...nested] = around.filter(({ type }) => FUNCTION.test(type));
			if (caller === undefined || isHidden(needed, caller) || this.#takesStack(needed, caller)) return undefined;
			if (nested.length > 0 && (needed.length > 0 || nested.some(({ type }) => type !== "ArrowFunctionExpression")))
				return undefined;
			const names = this.#newNames(code);
			if (this.#parameters(code, node, caller, names) !== "") return undefined;
			edits.push({ start: node.start, end: node.end, text: `(${this.#renamed(expression, uses, names)})` });
		}
		return edits;
	}

	/** Puts the body before the statement that contains the only call. */
	#asBlock({ code, calls }: Callee): Edit[] | undefined {
		const place = calls.length === 1 ? placeOf(calls[0]!) : undefined;
		if (place === undefined) return undefined;
		const { statement, caller, isListed } = place;
		const { start, end } = statement;
		const call = calls[0]!.node;
		const value = evaluatedFirst(statement);
		const uses = usesBelow(code);
		const needed = uses.filter(({ isOwn }) => !isOwn).map(({ node }) => nameOf(node));
		if (!isFirst(value, call, assignedBelow(caller)) || isHidden(needed, caller) || this.#takesStack(needed, caller))
			return undefined;

		const label = `${LABEL}${this.number}`;
		const names = this.#newNames(code);
		const declarations = this.#parameters(code, call, caller, names);
		if (declarations === undefined) return undefined;
		const block = (result: string | undefined) => {
			const body = this.#bodyOf(code, uses, names, { result, label });
			return body === undefined ? undefined : `${body.isLabelled ? `${label}: ` : ""}{ ${declarations}${body.text} }`;
		};
		const edit = (text: string | undefined) => (text === undefined ? undefined : [{ start, end, text }]);

		if (value === call && statement.type === "ReturnStatement") return edit(block("return"));
		if (value === call && statement.type === "ExpressionStatement") return edit(block(""));
		const assigned = assignedVariable(statement, call);
		if (assigned !== undefined && statement.type === "ExpressionStatement") return edit(block(assigned));
		// A variable that is declared must stay in its list.
		if (!isListed && statement.type === "VariableDeclaration") return undefined;
		const result = assigned ?? `$r${this.number}`;
		const text = block(result);
		if (text === undefined) return undefined;
		if (assigned !== undefined) return edit(`let ${result};\n${text}`);
		const rest = edited(this.#script.slice(start, end), [
			{ start: call.start - start, end: call.end - start, text: result },
		]);
		const whole = `let ${result};\n${text}\n${rest}`;
		return edit(statement.type === "VariableDeclaration" ? whole : `{ ${whole} }`);
	}

	/** `result` is the variable that gets the result, or "return", or "" if nothing needs the result. */
	#bodyOf(
		code: Node,
		uses: readonly Use[],
		names: Names,
		{ result, label }: { readonly result: string | undefined; readonly label: string },
	): { text: string; isLabelled: boolean } | undefined {
		const body = below(code, "body")!;
		const give = (text: string) =>
			result === "return" ? `return ${text};` : result === "" ? `(${text});` : `${result} = (${text});`;
		if (body.type !== "BlockStatement") return { text: give(this.#renamed(body, uses, names)), isLabelled: false };
		const statements = body["body"] as Node[];
		const [first, last] = [statements[0], statements.at(-1)];
		if (first === undefined) return { text: "", isLabelled: false };
		const range = { start: first.start, end: last!.end };
		if (result === "return") {
			const end = /^(Return|Throw)Statement$/.test(last!.type) ? "" : "\nreturn;";
			return { text: this.#renamed(range, uses, names) + end, isLabelled: false };
		}
		const lasts = new Set<Node>();
		addLast(body, lasts);
		const returns = returnsBelow(body);
		// A jump out of a switch to a label would leave the switch's value on the stack.
		if (returns.some(({ inside }) => inside.some(isSwitch) && !lasts.has(inside.at(-1)!))) return undefined;
		let isLabelled = false;
		const edits = returns.flatMap(({ node, inside }): Edit[] => {
			const value = below(node, "argument");
			const isLast = lasts.has(node);
			const leave = isLast ? "}" : inside.some(isSwitch) ? "break; }" : `break ${label}; }`;
			isLabelled ||= !isLast && !inside.some(isSwitch);
			if (value === undefined) return [{ start: node.start, end: node.end, text: `{ ${leave}` }];
			const [before, after] = give("\n").split("\n");
			return [
				{ start: node.start, end: value.start, text: `{ ${before}` },
				{ start: value.end, end: node.end, text: `${after} ${leave}` },
			];
		});
		return { text: this.#renamed(range, uses, names, edits), isLabelled };
	}

	/** True if the caller would need too many more variables of the top level. XS copies them to the stack for the call. */
	#takesStack(needed: readonly string[], caller: Node): boolean {
		const names = new Set<string>();
		addMentioned(caller, names);
		return needed.filter((name) => this.#topLevel.has(name) && !names.has(name)).length > MORE_NEEDED;
	}

	#newNames(code: Node): Names {
		const number = this.number++;
		return new Map([...declaredBelow(code).keys()].map((name) => [name, `${name}$i${number}`]));
	}

	#renamed(
		{ start, end }: Pick<Node, "start" | "end">,
		uses: readonly Use[],
		names: Names,
		more: readonly Edit[] = [],
	): string {
		const own = uses
			.filter(({ node, isOwn }) => isOwn && start <= node.start && node.end <= end)
			.map(({ node, prefix }) => ({ start: node.start, end: node.end, text: prefix + names.get(nameOf(node))! }));
		const moved = [...own, ...more].map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
		return edited(this.#script.slice(start, end), moved);
	}

	/**
	 * Returns the declarations of the parameters. A parameter that never changes is replaced by its argument if this is a
	 * number or a variable that never changes. Returns undefined if the order of evaluation could change.
	 */
	#parameters(code: Node, call: Node, caller: Node, names: Names): string | undefined {
		const parameters = code["params"] as Node[];
		const given = (call["arguments"] ?? []) as Node[];
		if (given.length > parameters.length || given.some(({ type }) => type === "SpreadElement")) return undefined;
		const isPlain = parameters.every(({ type }) => type === "Identifier");
		if (!isPlain && given.length > 1 && !given.every(isPure)) return undefined;
		const [changed, changedOutside] = [assignedBelow(code), assignedBelow(caller)];
		const [counts, outside] = [declaredBelow(code), declaredBelow(caller)];
		const isFixed = ({ type, name }: Node) =>
			type === "Identifier" &&
			(outside.has(String(name)) ? !changedOutside.has(String(name)) : this.#constants.has(String(name)));
		let text = "";
		for (const [index, parameter] of parameters.entries()) {
			const argument = given[index];
			const { type } = parameter;
			const initial = type === "AssignmentPattern" ? below(parameter, "right") : undefined;
			// An argument that is given may be undefined, and then the initial value counts.
			if (type === "RestElement" || (initial !== undefined && argument !== undefined && !isNumber(argument)))
				return undefined;
			if (initial !== undefined && argument === undefined && !isNumber(initial)) return undefined;
			const value = argument ?? initial;
			const target = initial === undefined ? parameter : below(parameter, "left")!;
			const source = value === undefined ? "undefined" : this.#script.slice(value.start, value.end);
			const name = nameOf(target);
			const isReplaced = name !== "" && !changed.has(name) && counts.get(name) === 1;
			if (isReplaced && value !== undefined && (isNumber(value) || isFixed(value))) {
				names.set(name, source);
				continue;
			}
			const own = new Set<string>();
			addNames(target, own);
			const kind = [...own].some((one) => changed.has(one)) ? "let" : "const";
			text += `${kind} ${this.#renamed(target, usesBelow(code), names)} = ${source};\n`;
		}
		return text;
	}
}

function addMentioned(node: Node, names: Set<string>): void {
	if (node.type === "Identifier") names.add(nameOf(node));
	const key = propertyOf(node);
	for (const child of childrenOf(node)) if (child !== key) addMentioned(child, names);
}

function isCallOf(node: Node, callee: Node): boolean {
	return node.type === "CallExpression" && node["callee"] === callee && node["optional"] !== true;
}

function isInside({ start, end }: Node, outer: Node): boolean {
	return outer.start <= start && end <= outer.end;
}

function sizeOf(node: Node): number {
	return childrenOf(node).reduce((sum, child) => sum + sizeOf(child), 1);
}

/** True for a literal that costs nothing when it is repeated. */
function isNumber({ type, value }: Node): boolean {
	return type === "Literal" && (typeof value === "number" || typeof value === "boolean");
}

function isPure({ type }: Node): boolean {
	return /^(Literal|Identifier|ThisExpression|ArrowFunctionExpression)$/.test(type);
}

/** True if a variable of the caller has the name of something else that the body needs. */
function isHidden(needed: readonly string[], caller: Node): boolean {
	const names = declaredBelow(caller);
	return needed.some((name) => names.has(name));
}

/** True if the function has something that only works in a function of its own. */
function isBound(node: Node): boolean {
	if (node["async"] === true || node["generator"] === true || nameOf(node) === "arguments" || isClass(node))
		return true;
	if (/^(Super|MetaProperty|FunctionDeclaration)$/.test(node.type)) return true;
	if (node.type === "LabeledStatement" && !nameOf(below(node, "label")).startsWith(LABEL)) return true;
	return (node.type === "VariableDeclaration" && node["kind"] === "var") || childrenOf(node).some(isBound);
}

function onlyReturned(body: Node): Node | undefined {
	const [statement, ...others] = body["body"] as Node[];
	return statement?.type === "ReturnStatement" && others.length === 0 ? below(statement, "argument") : undefined;
}

interface Return {
	readonly node: Node;
	/** Loops and switches around it that `break` can leave, outermost first. */
	readonly inside: readonly Node[];
}

function isSwitch({ type }: Node): boolean {
	return type === "SwitchStatement";
}

function returnsBelow(node: Node, inside: readonly Node[] = []): Return[] {
	if (node.type === "ReturnStatement") return [{ node, inside }];
	if (FUNCTION.test(node.type)) return [];
	const around = isSwitch(node) || /^(For|While|DoWhile)/.test(node.type) ? [...inside, node] : inside;
	return childrenOf(node).flatMap((child) => returnsBelow(child, around));
}

/** Adds the `return` and `switch` statements after which nothing of the body follows. */
function addLast(statement: Node | undefined, found: Set<Node>): void {
	if (statement?.type === "ReturnStatement" || statement?.type === "SwitchStatement") found.add(statement);
	else if (statement?.type === "BlockStatement") addLast((statement["body"] as Node[]).at(-1), found);
	else if (statement?.type === "IfStatement") {
		addLast(below(statement, "consequent"), found);
		addLast(below(statement, "alternate"), found);
	}
}

function placeOf({ around }: Call): Place | undefined {
	const isStatement = ({ type }: Node) => /(?<!Block)Statement$|^VariableDeclaration$/.test(type);
	const at = around.findLastIndex((node) => FUNCTION.test(node.type) || isStatement(node));
	const statement = around[at];
	const [caller, ...nested] = around.filter(({ type }) => FUNCTION.test(type));
	if (statement === undefined || caller === undefined || nested.length > 0 || !isStatement(statement)) return undefined;
	const { type } = around[at - 1]!;
	// `continue` needs the label at its loop.
	if (type === "LabeledStatement") return undefined;
	return { statement, caller, isListed: /^(BlockStatement|SwitchCase)$/.test(type) };
}

/** Returns the expression that the statement evaluates before anything else. */
function evaluatedFirst(statement: Node): Node | undefined {
	switch (statement.type) {
		case "ReturnStatement":
		case "ThrowStatement":
			return below(statement, "argument");
		case "ExpressionStatement":
			return below(statement, "expression");
		case "IfStatement":
			return below(statement, "test");
		case "SwitchStatement":
			return below(statement, "discriminant");
		case "ForOfStatement":
			return statement["await"] === true ? undefined : below(statement, "right");
		case "VariableDeclaration":
			return below((statement["declarations"] as Node[])[0]!, "init");
		default:
			return undefined;
	}
}

/** Returns the name of the variable if the statement only stores the result of the call in a variable. */
function assignedVariable(statement: Node, call: Node): string | undefined {
	const declarations = (statement["declarations"] ?? []) as Node[];
	const expression = below(statement, "expression");
	if (declarations.length === 1 && declarations[0]!["init"] === call)
		return nameOf(below(declarations[0]!, "id")) || undefined;
	if (expression?.type !== "AssignmentExpression" || expression["operator"] !== "=") return undefined;
	return expression["right"] === call ? nameOf(below(expression, "left")) || undefined : undefined;
}

/** True if the expression always evaluates the call, and before it nothing that the call could change. */
function isFirst(node: Node | undefined, call: Node, changed: ReadonlySet<string>): boolean {
	if (node === undefined || node === call) return node === call;
	const parts = partsOf(node);
	const index = parts.findIndex((part) => isInside(call, part));
	const isFixed = (part: Node) => isPure(part) && !changed.has(nameOf(part));
	return index >= 0 && parts.slice(0, index).every(isFixed) && isFirst(parts[index], call, changed);
}

/** Returns the parts of an expression that are always evaluated, in this order. */
function partsOf(node: Node): Node[] {
	const parts = (...names: string[]) => names.flatMap((name) => below(node, name) ?? []);
	switch (node.type) {
		case "BinaryExpression":
			return parts("left", "right");
		case "LogicalExpression":
			return parts("left");
		case "ConditionalExpression":
			return parts("test");
		case "UnaryExpression":
		case "SpreadElement":
			return parts("argument");
		case "MemberExpression":
			return node["computed"] === true ? parts("object", "property") : parts("object");
		case "CallExpression":
		case "NewExpression":
			return [objectOf(below(node, "callee")!), ...(node["optional"] === true ? [] : (node["arguments"] as Node[]))];
		case "AssignmentExpression": {
			const left = below(node, "left")!;
			if (node["operator"] !== "=") return [];
			return left.type === "Identifier" ? parts("right") : [objectOf(left), ...parts("right")];
		}
		case "TemplateLiteral":
			return node["expressions"] as Node[];
		case "ArrayExpression":
			return childrenOf(node);
		case "ObjectExpression":
			if (childrenOf(node).some((member) => member["computed"] === true)) return [];
			return (node["properties"] as Node[]).map((member) => below(member, "value") ?? below(member, "argument")!);
		default:
			return [];
	}
}

/** In `a.b`, returns `a`: a call can replace fields, but no methods, and a field may be set after it. */
function objectOf(node: Node): Node {
	return node.type === "MemberExpression" && node["computed"] !== true ? below(node, "object")! : node;
}

export function withInlined(script: string): string {
	let number = 0;
	let text = script;
	for (let pass = 0; pass < PASSES; pass++) {
		const inliner = new Inliner(text, number);
		number = inliner.number;
		text = edited(text, inliner.edits);
	}
	return text;
}
