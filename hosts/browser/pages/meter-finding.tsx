/**
 * Result of a probe or readout about a meter that the present settings cannot read: a sentence, and a button that
 * applies the right settings where the gateway supports the meter. For the pages "meter" and "overview", and for the
 * wizard.
 */
import { useState } from "preact/hooks";
import { type DeviceError, post } from "../kit/device.js";
import { formatNumber } from "../kit/format.js";
import { refresh } from "../kit/live.js";
import { announce, Button, ErrorNotice, Notice } from "../kit/parts.js";
import type { Advice, Unasked } from "../kit/replies.js";
import { Store } from "../kit/store.js";
import { language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";

type Deviation = { readonly protocol: "dlms"; readonly deviation: string };

export interface Finding {
	/** Code of the failure. */
	readonly code?: string;
	readonly unasked?: Unasked;
	/** Settings that the gateway or the page suggests. */
	readonly settings?: Advice | Deviation;
}

/** Counts the times that settings were set here: forms that show them begin anew. */
export const settingsSet = new Store(0);

/** Another try would find the same. */
export function isCertain({ unasked, settings }: Finding): boolean {
	return (unasked != null && unasked.kind !== "noise") || settings != null;
}

/** Undefined where nothing was found. */
export function findingText({ unasked, settings }: Finding): string | undefined {
	if (unasked != null) {
		const { kind, baudrate, supported } = unasked;
		if (kind === "noise") return t("finding.noise");
		const what = t(`finding.${kind}`, { n: formatNumber(baudrate, language) });
		return supported ? what : `${what} ${t("finding.later")}`;
	}
	if (settings == null) return undefined;
	if ("deviation" in settings) return t("finding.deviation");
	return t(settings.protocol === "dlms" ? "finding.asked.dlms" : "finding.asked.iec62056");
}

async function apply({ protocol, ...config }: NonNullable<Finding["settings"]>): Promise<void> {
	// First what the protocol goes by: the gateway begins to listen as soon as it is chosen.
	if (Object.keys(config).length > 0) await post(`${protocol}/config`, config);
	if (!("deviation" in config)) await post("meter/protocol", { protocol });
}

/** Nothing where nothing was found. */
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

/** Why a readout failed. */
export function ReadFailure({ error, text }: { error: DeviceError; text?: string | undefined }) {
	const finding: Finding = error.body;
	return findingText(finding) === undefined ? (
		<ErrorNotice error={error} text={text} />
	) : (
		<FindingNotice finding={finding} />
	);
}
