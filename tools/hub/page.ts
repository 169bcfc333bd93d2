/** Web page of the stand-in for Home Assistant, with the entities that it has received. */
import type { Entity } from "./entity.js";

const STYLE = `body{font:16px system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #ccc}
td.value{text-align:right;font-variant-numeric:tabular-nums}code{color:#555}`;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: unknown): string {
	return String(text ?? "").replace(/[&<>"]/g, (character) => ESCAPES[character]);
}

export function page(entities: readonly Entity[]): string {
	const rows = entities.map(({ entity_id, state, attributes, last_reported }) => {
		const { friendly_name, unit_of_measurement, device_class, state_class } = attributes;
		return `<tr><td>${escaped(friendly_name)}<br><code>${escaped(entity_id)}</code></td>
<td class="value">${escaped(state)} ${escaped(unit_of_measurement)}</td>
<td>${escaped(device_class)}<br>${escaped(state_class)}</td><td>${escaped(last_reported.slice(11, 19))}</td></tr>`;
	});
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<title>Stand-in for Home Assistant</title><style>${STYLE}</style></head>
<body><h1>Stand-in for Home Assistant</h1>
<p>${entities.length === 0 ? "Nothing has been sent yet." : `${entities.length} entities`}</p>
<table><tr><th>Entity</th><th>State</th><th>Class</th><th>Sent (UTC)</th></tr>
${rows.join("\n")}</table></body></html>
`;
}
