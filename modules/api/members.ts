/** Functions that write one member of a JSON object, with name and value. */
import type { JSONWriter } from "../json/writer.js";

export function textMember(writer: JSONWriter, name: string, value: string): void {
	writer.key(name);
	writer.string(value);
}

export function numberMember(writer: JSONWriter, name: string, value: number): void {
	writer.key(name);
	writer.number(value);
}

export function booleanMember(writer: JSONWriter, name: string, value: boolean): void {
	writer.key(name);
	writer.boolean(value);
}
