/** Form for the time zone, used on the system page and in the wizard. */

import type { ComponentChildren } from "preact";
import { Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import type { FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import type { Timezone as TimeZone } from "../kit/replies.js";
import { useDevice } from "../kit/use-device.js";

const PATH = "system/timezone";

interface TimeZoneFormProps {
	/** True if the form suggests the browser's zone when the gateway has none. */
	readonly suggest?: boolean;
	readonly submitLabel?: string;
	/** Message after success. If it is "", there is no message. */
	readonly doneText?: string;
	onSaved?(timezone: string): void;
	/** Content beside the button. */
	readonly actions?: ComponentChildren;
}

/** Returns the time zone of this browser, or "" if it is unknown. */
function browserZone(): string {
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
	return zone === "UTC" || zone.startsWith("Etc/") ? "" : zone;
}

/** Returns a field with all zones that the browser knows, and the current one. */
function fieldFor(current: string): FieldSpec {
	const names = new Set([...Intl.supportedValuesOf("timeZone"), browserZone(), current]);
	names.delete("");
	if (current !== "UTC") names.delete("UTC");
	const choices = [...names].sort().map((name) => ({ value: name, label: name.replace(/_/g, " ") }));
	return {
		name: "timezone",
		label: "zone.label",
		help: "zone.help",
		kind: "choice",
		choices: [{ value: "", label: "UTC" }, ...choices],
	};
}

export function TimeZoneForm({ suggest, onSaved, ...form }: TimeZoneFormProps) {
	const { value, error, reload, put } = useDevice<TimeZone>(PATH);
	if (value === undefined) return <Pending error={error} reload={reload} />;
	const start = suggest && value.timezone === "" ? browserZone() : value.timezone;
	return (
		<Form
			{...form}
			fields={[fieldFor(start)]}
			values={{ timezone: start }}
			submit={async (values) => {
				const stored = await post<TimeZone>(PATH, values);
				put(stored);
				onSaved?.(stored.timezone);
			}}
		/>
	);
}
