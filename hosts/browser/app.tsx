/** The frame: who may see what, the way around, and what must be told on every page. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { LanguageChoice, ThemeChoice } from "./kit/choices.js";
import { loggedIn, reachable, restarting } from "./kit/device.js";
import { Dialog } from "./kit/dialog.js";
import { status, useLive } from "./kit/live.js";
import { logOut } from "./kit/login.js";
import { Icon, type IconName, LiveRegion, Notice } from "./kit/parts.js";
import { Store, useStore } from "./kit/store.js";
import { fetchLaterTexts, t } from "./kit/text.js";
import { Dashboard } from "./pages/dashboard.js";
import { LoginForm, LoginPage } from "./pages/login.js";
import type { TextKey } from "./text/all.js";

interface Place {
	readonly name: string;
	readonly label: TextKey;
	readonly icon: IconName;
}

/** In the order of the menu; the name is the hash of the address. */
const PLACES: readonly Place[] = [
	{ name: "dashboard", label: "nav.dashboard", icon: "bolt" },
	{ name: "readings", label: "nav.readings", icon: "list" },
	{ name: "meter", label: "nav.meter", icon: "meter" },
	{ name: "network", label: "nav.network", icon: "wifi" },
	{ name: "zigbee", label: "nav.zigbee", icon: "zigbee" },
	{ name: "hub", label: "nav.hub", icon: "hub" },
	{ name: "security", label: "nav.security", icon: "lock" },
	{ name: "system", label: "nav.system", icon: "gear" },
];
const WIZARD = "setup";

/** All pages but the first come by a request of their own, once. */
type Pages = Readonly<Record<string, ComponentType>>;
const pages = new Store<Pages>({ dashboard: Dashboard });
let fetching = false;

async function fetchPages(): Promise<void> {
	if (fetching) return;
	fetching = true;
	try {
		await fetchLaterTexts();
		const { PAGES } = await import("./pages/pages.js");
		pages.set({ ...pages.value, ...PAGES });
	} finally {
		fetching = false;
	}
}

function placeNow(): string {
	const name = location.hash.replace(/^#\/?/, "");
	return name === WIZARD || PLACES.some((place) => place.name === name) ? name : PLACES[0].name;
}

function usePlace(): string {
	const [place, setPlace] = useState(placeNow);
	useEffect(() => {
		const follow = () => setPlace(placeNow());
		addEventListener("hashchange", follow);
		return () => removeEventListener("hashchange", follow);
	}, []);
	return place;
}

export function App() {
	const isIn = useStore(loggedIn);
	// Once in, an ended session only puts a dialog over the page, so that nothing typed is lost.
	const [wasIn, setWasIn] = useState(isIn);
	useEffect(() => {
		if (isIn) setWasIn(true);
	}, [isIn]);
	const isLeaving = useStore(restarting) !== undefined;
	return (
		<>
			{wasIn ? <Frame onLeave={() => setWasIn(false)} /> : <LoginPage />}
			{wasIn && !isIn && !isLeaving && (
				<Dialog title={t("login.title")}>
					<p>{t("login.again")}</p>
					<LoginForm />
				</Dialog>
			)}
			<RestartOverlay />
			<LiveRegion />
		</>
	);
}

function Frame({ onLeave }: { onLeave: () => void }) {
	useLive();
	const place = usePlace();
	const [menuOpen, setMenuOpen] = useState(false);
	const main = useRef<HTMLElement>(null);
	const menu = useRef<HTMLButtonElement>(null);
	const isFirst = useRef(true);
	useEffect(() => {
		setMenuOpen(false);
		document.title = place === WIZARD ? t("title") : `${t(`nav.${place}` as TextKey)} – ${t("title")}`;
		// Keyboard and screen reader go on at the new page, not at the link that led to it.
		if (!isFirst.current) main.current?.focus();
		isFirst.current = false;
		scrollTo(0, 0);
	}, [place]);
	useEffect(() => {
		if (!menuOpen) return;
		const close = (event: KeyboardEvent) => {
			if (event.key !== "Escape") return;
			setMenuOpen(false);
			menu.current?.focus();
		};
		addEventListener("keydown", close);
		return () => removeEventListener("keydown", close);
	}, [menuOpen]);
	const leave = async () => {
		onLeave();
		await logOut().catch(() => undefined);
	};
	if (place === WIZARD) {
		return (
			<main ref={main} class="wizard" tabIndex={-1}>
				<LostNotice />
				<PageOf name={WIZARD} />
			</main>
		);
	}
	return (
		<div class={menuOpen ? "frame open" : "frame"}>
			<header>
				<a class="skip" href={`#/${place}`} onClick={() => main.current?.focus()}>
					{t("skip")}
				</a>
				<a class="brand" href="#/dashboard">
					<Icon name="bolt" />
					{t("title")}
				</a>
				<button
					ref={menu}
					type="button"
					class="button plain menu"
					aria-expanded={menuOpen}
					onClick={() => setMenuOpen(!menuOpen)}
				>
					<Icon name="menu" />
					{t("menu")}
				</button>
			</header>
			<nav aria-label={t("menu")}>
				<ul>
					{PLACES.map(({ name, label, icon }) => (
						<li key={name}>
							<a
								href={`#/${name}`}
								aria-current={name === place ? "page" : undefined}
								onClick={() => setMenuOpen(false)}
							>
								<Icon name={icon} />
								{t(label)}
							</a>
						</li>
					))}
				</ul>
				<div class="choices">
					<LanguageChoice />
					<ThemeChoice />
					<button type="button" class="button plain" onClick={leave}>
						{t("logout")}
					</button>
				</div>
			</nav>
			<main ref={main} tabIndex={-1}>
				<LostNotice />
				<StateNotices />
				<h1>{t(PLACES.find(({ name }) => name === place)?.label ?? "title")}</h1>
				<PageOf name={place} />
			</main>
		</div>
	);
}

function PageOf({ name }: { name: string }) {
	const Page = useStore(pages)[name];
	const isThere = Page !== undefined;
	const isReachable = useStore(reachable);
	const [failed, setFailed] = useState(false);
	useEffect(() => {
		if (isThere || !isReachable) return;
		setFailed(false);
		fetchPages().catch(() => setFailed(true));
	}, [isThere, isReachable]);
	if (Page !== undefined) return <Page key={name} />;
	return failed ? (
		<Notice kind="error">
			<p>{t("error.offline")}</p>
			<button type="button" class="button plain" onClick={() => location.reload()}>
				{t("reload")}
			</button>
		</Notice>
	) : (
		<p class="pending">{t("loading")}</p>
	);
}

function LostNotice() {
	return useStore(reachable) ? null : <Notice kind="warning">{t("lost.text")}</Notice>;
}

/** What the owner must know of on every page: what is not there, and what was not stored. */
function StateNotices() {
	const now = useStore(status);
	if (now === undefined) return null;
	const { safe_mode, storage_state } = now;
	return (
		<>
			{safe_mode !== undefined && (
				<Notice kind="warning">
					<p>{t("safe.text", { cause: safe_mode })}</p>
					<a href="#/system">{t("safe.go")}</a>
				</Notice>
			)}
			{storage_state !== "ok" && <Notice kind="warning">{t(`storage.${storage_state}`)}</Notice>}
		</>
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

/** A gateway that nobody has set up yet leads to the wizard, once. */
export function leadToWizard(): void {
	const end = status.watch((value) => {
		if (value === undefined) return;
		end();
		if (value.password_default && location.hash === "") location.hash = `#/${WIZARD}`;
	});
}
