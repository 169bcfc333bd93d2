/**
 * Result of a probe or readout, if the present settings cannot read the meter. It has a text, and a button that applies
 * the right settings if the gateway supports the meter. The pages "meter" and "overview" and the wizard use it.
 */
import { useState } from "preact/hooks";
import { announce, Button, ErrorNotice, Notice } from "../kit/components.js";
import { type DeviceError, post } from "../kit/device.js";
import { refresh } from "../kit/live.js";
import type { Advice, Unasked } from "../kit/replies.js";
import { Store } from "../kit/store.js";
import { isText, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";

type Deviation = { readonly protocol: "dlms"; readonly deviation: string };

export interface Finding {
	readonly code?: string;
	readonly unasked?: Unasked;
	/** Settings that the gateway or the page suggests. */
	readonly settings?: Advice | Deviation;
}

/** Number of findings whose settings were applied. When it changes, the forms that show the settings are reset. */
export const settingsSet = new Store(0);

/** Returns true if another attempt would have the same result. */
export function isCertain({ unasked, settings }: Finding): boolean {
	return (unasked != null && unasked.kind !== "noise") || settings != null;
}

/** Returns undefined if nothing was found. */
export function findingText({ unasked, settings }: Finding): string | undefined {
	if (unasked != null) {
		const { kind, baudrate, supported } = unasked;
		if (kind === "noise") return t("finding.noise");
		const key = `found.${kind}`;
		// The speed is passed as a string, as in speedText, so that no thousands separator is added.
		const what = t(isText(key) ? key : "found.dlms", { n: String(baudrate) });
		return supported ? what : `${what} ${t("finding.later")}`;
	}
	if (settings == null) return undefined;
	if ("deviation" in settings) return t("finding.deviation");
	return t("finding.asked", { what: t(`protocol.${settings.protocol}`) });
}

async function apply({ protocol, ...all }: NonNullable<Finding["settings"]>): Promise<void> {
	const { rx_inverted, ...config } = "deviation" in all ? { ...all, rx_inverted: undefined } : all;
	// The configuration comes first, because the gateway begins to listen when the protocol is chosen.
	if (Object.keys(config).length > 0) await post(`${protocol}/config`, config);
	if (!("deviation" in config)) await post("meter/protocol", { protocol, rx_inverted });
}

export function FindingNotice({ finding, onSet }: { finding: Finding; onSet?(): void }) {
	const [isSetting, setSetting] = useState(false);
	const [isSet, setSet] = useState(false);
	const [failure, setFailure] = useState<DeviceError>();
	const text = findingText(finding);
	const { settings } = finding;
	if (text === undefined) return null;
	if (isSet) return <Notice kind="good">{t("finding.done")}</Notice>;
	const set = async () => {
		if (settings == null) return;
		setSetting(true);
		setFailure(undefined);
		try {
			await apply(settings);
			announce(t("finding.done"));
			setSet(true);
			settingsSet.set(settingsSet.value + 1);
			onSet?.();
			refresh().catch(() => undefined);
		} catch (reason) {
			setFailure(asDeviceError(reason));
		}
		setSetting(false);
	};
	return (
		<Notice kind={settings == null ? "warning" : "info"}>
			<p>{text}</p>
			{settings != null && (
				<Button name="set-it-so" kind="main" busy={isSetting && t("saving")} onClick={set}>
					{t("finding.set")}
				</Button>
			)}
			{failure && <ErrorNotice error={failure} />}
		</Notice>
	);
}

export function ReadFailure({ error, text }: { error: DeviceError; text?: string | undefined }) {
	const finding: Finding = error.body;
	return findingText(finding) === undefined ? (
		<ErrorNotice error={error} text={text} />
	) : (
		<FindingNotice finding={finding} />
	);
}
