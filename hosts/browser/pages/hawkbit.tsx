/** Roll-out by an Eclipse hawkBit server: the result of the last poll, and the settings. */
import { useRef } from "preact/hooks";
import { HAWKBIT } from "../kit/bodies.js";
import { Card, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import type { FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { refresh, status } from "../kit/live.js";
import type { Hawkbit } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { isText, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { certificateField, isOn, Outcome, stateText } from "./output.js";

const PATH = "hawkbit";

export function HawkbitCard() {
	const { value, error, reload, put } = useDevice<Hawkbit>(PATH);
	const now = useStore(status);
	/** The certificate that was stored last. The form still shows it. */
	const sent = useRef<unknown>("");
	return (
		<Card title={t("hawkbit.title")}>
			<p>{t("hawkbit.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<>
					{value.enabled && (
						<Outcome
							enabled
							state={now?.hawkbit_state}
							sentS={now?.hawkbit_polled}
							name="hawkBit"
							sent="hawkbit.polled"
							waiting="out.never"
							textOf={textOf}
						/>
					)}
					<Form
						fields={fields(value)}
						values={{ ...value }}
						submit={async ({ cert = "", ...values }) => {
							// A certificate is sent only if it is new. An empty one would delete the stored one, and a request with a
							// certificate needs the token again.
							const isNew = cert !== "" && cert !== sent.current;
							put(await post<Hawkbit>(PATH, isNew ? { ...values, cert } : values));
							sent.current = cert;
							refresh().catch(() => undefined);
						}}
					/>
				</>
			)}
		</Card>
	);
}

/** Failures of the connection are the same as of the publishers. */
function textOf(state: string): string {
	const key = `hawkbit.${state}`;
	return isText(key) ? t(key) : stateText(state);
}

function fields({ cert_max_size, cert_set }: Hawkbit): readonly FieldSpec[] {
	return fieldsOf(HAWKBIT, [
		{ name: "enabled", label: "hawkbit.enabled", kind: "toggle" },
		{
			name: "url",
			label: "hawkbit.url",
			kind: "text",
			pattern: /^https:\/\/[^\s/?#@\\]+(\/[^?#\s\\]*)?$/i,
			form: { says: "hawkbit.url.help" },
			required: true,
			when: isOn,
		},
		{
			name: "token",
			label: "hub.token",
			help: "hawkbit.token.help",
			kind: "secret",
			storedFlag: "token_set",
			when: isOn,
		},
		{
			name: "token_kind",
			label: "hawkbit.kind",
			kind: "choice",
			choices: choicesOf(HAWKBIT.token_kind, (value) => t(`hawkbit.kind.${value}`)),
			when: isOn,
		},
		certificateField("hub.cert.help", cert_max_size, !cert_set),
		{ name: "tenant", label: "hawkbit.tenant", kind: "text", required: true, isRare: true, when: isOn },
		{ name: "controller_id", label: "hawkbit.id", help: "hawkbit.id.help", kind: "text", isRare: true, when: isOn },
	]);
}
