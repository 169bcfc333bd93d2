/**
 * Code that the cards for Home Assistant and MQTT share: the state of the connection, its test, and fields of both
 * forms.
 */
import { useState } from "preact/hooks";
import { HUB } from "../kit/bodies.js";
import { announce, Button, Chip, ErrorNotice, Fact, Facts, Notice } from "../kit/components.js";
import { type DeviceError, get } from "../kit/device.js";
import type { Draft, FieldSpec } from "../kit/fields.js";
import { formatMoment } from "../kit/format.js";
import { choicesOf } from "../kit/limits.js";
import { refresh } from "../kit/live.js";
import type { HubTest, MQTTTest } from "../kit/replies.js";
import { isText, language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import { useZone } from "../kit/zone.js";
import type { TextKey } from "../text/all.js";
import { LANGUAGE_NAMES, LANGUAGES } from "../text/translations.js";

/** Limit for name resolution, connection, handshake and replies together. */
const TEST_MS = 90_000;

const HEALTHY_STATES = ["off", "ok", "waiting", "connecting"];

/** Returns the meaning of a state, with advice. Returns the code itself if there is no text for it. */
export function stateText(state: string): string {
	const key = `out.${state}`;
	return isText(key) ? t(key) : t("out.other", { error: state });
}

interface OutcomeProps {
	readonly enabled: boolean;
	/** State of the connection in the gateway's status; undefined until the status has arrived. */
	readonly state: string | undefined;
	/** Unix time of the last message; 0 if nothing was sent yet. */
	readonly sentS: number | undefined;
	readonly name: string;
	/** Label of the time `sentS`. */
	readonly sent?: TextKey;
	/** State before the first message. */
	readonly waiting?: TextKey;
	textOf?(state: string): string;
}

export function Outcome(props: OutcomeProps) {
	const { enabled, state = "off", sentS = 0, name, textOf = stateText } = props;
	const { timeZone, zoneName } = useZone();
	const hasFailed = enabled && !HEALTHY_STATES.includes(state);
	const isGood = enabled && state === "ok";
	return (
		<>
			<p class="chips">
				<Chip state={hasFailed ? "warning" : isGood ? "good" : "off"} name={name}>
					{t(
						hasFailed
							? "state.failed"
							: enabled
								? isGood
									? "state.ok"
									: (props.waiting ?? "out.waiting")
								: "state.off",
					)}
				</Chip>
			</p>
			{enabled && (
				<Facts>
					<Fact name={t(props.sent ?? "out.sent")}>
						{sentS === 0 ? t("out.never") : `${formatMoment(sentS, language, timeZone)} ${zoneName}`}
					</Fact>
				</Facts>
			)}
			{hasFailed && <Notice kind="warning">{textOf(state)}</Notice>}
		</>
	);
}

/** A button that tests the connection. This may take more than a minute. The rest of the page remains usable. */
export function Test({ path }: { path: string }) {
	const [busy, setBusy] = useState(false);
	const [outcome, setOutcome] = useState<HubTest | MQTTTest | DeviceError>();
	const run = async () => {
		setBusy(true);
		setOutcome(undefined);
		try {
			const tested = await get<HubTest | MQTTTest>(path, { timeoutMs: TEST_MS, lane: "meter" });
			setOutcome(tested);
			announce(tested.retcode === 0 ? t("out.ok") : stateText(tested.code));
		} catch (reason) {
			setOutcome(asDeviceError(reason));
		}
		setBusy(false);
		refresh().catch(() => undefined);
	};
	return (
		<>
			<p>
				<Button busy={busy ? t("out.testing") : undefined} onClick={run}>
					{t("out.test")}
				</Button>
			</p>
			{outcome !== undefined &&
				("retcode" in outcome ? (
					<Notice kind={outcome.retcode === 0 ? "good" : "warning"}>
						{outcome.retcode === 0 ? t("out.ok") : stateText(outcome.code)}
					</Notice>
				) : (
					<ErrorNotice error={outcome} />
				))}
		</>
	);
}

export const isOn = ({ enabled }: Draft) => enabled === true;
export const isSecure = (draft: Draft) => isOn(draft) && /^(https|mqtts):/i.test(String(draft["url"]));

/** Language of the names that the values get. */
export const LANGUAGE_FIELD = {
	name: "lang",
	label: "hub.lang",
	kind: "choice",
	choices: choicesOf(HUB.lang, (value) => LANGUAGE_NAMES[LANGUAGES.indexOf(value)]),
	when: isOn,
} as const satisfies FieldSpec;

/** Field for the certificate by which the server is recognised. */
export function certificateField(help: TextKey, max: number, required: boolean) {
	return {
		name: "cert",
		label: "hub.cert.area",
		help,
		kind: "area",
		accept: ".pem,.crt,.cer,.txt",
		max,
		pattern: /-----BEGIN CERTIFICATE-----/,
		form: { says: "form.pem" },
		refused: "refused.pem",
		required,
		when: isSecure,
	} as const satisfies FieldSpec;
}

export interface FormProps<Settings> {
	readonly settings: Settings;
	onSaved(settings: Settings): void;
}
