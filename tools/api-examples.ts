/** For `npm run api -- --make`: makes the marked sections of docs/api.md from the API's description. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
	bounds,
	conditions,
	DOCUMENT,
	formatted,
	initialOf,
	nameOf,
	type Operation,
	operationsOf,
	resolve,
} from "./api/document.js";
import { type Node, ROOT } from "./api/files.js";

const GUIDE = join(ROOT, "docs", "api.md");
const WIDTH = 110;

const PARTS: Readonly<Record<string, () => string>> = {
	routes: () => tagged(({ name }) => table(["route", "what it does"], operationsOf(name).map(routeRow))),
	errors: () =>
		table(
			["status", "`error`", "what happened"],
			DOCUMENT.components.schemas.Error.properties.error.oneOf.map(errorRow),
		),
	fields: () => tagged(({ name }) => operationsOf(name).flatMap(fields).join("\n")),
	examples: () => DOCUMENT.tags.map(group).join("\n"),
};

interface Tag {
	readonly name: string;
	readonly description: string;
}

function tagged(part: (tag: Tag) => string): string {
	const parts = DOCUMENT.tags.map((tag: Tag) => ({ tag, text: part(tag) }));
	return parts
		.filter(({ text }: { text: string }) => text !== "")
		.map(({ tag, text }: { tag: Tag; text: string }) => `**${tag.name}**: ${tag.description}\n\n${text}`)
		.join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head, head.map(() => "---"), ...rows];
	return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
}

function titleOf({ path, method }: Operation): string {
	return `${method.toUpperCase()} \`${nameOf(path)}\``;
}

function routeRow(one: Operation): string[] {
	const { summary, description, parameters = [], security, "x-scope": scope } = one.operation;
	const query = parameters.filter((parameter: Node) => parameter.in === "query");
	const sentences = [summary, description, security && "Needs no token.", scope === "read" && "Scope `read`."];
	for (const { name, description } of query) sentences.push(`\`?${name}=\`: ${description}`);
	const text = sentences.filter(Boolean).map((sentence: string) => sentence.replace(/\.?$/, "."));
	return [titleOf(one), text.join(" ")];
}

function errorRow({ const: code, description, "x-status": own }: Node): string[] {
	const statuses = new Set<string>(own === undefined ? [] : [String(own)]);
	for (const { operation } of DOCUMENT.tags.flatMap(({ name }: Tag) => operationsOf(name)))
		for (const [status, given] of Object.entries<Node>(operation.responses)) {
			const { schema } = resolve(given).content?.["application/json"] ?? {};
			if (schema?.properties?.error?.enum.includes(code)) statuses.add(status);
		}
	return [[...statuses].sort().join(", "), `\`${code}\``, description];
}

function fields(one: Operation): string[] {
	const { requestBody } = one.operation;
	const schema = requestBody && resolve(Object.values<Node>(requestBody.content)[0].schema);
	if (schema === undefined) return [];
	const size = `at most ${requestBody["x-max-bytes"]} bytes`;
	if (schema.properties === undefined) return [`${titleOf(one)}: PEM text, ${bounds(schema)}\n`];
	const remark = schema.description ? `. ${schema.description}` : "";
	const together = conditions(schema).map((line) => `- ${line}\n`);
	const rows = table(["field", "value", "default", "meaning"], fieldRows(schema, ""));
	return [`${titleOf(one)}, ${size}${remark}:\n\n${rows}${together.length > 0 ? `\n${together.join("")}` : ""}`];
}

function fieldRows(schema: Node, prefix: string): string[][] {
	const { required = [], properties } = schema;
	return Object.entries<Node>(properties).flatMap(([name, given]) => {
		const field = resolve(given);
		const mark = required.includes(name) ? "**" : "";
		const row = [`${mark}\`${prefix}${name}\`${mark}`, bounds(field), initialOf(field), field.description ?? ""];
		const items = field.items && resolve(field.items);
		return [row, ...(items?.properties ? fieldRows(items, `${prefix}${name}[].`) : [])];
	});
}

function contentOf(operation: Node): Node {
	return resolve(operation.responses[200]).content?.["application/json"];
}

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

function command({ path, method, operation }: Operation): string {
	const { parameters = [], requestBody, security } = operation;
	let url = path.replace("/api/v1/", "$B/");
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

/** Returns true for a GET whose reply equals the reply of the POST for the same settings. */
function isRepeated({ path, method, operation }: Operation): boolean {
	const { post } = DOCUMENT.paths[path];
	const [own, other] = [contentOf(operation)?.schema, post && contentOf(post)?.schema];
	return method === "get" && other !== undefined && JSON.stringify(own) === JSON.stringify(other);
}

function example(one: Operation): string {
	const { summary, responses } = one.operation;
	const json = contentOf(one.operation);
	const shown =
		json === undefined ? `${resolve(responses[200]).description}.` : `\`\`\`json\n${pretty(json.example)}\n\`\`\``;
	return `**${titleOf(one)}** ${summary}\n\n\`\`\`sh\n${command(one)}\n\`\`\`\n\n${shown}\n`;
}

function group({ name, description }: Tag): string {
	const examples = operationsOf(name)
		.filter((one) => !isRepeated(one))
		.map(example);
	return `<details>\n<summary>${name}: ${description}</summary>\n\n${examples.join("\n")}\n</details>\n`;
}

function withParts(guide: string): string {
	let text = guide;
	for (const [name, make] of Object.entries(PARTS)) {
		const [begin, end] = [`<!-- ${name}: made by npm run api -- --make -->`, `<!-- end of ${name} -->`];
		const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
		if (start < 0 || stop < start) throw new Error(`docs/api.md has no "${begin}" with "${end}" after it`);
		text = `${text.slice(0, start)}${begin}\n\n${make()}\n${text.slice(stop)}`;
	}
	return text;
}

export interface GuideFile {
	readonly path: string;
	readonly text: string;
}

export function guideFile(): GuideFile {
	return { path: GUIDE, text: formatted(GUIDE, withParts(readFileSync(GUIDE, "utf8"))) };
}
