/** The whole page: login, pages, wall display, and the dialogs that every page can show. */
import { useEffect, useState } from "preact/hooks";
import { Display } from "./display.js";
import { Frame } from "./frame.js";
import { Button, Icon, LiveRegion } from "./kit/components.js";
import { restarting } from "./kit/device.js";
import { Dialog } from "./kit/dialog.js";
import { forgetSeen, status } from "./kit/live.js";
import { logOut } from "./kit/login.js";
import { WIZARD } from "./kit/place.js";
import { display, loggedIn, passwordWanted, refusePassword } from "./kit/session.js";
import { useStore } from "./kit/store.js";
import { t } from "./kit/text.js";
import { forgetUnsaved, leaveBy, leaving, uploading } from "./kit/unsaved.js";
import { LoginForm, LoginPage, LoginReason } from "./pages/login.js";

export function App() {
	const isIn = useStore(loggedIn);
	const isDisplay = useStore(display);
	// After the user has logged in, the end of a session only opens a dialog over the page, so that no input is lost.
	const [wasIn, setWasIn] = useState(isIn && !isDisplay);
	// A wall display shows the login page instead of the readings.
	const [isLoginShown, setLoginShown] = useState(false);
	useEffect(() => {
		if (isIn && !isDisplay) setWasIn(true);
		if (!isDisplay) setLoginShown(false);
	}, [isIn, isDisplay]);
	const isLeaving = useStore(restarting) !== undefined;
	const leave = () =>
		leaveBy(() => {
			forgetUnsaved();
			setWasIn(false);
			logOut();
			forgetSeen();
		});
	return (
		<>
			{isDisplay && !isLoginShown ? (
				<Display onLogin={() => setLoginShown(true)} />
			) : wasIn ? (
				<Frame onLeave={leave} />
			) : (
				<LoginPage onCancel={isDisplay ? () => setLoginShown(false) : undefined} />
			)}
			{wasIn && !isIn && !isLeaving && (
				<Dialog title={t("login.title")}>
					<LoginReason />
					<LoginForm />
				</Dialog>
			)}
			<PasswordQuestion />
			<UnsavedQuestion />
			<RestartOverlay />
			<LiveRegion />
		</>
	);
}

/** Asks for the password if a device that stays signed in for reading needs more rights. */
function PasswordQuestion() {
	if (!useStore(passwordWanted)) return null;
	return (
		<Dialog title={t("login.title")} onClose={refusePassword}>
			<p>{t("error.forbidden_scope")}</p>
			<LoginForm />
			<div class="actions">
				<Button onClick={refusePassword}>{t("cancel")}</Button>
			</div>
		</Dialog>
	);
}

function UnsavedQuestion() {
	const act = useStore(leaving);
	if (act === undefined) return null;
	const close = () => leaving.set(undefined);
	return (
		<Dialog title={t(uploading.value ? "update.leave" : "unsaved.title")} onClose={close} textFirst>
			<p>{t(uploading.value ? "update.unchanged" : "unsaved.text")}</p>
			<div class="actions">
				<Button kind="main" name="stay" onClick={close}>
					{t("cancel")}
				</Button>
				<Button
					name="leave"
					onClick={() => {
						close();
						act();
					}}
				>
					{t("unsaved.leave")}
				</Button>
			</div>
		</Dialog>
	);
}

function RestartOverlay() {
	const restart = useStore(restarting);
	if (restart === undefined) return null;
	const { addresses, reason } = restart;
	return (
		<Dialog title={t("restart.title")}>
			<p>
				<Icon name="busy" /> {t(reason === "restart" ? "restart.text" : `restart.${reason}`)}
			</p>
			<ul>
				{addresses.map((address) => (
					<li key={address}>
						<a href={address}>{address}</a>
					</li>
				))}
			</ul>
		</Dialog>
	);
}

/** Opens the wizard if the gateway was never configured, but only once. */
export function openWizardIfNew(): void {
	const end = status.watch((value) => {
		if (value === undefined) return;
		end();
		if (value.password_default && location.hash === "" && !display.value) location.hash = `#/${WIZARD}`;
	});
}
