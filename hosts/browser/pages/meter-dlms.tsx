/** Settings for access to a DLMS/COSEM meter. Secrets cannot be read back from the gateway. */
import { useState } from "preact/hooks";
import { DLMS_CONFIG } from "../kit/bodies.js";
import { announce, Button, Card, Pending } from "../kit/components.js";
import { post } from "../kit/device.js";
import { Confirm } from "../kit/dialog.js";
import type { Draft, FieldSpec, FieldValue } from "../kit/fields.js";
import { Form, SettingsCard } from "../kit/form.js";
import { choicesOf, fieldsOf } from "../kit/limits.js";
import { type Readout, reading, readNow, readout } from "../kit/live.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { useDevice } from "../kit/use-device.js";
import { FindingNotice } from "./meter-finding.js";
import { SPEEDS, speedText } from "./speeds.js";

const PATH = "dlms/config";
const CLOCK = "0-0:1.0.0";
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
/** Conventions for the clock deviation, shown by the minutes that the meter sends in UTC+1. */
const DEVIATIONS = { standard: "UTC+1 = −60", swapped: "UTC+1 = +60" } as const;

/** Usual client address for each kind of authentication (public, reading, management client). */
const CLIENTS: Readonly<Record<string, string>> = { none: "16", low: "32", high_gmac: "1" };

/** Sets the usual address, unless the owner has entered another one. */
function clientOf(auth: FieldValue, { client_address }: Draft): Draft {
	const usual = CLIENTS[String(auth)];
	const isOwn = !Object.values(CLIENTS).includes(String(client_address));
	return usual === undefined || isOwn ? {} : { client_address: usual };
}

const isPolled = ({ push_baudrate }: Draft) => !Number(push_baudrate);
const needsKeys = (draft: Draft) =>
	!isPolled(draft) || draft["use_encryption"] === true || draft["auth"] === "high_gmac";

const SECRETS = [
	{
		name: "password",
		label: "dlms.password",
		kind: "secret",
		storedFlag: "password_set",
		when: (draft: Draft) => isPolled(draft) && (draft["auth"] === "low" || draft["auth"] === "high_sha256"),
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
		help: "dlms.authkey.help",
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
		isRare: true,
		when: isPolled,
		choices: choicesOf(DLMS_CONFIG.opening, (value) => t(OPENINGS[value])),
	},
	{
		name: "baudrate",
		label: "dlms.baudrate",
		kind: "choice",
		isRare: true,
		choices: SPEEDS,
		when: (draft) => isPolled(draft) && draft["opening"] !== "mode_e",
	},
	{
		name: "auth",
		label: "dlms.auth",
		kind: "choice",
		when: isPolled,
		choices: choicesOf(DLMS_CONFIG.auth, (value) => t(AUTHS[value])),
		implies: clientOf,
	},
	{ name: "use_encryption", label: "dlms.encryption", kind: "toggle", when: isPolled },
	{
		name: "security_suite",
		label: "dlms.suite",
		kind: "choice",
		isRare: true,
		choices: choicesOf(DLMS_CONFIG.security_suite, String),
		when: (draft) => isPolled(draft) && needsKeys(draft),
	},
	...SECRETS,
	{ name: "client_address", label: "dlms.client", help: "dlms.client.help", kind: "number", when: isPolled },
	{
		name: "server_logical",
		label: "dlms.logical",
		help: "dlms.logical.help",
		kind: "number",
		isRare: true,
		when: isPolled,
	},
	{
		name: "server_physical",
		label: "dlms.physical",
		help: "dlms.physical.help",
		kind: "number",
		isRare: true,
		when: isPolled,
	},
	{
		name: "server_address_length",
		refused: "refused.length",
		label: "dlms.length",
		kind: "choice",
		isRare: true,
		when: isPolled,
		choices: choicesOf(DLMS_CONFIG.server_address_length, (value) =>
			value === 0 ? t("dlms.length.auto") : t("dlms.length.bytes", { n: value }),
		),
	},
	{
		name: "live_secs",
		label: "live.title",
		help: "dlms.live.help",
		kind: "choice",
		when: isPolled,
		choices: choicesOf(DLMS_CONFIG.live_secs, (value) => (value === 0 ? t("off") : `${value} s`)),
	},
	{ name: "receive_timeout_ms", label: "dlms.timeout", kind: "number", unit: "ms", isRare: true, when: isPolled },
	{ name: "release", label: "dlms.release", kind: "toggle", isRare: true, when: isPolled },
	{
		name: "deviation",
		label: "dlms.deviation",
		kind: "choice",
		isRare: true,
		choices: choicesOf(DLMS_CONFIG.deviation, (value) => DEVIATIONS[value]),
		when: isPolled,
	},
]);

/** Settings that the owner gets from the meter's operator. */
const OPERATOR_FIELDS = "auth use_encryption security_suite password block_cipher_key auth_key client_address".split(
	" ",
);
/** The only setting that an AMIS meter needs. */
const KEY_FIELDS = FIELDS.filter(({ name }) => name === "block_cipher_key").map(
	(spec): FieldSpec => ({ ...spec, when: () => true }),
);
/**
 * Shows secrets while they are typed, because they are copied from a letter, so that a phone shows all 32 digits. An
 * empty secret is not sent.
 */
const asTyped = (spec: FieldSpec): FieldSpec =>
	spec.kind === "secret" ? { ...spec, kind: "area", rows: spec.max === 32 ? 2 : 1 } : spec;
const ACCESS_FIELDS = FIELDS.filter(({ name }) => OPERATOR_FIELDS.includes(name)).map(asTyped);
const AMIS_ACCESS_FIELDS = KEY_FIELDS.map(asTyped);

/** Form for the wizard. A readout follows. Its result is in the stores of live.ts. */
export function AccessForm({ isAMIS }: { isAMIS: boolean }) {
	const { value, error, reload } = useDevice<Draft>(PATH);
	if (value === undefined) return <Pending error={error} reload={reload} />;
	return (
		<Form
			fields={isAMIS ? AMIS_ACCESS_FIELDS : ACCESS_FIELDS}
			values={value}
			submitLabel={t("wizard.access.read")}
			busyLabel={t("read.running")}
			doneText=""
			submit={async (values) => {
				await post<Draft>(PATH, values);
				await readNow();
			}}
		/>
	);
}

const CLOCK_OFF_MS = 120_000;

/**
 * Time of the last readout before a change of the settings. The clock in that readout does not depend on the new
 * settings.
 */
let outdatedS = -1;
const markOutdated = () => {
	outdatedS = readout.value?.timestamp ?? 0;
};

/**
 * Returns true if the meter seems to send its deviation with the opposite sign. In this case the clock in the readout
 * is wrong by twice the deviation. The check needs the gateway's clock.
 */
export function isSwapped({ protocol, timestamp, readings }: Readout): boolean {
	const clock = readings.find((record) => record.obis_long.startsWith(CLOCK))?.value1 ?? "";
	const [, sign, hours, minutes] = /T.*([+-])(\d\d):(\d\d)$/.exec(clock) ?? [];
	const deviationMs = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === "-" ? -1 : 1);
	const offMs = Date.parse(clock) - timestamp * 1000;
	const isComparable = deviationMs !== 0 && protocol === "DLMS/COSEM" && timestamp !== 0 && timestamp !== outdatedS;
	return isComparable && Math.abs(offMs + 2 * deviationMs) <= CLOCK_OFF_MS;
}

export function DeviationFinding() {
	const last = useStore(readout);
	const isReading = useStore(reading);
	return !isReading && last !== undefined && isSwapped(last) ? <DeviationOffer key={last.timestamp} /> : null;
}

/** Offers to change the setting. Only shown if the gateway polls the meter. */
function DeviationOffer() {
	const { value } = useDevice<Draft>(PATH);
	if (value === undefined || !isPolled(value)) return null;
	const deviation = value["deviation"] === "swapped" ? "standard" : "swapped";
	const onSet = () => {
		markOutdated();
		readNow();
	};
	return <FindingNotice finding={{ settings: { protocol: "dlms", deviation } }} onSet={onSet} />;
}

export function AMISCard() {
	return <SettingsCard title={t("protocol.amis")} path={PATH} fields={KEY_FIELDS} />;
}

export function DLMSCard() {
	const { value, error, reload, put } = useDevice<Draft>(PATH);
	const submit = async (values: Draft) => {
		put(await post<Draft>(PATH, values));
		markOutdated();
	};
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
			<Form fields={FIELDS} values={value} submit={submit} />
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
