/** Access to a DLMS/COSEM meter. What is secret is told to the gateway, never by it. */
import { useState } from "preact/hooks";
import { post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { Form } from "../kit/form.js";
import { announce, Button, Card, Pending } from "../kit/parts.js";
import { t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { SPEEDS } from "./speeds.js";

const PATH = "dlms/config";
/** Largest HDLC address of two bytes. */
const ADDRESS_LIMIT = 16_383;
/** A client has one byte. */
const CLIENT_LIMIT = 127;
const KEY_FORM = /^[\dA-Fa-f]{32}$/;

const needsKeys = (draft: Draft) => draft["use_encryption"] === true || draft["auth"] === "high_gmac";

const SECRETS = [
	{
		name: "password",
		label: "dlms.password",
		kind: "secret",
		max: 64,
		pattern: /^[ -~]*$/,
		storedFlag: "password_set",
		when: ({ auth }: Draft) => auth === "low",
	},
	{
		name: "block_cipher_key",
		label: "dlms.key",
		help: "dlms.key.help",
		kind: "secret",
		pattern: KEY_FORM,
		storedFlag: "block_cipher_key_set",
		when: needsKeys,
	},
	{
		name: "auth_key",
		label: "dlms.authkey",
		help: "dlms.key.help",
		kind: "secret",
		pattern: KEY_FORM,
		storedFlag: "auth_key_set",
		when: needsKeys,
	},
] as const satisfies readonly FieldSpec[];

const FIELDS: readonly FieldSpec[] = [
	{
		name: "opening",
		label: "dlms.opening",
		help: "dlms.opening.help",
		kind: "choice",
		choices: [
			{ value: "auto", label: t("dlms.opening.auto") },
			{ value: "mode_e", label: t("dlms.opening.greeting") },
			{ value: "direct", label: t("dlms.opening.direct") },
		],
	},
	{
		name: "baudrate",
		label: "dlms.baudrate",
		kind: "choice",
		choices: SPEEDS,
		when: ({ opening }) => opening !== "mode_e",
	},
	{
		name: "auth",
		label: "dlms.auth",
		kind: "choice",
		choices: [
			{ value: "none", label: t("dlms.auth.none") },
			{ value: "low", label: t("dlms.auth.low") },
			{ value: "high_gmac", label: t("dlms.auth.high") },
		],
	},
	{ name: "use_encryption", label: "dlms.encryption", kind: "toggle" },
	...SECRETS,
	{ name: "client_address", label: "dlms.client", help: "dlms.client.help", kind: "number", max: CLIENT_LIMIT },
	{ name: "server_logical", label: "dlms.logical", help: "dlms.logical.help", kind: "number", max: ADDRESS_LIMIT },
	{ name: "server_physical", label: "dlms.physical", help: "dlms.physical.help", kind: "number", max: ADDRESS_LIMIT },
	{
		name: "server_address_length",
		label: "dlms.length",
		kind: "choice",
		choices: [0, 1, 2, 4].map((value) => ({
			value,
			label: value === 0 ? t("dlms.length.auto") : t("dlms.length.bytes", { n: value }),
		})),
	},
	{ name: "receive_timeout_ms", label: "dlms.timeout", kind: "number", min: 100, max: 30_000, unit: "ms" },
];

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
