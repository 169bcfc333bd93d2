/** Roll-out by an Eclipse hawkBit server: the result of the last poll, and the settings. */
import { useRef } from "preact/hooks";
import { HAWKBIT } from "../kit/bodies.js";
import { Card, Chip, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { formatMoment } from "../kit/format.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { refresh, status } from "../kit/live.js";
import type { Hawkbit } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { isText, language, t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";

const PATH = "hawkbit";
/** States that are not failures. */
const HEALTHY_STATES = ["off", "ok", "waiting"];

export function HawkbitCard() {
	const { value, error, reload, put } = useDevice<Hawkbit>(PATH);
	/** The certificate that was stored last. The form still shows it. */
	const sent = useRef<unknown>("");
	return (
		<Card title={t("hawkbit.title")}>
			<p>{t("hawkbit.intro")}</p>
			{value === undefined ? (
				<Pending error={error} reload={reload} />
			) : (
				<>
					{value.enabled && <Outcome />}
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

function Outcome() {
	const { hawkbit_polled: polledS = 0, hawkbit_state: state = "waiting" } = useStore(status) ?? {};
	const { timeZone, zoneName } = useZone();
	const hasFailed = !HEALTHY_STATES.includes(state);
	const key = `hawkbit.${state}`;
	return (
		<>
			<p class="chips">
				<Chip state={hasFailed ? "warning" : state === "ok" ? "good" : "off"} name="hawkBit">
					{t(hasFailed ? "state.failed" : state === "ok" ? "state.ok" : "out.never")}
				</Chip>
			</p>
			{polledS > 0 && (
				<Facts>
					<Fact name={t("hawkbit.polled")}>{`${formatMoment(polledS, language, timeZone)} ${zoneName}`}</Fact>
				</Facts>
			)}
			{hasFailed && <Notice kind="warning">{isText(key) ? t(key) : t("hawkbit.other", { error: state })}</Notice>}
		</>
	);
}

const isOn = ({ enabled }: Draft) => enabled === true;

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
		{
			name: "cert",
			label: "hawkbit.cert",
			kind: "area",
			accept: ".pem,.crt,.cer,.txt",
			max: cert_max_size,
			pattern: /-----BEGIN CERTIFICATE-----/,
			form: { says: "form.pem" },
			refused: "refused.pem",
			required: !cert_set,
			when: isOn,
		},
		{ name: "tenant", label: "hawkbit.tenant", kind: "text", required: true, isRare: true, when: isOn },
		{ name: "controller_id", label: "hawkbit.id", help: "hawkbit.id.help", kind: "text", isRare: true, when: isOn },
	]);
}
