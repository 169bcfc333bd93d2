/** `npm run api`: makes a page from the API's description, and prints the paths of page and description. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	bounds,
	conditions,
	DOCUMENT,
	initialOf,
	nameOf,
	names,
	type Operation,
	operationsOf,
	resolve,
} from "./api/document.js";
import { COMPLETE, type Node, ROOT } from "./api/files.js";

const PAGE = join(ROOT, ".build", "api.html");
const COMMON_STATUSES = ["401", "403", "413", "500", "503"];

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5dae1, #363c46); --dim: light-dark(#5a6472, #9aa5b4);
	--card: light-dark(#f6f8fa, #1c2027); --get: light-dark(#0b6bcb, #6cb6ff); --post: light-dark(#1a7f37, #57c878);
	--delete: light-dark(#c4314b, #ff7b8a); }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fff, #14171c); color: light-dark(#1b1f24, #dfe5ec); }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { margin: 0; } h2 { margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
h2 small, .dim, dd, td.notes { color: var(--dim); } h2 small { font-weight: normal; font-size: .6em; margin-left: .5em; }
code, pre, .path { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
a { color: var(--get); } nav a { margin-right: .9em; } p { margin: .5em 0; }
details.route { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; background: var(--card); overflow: hidden; }
details.route > summary { padding: .45rem .8rem; cursor: pointer; display: flex; flex-wrap: wrap; gap: 0 .8rem; align-items: baseline; }
details.route > div { padding: .2rem .8rem .8rem; border-top: 1px solid var(--line); }
.method { font-weight: 700; width: 4.2em; } .get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
.path { min-width: 19em; } summary .what { color: var(--dim); flex: 1 1 14em; }
h4 { margin: 1rem 0 .2rem; } table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .15rem .8rem .15rem 0; border-top: 1px solid var(--line); }
td:first-child { white-space: nowrap; } table table { margin: .2rem 0; }
pre { margin: .3rem 0; padding: .5rem .7rem; border: 1px solid var(--line); border-radius: 4px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.open { border: 1px solid var(--line); border-radius: 9px; padding: 0 .5em; font-size: .85em; }
@media print { details.route > div { display: block; } }
`;

function text(value: unknown): string {
	return String(value)
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;");
}

/** Converts text to HTML. Backquotes mark code; there is no other markup. */
function prose(value = ""): string {
	return text(value).replace(/`([^`]+)`/g, "<code>$1</code>");
}

function allowedOf(schema: Node): string {
	const pattern = schema.pattern ? `, <code>${text(schema.pattern)}</code>` : "";
	const initial = initialOf(schema);
	return prose(bounds(schema)) + pattern + (initial === "" ? "" : `, default ${prose(initial)}`);
}

function members(given: Node): string {
	const schema = resolve(given);
	if (schema.type === "array") return members(schema.items);
	if (!schema.properties) return "";
	const required: string[] = schema.required ?? [];
	const rows = Object.entries<Node>(schema.properties).map(([name, one]) => {
		const field = resolve(one);
		const mark = required.includes(name) ? "" : " <small class=dim>optional</small>";
		const codes = field.oneOf ? codeList(field.oneOf) : "";
		return (
			`<tr><td><code>${text(name)}</code>${mark}<td>${allowedOf(field)}` +
			`<td class=notes>${prose(field.description)}${codes}${members(field)}`
		);
	});
	const together = conditions(schema).map((line) => `<li>${prose(line)}`);
	return `<table>${rows.join("")}</table>${together.length === 0 ? "" : `<ul>${together.join("")}</ul>`}`;
}

function codeList(choices: Node[]): string {
	return `<table>${choices.map((one) => `<tr><td><code>${text(one.const)}</code><td>${prose(one.description)}`).join("")}</table>`;
}

function content(title: string, types: Node): string {
	return Object.entries<Node>(types ?? {})
		.map(([type, { schema, example }]) => {
			const shown = typeof example === "string" ? example : JSON.stringify(example, undefined, 2);
			const remark = prose(resolve(schema).description);
			const sample = example === undefined ? "" : `<pre>${text(shown)}</pre>`;
			return `<h4>${title} <small class=dim>${text(type)}</small></h4><p class=dim>${remark}</p>${members(schema)}${sample}`;
		})
		.join("");
}

function responses(operation: Node): string {
	const rows = Object.entries<Node>(operation.responses).map(([status, given]) => {
		const { description, content: types } = resolve(given);
		const codes: string[] = types?.["application/json"]?.schema.properties?.error?.enum ?? [];
		const dim = COMMON_STATUSES.includes(status) ? " class=dim" : "";
		return `<tr${dim}><td>${status}<td>${prose(description)}<td>${prose(names(codes))}`;
	});
	return `<h4>Statuses</h4><table>${rows.join("")}</table>`;
}

function route({ path, method, operation }: Operation): string {
	const { parameters = [], requestBody, description = "" } = operation;
	const query = parameters.map((one: Node) => {
		return `<tr><td><code>${text(one.name)}</code> <small class=dim>${one.in}</small><td>${allowedOf(one.schema)}<td class=notes>${prose(one.description)}`;
	});
	const most = requestBody?.["x-max-bytes"];
	const size = most ? ` <small class=dim>at most ${most} bytes</small>` : "";
	return [
		`<details class=route id="${operation.operationId}"><summary><span class="method ${method}">${method.toUpperCase()}</span>`,
		`<span class=path>${text(nameOf(path))}</span><span class=what>${prose(operation.summary)}</span>`,
		operation.security ? "<span class=open>no token</span>" : "",
		operation["x-scope"] === "read" ? "<span class=open>scope read</span>" : "",
		`</summary><div><p>${prose(description)}</p>`,
		query.length > 0 ? `<h4>Parameters</h4><table>${query.join("")}</table>` : "",
		content(`Request${size}`, requestBody?.content),
		content("Reply", resolve(operation.responses[200]).content),
		responses(operation),
		"</div></details>",
	].join("");
}

function page(): string {
	const { info, tags, servers, components } = DOCUMENT;
	const sections = tags.map(({ name, description }: Node) => {
		const routes = operationsOf(name).map(route);
		return `<h2 id="${name}">${name}<small>${prose(description)}</small></h2>${routes.join("")}`;
	});
	const bases = servers.map((one: Node) => `<li><code>${text(one.url)}/api/v1/</code> ${prose(one.description)}`);
	return [
		`<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width">`,
		`<title>${text(info.title)}: API</title><style>${STYLE}</style><main><h1>${text(info.title)}: API</h1>`,
		`<nav>${tags.map(({ name }: Node) => `<a href="#${name}">${name}</a>`).join("")}<a href="#Errors">Errors</a></nav>`,
		...info.description.split("\n\n").map((paragraph: string) => `<p>${prose(paragraph)}</p>`),
		`<ul>${bases.join("")}</ul><p><code>Authorization: Bearer &lt;token&gt;</code> `,
		`${prose(components.securitySchemes.token.description)}</p>${sections.join("")}`,
		`<h2 id=Errors>Errors</h2><p>${prose(components.schemas.Error.description)}</p>${members(components.schemas.Error)}</main>`,
	].join("\n");
}

writeFileSync(PAGE, page());
console.log(`${PAGE}\n${COMPLETE}`);
