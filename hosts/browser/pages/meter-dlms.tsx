/** Access to a DLMS/COSEM meter. What is secret is told to the gateway, never by it. */
import { useState } from "preact/hooks";
import { DLMS_CONFIG } from "../kit/bodies.js";
import { post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { announce, Button, Card, Pending } from "../kit/parts.js";
import { t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { SPEEDS, speedText } from "./speeds.js";

const PATH = "dlms/config";
const OPENINGS = {
	auto: "dlms.opening.auto",
	mode_e: "dlms.opening.greeting",
	direct: "dlms.opening.direct",
} as const;
const AUTHS = {
	none: "dlms.auth.none",
	low: "login.password",
	high_gmac: "dlms.auth.high",
	high_sha256: "dlms.auth.sha",
} as const;
/** What the meter tells in UTC+1, in minutes. */
const DEVIATIONS = { standard: "UTC+1 = −60", swapped: "UTC+1 = +60" } as const;

const isAsked = ({ push_baudrate }: Draft) => !Number(push_baudrate);
const needsKeys = (draft: Draft) =>
	!isAsked(draft) || draft["use_encryption"] === true || draft["auth"] === "high_gmac";

const SECRETS = [
	{
		name: "password",
		label: "dlms.password",
		kind: "secret",
		storedFlag: "password_set",
		when: (draft: Draft) => isAsked(draft) && (draft["auth"] === "low" || draft["auth"] === "high_sha256"),
	},
	{
		name: "block_cipher_key",
		label: "dlms.key",
		help: "dlms.key.help",
		kind: "secret",
		storedFlag: "block_cipher_key_set",
		when: needsKeys,
	},
	{
		name: "auth_key",
		label: "dlms.authkey",
		help: "dlms.key.help",
		kind: "secret",
		storedFlag: "auth_key_set",
		when: needsKeys,
	},
] as const satisfies readonly FieldSpec[];

const FIELDS = fieldsOf(DLMS_CONFIG, [
	{
		name: "push_baudrate",
		label: "iec.push",
		kind: "choice",
		choices: choicesOf(DLMS_CONFIG.push_baudrate, (value) => (value === 0 ? t("off") : speedText(value))),
	},
	{
		name: "opening",
		label: "dlms.opening",
		help: "dlms.opening.help",
		kind: "choice",
		when: isAsked,
		choices: choicesOf(DLMS_CONFIG.opening, (value) => t(OPENINGS[value])),
	},
	{
		name: "baudrate",
		label: "dlms.baudrate",
		kind: "choice",
		choices: SPEEDS,
		when: (draft) => isAsked(draft) && draft["opening"] !== "mode_e",
	},
	{
		name: "auth",
		label: "dlms.auth",
		kind: "choice",
		when: isAsked,
		choices: choicesOf(DLMS_CONFIG.auth, (value) => t(AUTHS[value])),
	},
	{ name: "use_encryption", label: "dlms.encryption", kind: "toggle", when: isAsked },
	{
		name: "security_suite",
		label: "dlms.suite",
		kind: "choice",
		choices: choicesOf(DLMS_CONFIG.security_suite, String),
		when: (draft) => isAsked(draft) && needsKeys(draft),
	},
	...SECRETS,
	{ name: "client_address", label: "dlms.client", help: "dlms.client.help", kind: "number", when: isAsked },
	{ name: "server_logical", label: "dlms.logical", help: "dlms.logical.help", kind: "number", when: isAsked },
	{ name: "server_physical", label: "dlms.physical", help: "dlms.physical.help", kind: "number", when: isAsked },
	{
		name: "server_address_length",
		refused: "refused.length",
		label: "dlms.length",
		kind: "choice",
		when: isAsked,
		choices: choicesOf(DLMS_CONFIG.server_address_length, (value) =>
			value === 0 ? t("dlms.length.auto") : t("dlms.length.bytes", { n: value }),
		),
	},
	{ name: "receive_timeout_ms", label: "dlms.timeout", kind: "number", unit: "ms", when: isAsked },
	{ name: "release", label: "dlms.release", kind: "toggle", when: isAsked },
	{
		name: "deviation",
		label: "dlms.deviation",
		kind: "choice",
		choices: choicesOf(DLMS_CONFIG.deviation, (value) => DEVIATIONS[value]),
		when: isAsked,
	},
]);

export function DLMSCard() {
	const { value, error, reload, put } = useDevice<Draft>(PATH);
	const [forgotten, setForgotten] = useState<(typeof SECRETS)[number]>();
	if (value === undefined) {
		return (
			<Card title={t("dlms.title")}>
				<Pending error={error} reload={reload} />
			</Card>
		);
	}
	const stored = SECRETS.filter(({ storedFlag }) => value[storedFlag] === true);
	return (
		<Card title={t("dlms.title")}>
			<p>{t("dlms.intro")}</p>
			<Form fields={FIELDS} values={value} submit={async (values) => put(await post<Draft>(PATH, values))} />
			{stored.length > 0 && (
				<div class="actions">
					{stored.map((secret) => (
						<Button key={secret.name} name={`forget-${secret.name}`} onClick={() => setForgotten(secret)}>
							{t("dlms.forget", { what: t(secret.label) })}
						</Button>
					))}
				</div>
			)}
			{forgotten && (
				<Confirm
					title={t("dlms.forget", { what: t(forgotten.label) })}
					action={t("secret.clear")}
					danger
					run={async () => {
						put(await post<Draft>(PATH, { [forgotten.name]: "" }));
						announce(t("saved"));
					}}
					onClose={() => setForgotten(undefined)}
				>
					<p>{t("dlms.forget.help")}</p>
				</Confirm>
			)}
		</Card>
	);
}
