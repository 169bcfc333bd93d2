/**
 * Wizard for the first set-up: language, password, time, meter, Wi-Fi. Wi-Fi is last, because the gateway's own network
 * may end when another one is joined. Each step can be skipped, and the wizard can be left at any time.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { LanguageChoice, ThemeChoice } from "../kit/choices.js";
import { announce, Button, Card, ErrorNotice, Fact, Facts, Notice, Pending } from "../kit/components.js";
import { type DeviceError, post } from "../kit/device.js";
import { refresh, status } from "../kit/live.js";
import { knownPassword } from "../kit/login.js";
import type { Clock, NetworkStatus } from "../kit/replies.js";
import { useStore } from "../kit/store.js";
import { t } from "../kit/text.js";
import { asDeviceError, useDevice } from "../kit/use-device.js";
import { zone } from "../kit/zone.js";
import { RunningClock, useClock } from "./clock.js";
import { PasswordForm } from "./password-form.js";
import { TimeZoneForm } from "./time-zone.js";
import { networkName, WiFiForm } from "./wifi.js";
import { FirstContact } from "./wizard-meter.js";
import { ContinueButton, type StepProps } from "./wizard-step.js";

/** Address in the gateway's own network. */
const ACCESS_POINT = "192.168.4.1";
const NO_ADDRESS = "0.0.0.0";
/**
 * Key of the label password. It is stored during the step that changes it, so that the user need not type it again
 * after a reload.
 */
const LABEL = "label";
/** Key of the current step, which survives a reload. */
const STEP = "setup";

const STEPS = [
	{ title: "language", Step: Language },
	{ title: "wizard.password", Step: Password },
	{ title: "wizard.time", Step: Time },
	{ title: "nav.meter", Step: FirstContact },
	{ title: "network.ssid", Step: WiFi },
] as const;

export function Wizard() {
	const [step, setStep] = useState(() => Math.min(Number(sessionStorage.getItem(STEP)) || 0, STEPS.length));
	const [joined, setJoined] = useState<NetworkStatus>();
	const heading = useRef<HTMLHeadingElement>(null);
	const isFirst = useRef(true);
	const go = (to: number) => {
		if (to < STEPS.length) sessionStorage.setItem(STEP, String(to));
		else sessionStorage.removeItem(STEP);
		setStep(to);
	};
	useEffect(() => {
		if (!isFirst.current) heading.current?.focus();
		isFirst.current = false;
		scrollTo(0, 0);
	}, [step]);
	const all = STEPS.length;
	const isDone = step >= all;
	const title = t(isDone ? "wizard.done" : STEPS[step].title);
	const next = () => go(step + 1);
	const Step = isDone ? undefined : STEPS[step].Step;
	const back = step > 0 && (
		<Button name="back" onClick={() => go(step - 1)}>
			{t("wizard.back")}
		</Button>
	);
	return (
		<>
			<h1>{t("wizard.title")}</h1>
			{!isDone && <progress max={all} value={step + 1} aria-label={t("wizard.step", { n: step + 1, all })} />}
			<Card>
				<h2 ref={heading} tabIndex={-1}>
					{!isDone && <small>{t("wizard.step", { n: step + 1, all })}</small>}
					{title}
				</h2>
				{Step === undefined ? (
					<Done joined={joined} back={() => go(0)} />
				) : (
					<Step
						key={step}
						next={next}
						onJoined={(reply) => {
							setJoined(reply);
							next();
						}}
						back={back}
						actions={
							<>
								{back}
								<Button name="skip" onClick={next}>
									{t("wizard.skip")}
								</Button>
							</>
						}
					/>
				)}
			</Card>
			{!isDone && (
				<p>
					<a class="leave" href="#/dashboard">
						{t("wizard.leave")}
					</a>
				</p>
			)}
		</>
	);
}

function Language({ next, back }: StepProps) {
	return (
		<>
			<p>{t("wizard.hello")}</p>
			<div class="choices">
				<LanguageChoice />
				<ThemeChoice />
			</div>
			<ContinueButton next={next} back={back} />
		</>
	);
}

function Password({ next, back, actions }: StepProps) {
	const now = useStore(status);
	// The first answer is kept, because saving changes the gateway's state, but the form must stay until the next step.
	const [isNew, setNew] = useState<boolean>();
	useEffect(() => {
		if (now !== undefined && isNew === undefined) setNew(!now.password_default);
	}, [now]);
	const [old] = useState(() => knownPassword() ?? sessionStorage.getItem(LABEL) ?? undefined);
	useEffect(() => {
		if (old !== undefined && isNew === false) sessionStorage.setItem(LABEL, old);
		return () => sessionStorage.removeItem(LABEL);
	}, [isNew]);
	if (isNew === undefined) return <p class="pending">{t("loading")}</p>;
	if (isNew) {
		return (
			<>
				<Notice kind="good">{t("password.changed")}</Notice>
				<ContinueButton next={next} back={back} />
			</>
		);
	}
	return (
		<>
			<p>{t("wizard.password.why")}</p>
			<PasswordForm old={old} submitLabel={t("wizard.save")} onChanged={next} actions={actions} />
		</>
	);
}

function setClock(): Promise<Clock> {
	return post<Clock>("system/clock", { timestamp: Math.round(Date.now() / 1000) });
}

function Time({ next, actions }: StepProps) {
	const { seen, error, reload, put } = useClock();
	const [failure, setFailure] = useState<DeviceError>();
	const set = async () => {
		setFailure(undefined);
		try {
			put(await setClock());
			announce(t("event.clock_set"));
			refresh().catch(() => undefined);
			return true;
		} catch (reason) {
			setFailure(asDeviceError(reason));
			return false;
		}
	};
	if (seen === undefined) return <Pending error={error} reload={reload} />;
	const { is_valid } = seen.clock;
	return (
		<>
			<p>{t("wizard.time.why")}</p>
			{is_valid ? (
				<Facts>
					<Fact name={t("wizard.clock.now")}>
						<RunningClock {...seen} />
					</Fact>
				</Facts>
			) : (
				<Notice kind="warning">{t("wizard.clock.unset")}</Notice>
			)}
			<div class="actions">
				<Button name="set-clock" onClick={set}>
					{t("wizard.clock.set")}
				</Button>
			</div>
			{failure && <ErrorNotice error={failure} />}
			<TimeZoneForm
				suggest
				submitLabel={t("wizard.save")}
				onSaved={async (timezone) => {
					zone.set(timezone);
					if (is_valid || (await set())) next();
				}}
				actions={actions}
			/>
		</>
	);
}

function WiFi({ next, back, actions, onJoined }: StepProps) {
	const { value: now, error, reload } = useDevice<NetworkStatus>("network/status");
	const [isOther, setOther] = useState(false);
	if (now === undefined) return <Pending error={error} reload={reload} />;
	if (now.connected && !isOther) {
		return (
			<>
				<Notice kind="good">{t("wizard.wifi.joined", { ssid: networkName(now) })}</Notice>
				<div class="actions">
					<Button name="other" onClick={() => setOther(true)}>
						{t("wizard.wifi.other")}
					</Button>
				</div>
				<ContinueButton next={next} label={t("wizard.finish")} back={back} />
			</>
		);
	}
	return (
		<>
			<p>{t("wizard.wifi.why")}</p>
			<WiFiForm onJoined={onJoined} />
			<hr />
			<div class="actions">{actions}</div>
		</>
	);
}

function Done({ joined, back }: { joined: NetworkStatus | undefined; back: () => void }) {
	const { value, error, reload } = useDevice<NetworkStatus>("network/status");
	const now = joined ?? value;
	if (now === undefined) return <Pending error={error} reload={reload} />;
	const isElsewhere = now.interface === "wifi" && (!now.secure || location.hostname === ACCESS_POINT);
	const addresses = [now.hostname && `${now.hostname}.local`, now.ip].filter(
		(name) => name !== "" && name !== NO_ADDRESS,
	);
	return (
		<>
			{now.connected || !now.ap_mode ? (
				<>
					<p>{t(isElsewhere ? "wizard.done.wifi" : "wizard.done.here", { ssid: now.ssid })}</p>
					<ul class="addresses">
						{addresses.map((address) => (
							<li key={address}>
								<a href={`https://${address}/`}>{`https://${address}/`}</a>
							</li>
						))}
					</ul>
					{isElsewhere && <Notice kind="info">{t("wizard.done.certificate")}</Notice>}
				</>
			) : (
				<Notice kind="info">{t("wizard.done.alone", { ssid: now.ap_ssid ?? "" })}</Notice>
			)}
			<div class="actions">
				<a class="button main" href="#/dashboard">
					{t("wizard.overview")}
				</a>
				<Button name="back" onClick={back}>
					{t("wizard.back")}
				</Button>
			</div>
		</>
	);
}
