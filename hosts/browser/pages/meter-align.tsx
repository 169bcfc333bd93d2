/**
 * Aid for placing the optical head. It signs on to the meter repeatedly. It is made for a phone that is held beside the
 * meter: it has large text, a tone, and a short vibration if the browser supports this. It stops when the user leaves
 * the page.
 *
 * The first attempt tries all protocols. After a failure, most attempts are quick, so that each position of the head is
 * judged within two seconds; light that is no answer, and each SWEEP_EACH-th attempt, try all protocols again.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { announce, Button, ErrorNotice, Fact, Facts, Icon, Notice, Progress } from "../kit/components.js";
import { type DeviceError, post } from "../kit/device.js";
import { failureText } from "../kit/failures.js";
import { Field } from "../kit/fields.js";
import { formatNumber } from "../kit/format.js";
import { status } from "../kit/live.js";
import type { Probe } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { isText, language, t } from "../kit/text.js";
import { asDeviceError } from "../kit/use-device.js";
import type { TextKey } from "../text/all.js";
import { FindingNotice, findingText, isCertain } from "./meter-finding.js";
import { speedText } from "./speeds.js";

/** Part of the identification that the simulated meter has. */
const SIMULATED = /SIMULATOR/;
/** Number of the latest attempts from which the success rate is calculated. */
const RECENT_ATTEMPTS = 10;
/** Number of attempts that are needed to tell whether the head is well placed. */
const ATTEMPTS_NEEDED = 3;
/** Timeout of an attempt. It takes 63 s if it waits for the call of an AMIS meter. */
const TRY_MS = 70_000;
const TRY_LIMIT_S = 60;
const SWEEP_EACH = 5;
/** Failure of a quick attempt: something comes that is no answer in the configured protocol. */
const LIGHT = "meter/no-ident";
/** Pause between attempts. Without it, attempts with the simulator would follow each other immediately. */
const PAUSE_MS = 700;

const SOUND = { name: "sound", label: "align.sound", kind: "toggle" } as const;

const WELL = 0;
const WEAK = 1;
const FAILED = 2;
const ICONS = ["check", "warning", "error"] as const;
const GRADES = ["good", "warning", "bad"] as const;

function gradeOf({ ok, damaged }: Probe): number {
	if (!ok) return FAILED;
	return damaged > 0 ? WEAK : WELL;
}

function messageOf(probe: Probe): string {
	if (probe.ok) return t(probe.damaged > 0 ? "probe.weak" : "probe.ok");
	const found = findingText(probe);
	if (found !== undefined) return found;
	// The last part of a code such as `iec62056-21/silence` selects the text.
	const key = `probe.${probe.error?.split("/").pop()}`;
	return isText(key) ? t(key) : (failureText(probe.error ?? undefined) ?? probe.message);
}

/** Plays a tone, which is high for a success and low for a failure. */
function sound(context: AudioContext, grade: number): void {
	const oscillator = context.createOscillator();
	const volume = context.createGain();
	oscillator.frequency.value = [880, 520, 200][grade];
	volume.gain.value = 0.2;
	oscillator.connect(volume).connect(context.destination);
	oscillator.start();
	oscillator.stop(context.currentTime + 0.15);
}

interface AlignerProps {
	/** True if the start button is the main button of the page. */
	readonly isMain?: boolean;
	/**
	 * Called when the head is well placed, which ends the attempts. If omitted, they continue until the user stops them.
	 */
	onAligned?(): void;
}

export function Aligner({ isMain = true, onAligned }: AlignerProps) {
	const [tries, setTries] = useState<readonly Probe[]>([]);
	const [isRunning, setRunning] = useState(false);
	const [problem, setProblem] = useState<DeviceError>();
	/** True if the suggested settings were applied. */
	const [isSet, setSet] = useState(false);
	const [hasSound, setSound] = useState(false);
	const audio = useRef<AudioContext | undefined>(undefined);
	const [triesSinceMs, setTriesSinceMs] = useState(0);
	/** Number of the current run. An earlier run stops when it sees a different number. */
	const current = useRef(0);

	const stop = () => {
		current.current++;
		setRunning(false);
	};
	useEffect(() => {
		const hidden = () => document.visibilityState === "hidden" && stop();
		document.addEventListener("visibilitychange", hidden);
		return () => {
			document.removeEventListener("visibilitychange", hidden);
			current.current++;
			audio.current?.close();
		};
	}, []);

	const take = (probe: Probe, before: Probe | undefined) => {
		setTries((all) => [...all, probe].slice(-RECENT_ATTEMPTS));
		const grade = gradeOf(probe);
		// Only changes are announced. An announcement for each attempt would be too much for screen readers.
		if (before === undefined || gradeOf(before) !== grade) announce(messageOf(probe));
		if (audio.current) sound(audio.current, grade);
		if (grade === WELL) navigator.vibrate?.(60);
	};
	const start = async () => {
		const run = ++current.current;
		let well = 0;
		let attempt = 0;
		setRunning(true);
		setTries([]);
		setSet(false);
		setProblem(undefined);
		for (let before: Probe | undefined; run === current.current; ) {
			setTriesSinceMs(Date.now());
			try {
				const quick = attempt++ % SWEEP_EACH > 0 && before?.ok === false && before.error !== LIGHT;
				const probe = await post<Probe>("meter/probe", { quick }, { timeoutMs: TRY_MS, lane: "meter" });
				if (run !== current.current) return;
				setProblem(undefined);
				take(probe, before);
				if (isCertain(probe)) return stop();
				// Failures do not reset the count, because a meter of mode A or B may still be sending and then receives no
				// sign-on.
				if (gradeOf(probe) === WELL) well++;
				if (onAligned !== undefined && well >= ATTEMPTS_NEEDED) {
					stop();
					return onAligned();
				}
				before = probe;
			} catch (reason) {
				if (run !== current.current) return;
				const error = asDeviceError(reason);
				setProblem(error);
				if (error.status !== 503) return stop();
			}
			await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
		}
	};
	const toggleSound = (on: boolean) => {
		setSound(on);
		audio.current?.close();
		// Browsers permit sound only if it starts in an event handler.
		audio.current = on ? new AudioContext() : undefined;
	};

	const last = tries[tries.length - 1];
	const isOffered = last?.settings != null && isCertain(last) && !isSet;
	return (
		<>
			<p>{t("align.help")}</p>
			{last !== undefined && isCertain(last) ? (
				<FindingNotice finding={last} onSet={() => setSet(true)} />
			) : (
				(isRunning || last !== undefined) && <Result tries={tries} isRunning={isRunning} />
			)}
			{isRunning && (
				<Progress
					key={triesSinceMs}
					label={t("align.start")}
					limitS={TRY_LIMIT_S}
					sinceMs={triesSinceMs}
					long={t("read.long")}
					isMostlyShort
				/>
			)}
			{problem?.status === 503 && <Notice kind="info">{t("align.busy")}</Notice>}
			{problem && problem.status !== 503 && <ErrorNotice error={problem} />}
			<Field spec={SOUND} value={hasSound} onInput={(on) => toggleSound(on === true)} />
			<div class="actions">
				<Button
					name="align"
					kind={isMain && !isRunning && !isOffered ? "main" : "plain"}
					onClick={isRunning ? stop : start}
				>
					{t(isRunning ? "align.stop" : "align.start")}
				</Button>
			</div>
		</>
	);
}

function Result({ tries, isRunning }: { tries: readonly Probe[]; isRunning: boolean }) {
	const last = tries[tries.length - 1];
	const state = useStore(status);
	const [kind, baud] = (state?.meter_trying ?? "").split(" ");
	const light = state?.meter_light ?? 0;
	const trying =
		baud &&
		[
			`${t(`protocol.${kind}` as TextKey)}, ${speedText(baud)}`,
			...(light > 0 ? [`${t("align.received")}: ${formatNumber(light, language)}`] : []),
		].join(" · ");
	if (last === undefined) {
		return (
			<div class="signal">
				<p>
					<Icon name="busy" /> {trying || t("align.first")}
				</p>
			</div>
		);
	}
	const good = tries.filter(({ ok }) => ok).length;
	const isWellPlaced =
		tries.length >= ATTEMPTS_NEEDED && tries.slice(-ATTEMPTS_NEEDED).every((probe) => gradeOf(probe) === WELL);
	const percent = new Intl.NumberFormat(language, { style: "percent" }).format(good / tries.length);
	return (
		<div class={`signal ${GRADES[gradeOf(last)]}`}>
			<p class="big">
				{percent}
				<small>{t("align.rate", { good, n: tries.length })}</small>
			</p>
			<p class="tries">
				{tries.map((probe, index) => (
					<Icon key={index} name={ICONS[gradeOf(probe)]} />
				))}
			</p>
			{isRunning && (
				<p>
					<small>
						<Icon name="busy" /> {trying}
					</small>
				</p>
			)}
			<p>
				<b>{isWellPlaced ? t("align.well") : messageOf(last)}</b>
			</p>
			<Facts>
				{last.meter_id !== "" && (
					<Fact name={t("align.meter")}>
						<code>{last.meter_id}</code>
					</Fact>
				)}
				<Fact name={t("align.received")}>
					{last.damaged > 0
						? t("align.damaged", { n: last.received, damaged: last.damaged })
						: formatNumber(last.received, language)}
				</Fact>
			</Facts>
			{SIMULATED.test(last.meter_id) && <p>{t("read.simulated")}</p>}
		</div>
	);
}
