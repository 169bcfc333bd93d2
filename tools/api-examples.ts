/**
 * `npm run api -- --examples`: writes what a client sends and what the device answers into docs/api.md,
 * from the examples in modules/api/openapi.json, between two marks. `--check` after it changes nothing, and ends with 1
 * where the file is not what it would write.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

// biome-ignore lint/suspicious/noExplicitAny: JSON, whose form test/api/openapi.test.ts checks
type Node = any;

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
const GUIDE = join(ROOT, "docs", "api.md");
const DOCUMENT: Node = JSON.parse(readFileSync(join(ROOT, "modules/api/openapi.json"), "utf8"));
const BEGIN = "<!-- examples: made by npm run api -- --examples -->";
const END = "<!-- end of examples -->";
const PREFIX = "/api/v1/";
const METHODS = ["get", "post", "delete"];
/** Characters of a line. */
const WIDTH = 110;

function resolve(node: Node): Node {
	if (!("$ref" in node)) return node;
	let target = DOCUMENT;
	for (const step of node.$ref.split("/").slice(1)) target = target[step];
	return resolve(target);
}

function contentOf(operation: Node): Node {
	return resolve(operation.responses[200]).content?.["application/json"];
}

/** JSON of which no line is longer than it must be. */
function pretty(value: unknown, indent = ""): string {
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const isList = Array.isArray(value);
	const inner = `${indent}\t`;
	const members = Object.entries(value).map(([name, one]) => {
		return (isList ? "" : `${JSON.stringify(name)}: `) + pretty(one, inner);
	});
	const [open, close] = isList ? ["[", "]"] : ["{", "}"];
	const line = isList ? `[${members.join(", ")}]` : `{ ${members.join(", ")} }`;
	if (!line.includes("\n") && indent.length * 4 + line.length <= WIDTH) return line;
	return `${open}\n${members.map((one) => inner + one).join(",\n")}\n${indent}${close}`;
}

/** `$B` and `$TOKEN` are those of its first readout. */
function command(path: string, method: string, operation: Node): string {
	const { parameters = [], requestBody, security } = operation;
	let url = path.replace(PREFIX, "$B/");
	for (const { name, in: place, example } of parameters) if (place === "path") url = url.replace(`{${name}}`, example);
	const parts = ["curl -sk", security ? "" : '-H "Authorization: Bearer $TOKEN"', url];
	if (method === "delete") parts.push("-X DELETE");
	else if (method === "post" && requestBody === undefined) parts.push("-X POST");
	else if (requestBody?.content["text/plain"]) parts.push("--data-binary @chain-and-key.pem");
	const line = parts.filter((part) => part !== "").join(" ");
	const json = requestBody?.content["application/json"];
	if (json === undefined) return line;
	const data = `-d '${JSON.stringify(json.example)}'`;
	return `${line}${line.length + data.length < WIDTH ? " " : " \\\n\t"}${data}`;
}

/** The same reply as that of the POST which sets what this GET shows. */
function isRepeated(item: Node, method: string): boolean {
	const [own, other] = [contentOf(item[method])?.schema, item.post && contentOf(item.post)?.schema];
	return method === "get" && other !== undefined && JSON.stringify(own) === JSON.stringify(other);
}

function example(path: string, method: string, operation: Node): string {
	const { [200]: reply } = operation.responses;
	const json = contentOf(operation);
	const shown = json === undefined ? `${resolve(reply).description}.` : `\`\`\`json\n${pretty(json.example)}\n\`\`\``;
	const name = path.replace(PREFIX, "").replace("{", "<").replace("}", ">");
	const title = `**${method.toUpperCase()} \`${name}\`** ${operation.summary}`;
	return `${title}\n\n\`\`\`sh\n${command(path, method, operation)}\n\`\`\`\n\n${shown}\n`;
}

function group({ name, description }: Node): string {
	const examples = Object.entries<Node>(DOCUMENT.paths).flatMap(([path, item]) =>
		METHODS.filter((method) => item[method]?.tags.includes(name) && !isRepeated(item, method)).map((method) =>
			example(path, method, item[method]),
		),
	);
	return `<details>\n<summary>${name}: ${description}</summary>\n\n${examples.join("\n")}\n</details>\n`;
}

function withExamples(guide: string): string {
	const [start, end] = [guide.indexOf(BEGIN), guide.indexOf(END)];
	if (start < 0 || end < start) throw new Error(`docs/api.md has no "${BEGIN}" with "${END}" after it`);
	return `${guide.slice(0, start)}${BEGIN}\n\n${DOCUMENT.tags.map(group).join("\n")}\n${guide.slice(end)}`;
}

function main(args: readonly string[]): number {
	if (args.some((arg) => arg !== "--check")) {
		console.error("Usage: npm run api -- --examples [--check]");
		return 2;
	}
	const guide = readFileSync(GUIDE, "utf8");
	const wanted = withExamples(guide);
	if (wanted === guide) return 0;
	if (args.length === 0) writeFileSync(GUIDE, wanted);
	console.log(args.length === 0 ? "docs/api.md: written" : "docs/api.md: differs; run: npm run api -- --examples");
	return args.length;
}

process.exitCode = main(process.argv.slice(2));
