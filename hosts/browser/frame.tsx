/** Navigation, and the notices that appear on every page. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { LanguageChoice, ThemeChoice } from "./kit/choices.js";
import { announce, Button, Icon, Notice } from "./kit/components.js";
import { lastReplyMs, reachable } from "./kit/device.js";
import { Dialog } from "./kit/dialog.js";
import { formatMoment } from "./kit/format.js";
import { stale, status, useHasPart, useLive } from "./kit/live.js";
import { keepFailure } from "./kit/login.js";
import { PLACES, type Place, usePlace, WIZARD } from "./kit/place.js";
import { endsAtMs, reader } from "./kit/session.js";
import { StateButton } from "./kit/states.js";
import { Store, useStore } from "./kit/store.js";
import { language, t } from "./kit/text.js";
import { errorText } from "./kit/use-device.js";
import { useZone } from "./kit/zone.js";
import { Dashboard } from "./pages/dashboard.js";
import { LoginForm } from "./pages/login.js";
import type { TextKey } from "./text/all.js";

/** The notice about the end of a session appears this long before the end. */
const SOON_MS = 120_000;

/** The overview is part of this script. The other pages are in two scripts that are loaded later. */
type Pages = Readonly<Record<string, ComponentType>>;
const pages = new Store<Pages>({ dashboard: Dashboard });

/** Loads a page, together with the other pages of its bundle. */
async function fetchPages(name: string): Promise<void> {
	const more =
		name === "use" ? { use: (await import("./pages/use.js")).Use } : (await import("./pages/pages.js")).PAGES;
	pages.set({ ...pages.value, ...more });
}

/** Returns true if the gateway serves another version of this page now. */
async function isReplaced(): Promise<boolean> {
	const document = await fetch("/", { cache: "no-store" })
		.then((reply) => reply.text())
		.catch(() => "");
	return document !== "" && !document.includes(new URL(import.meta.url).pathname);
}

/** Moves the keyboard focus, and thus the screen reader, to the new page's `main`. */
export function useMain(place: string) {
	const main = useRef<HTMLElement>(null);
	const isFirst = useRef(true);
	useEffect(() => {
		document.title = place === WIZARD ? t("title") : `${t(`nav.${place}` as TextKey)} – ${t("title")}`;
		if (!isFirst.current) main.current?.focus();
		isFirst.current = false;
		scrollTo(0, 0);
	}, [place]);
	return main;
}

export function Frame({ onLeave }: { onLeave: () => void }) {
	useLive();
	const place = usePlace();
	const hasPart = useHasPart();
	const [menuOpen, setMenuOpen] = useState(false);
	const menu = useRef<HTMLButtonElement>(null);
	const main = useMain(place);
	const isStale = useStore(stale);
	useEffect(() => setMenuOpen(false), [place]);
	useEffect(() => {
		if (!menuOpen) return;
		const close = ({ key }: KeyboardEvent) => {
			if (key !== "Escape") return;
			setMenuOpen(false);
			menu.current?.focus();
		};
		addEventListener("keydown", close);
		return () => removeEventListener("keydown", close);
	}, [menuOpen]);
	if (place === WIZARD) {
		return (
			<main ref={main} class="wizard" tabIndex={-1}>
				<SessionNotice />
				<LostNotice />
				<PageOf name={WIZARD} />
			</main>
		);
	}
	return (
		<div class={menuOpen ? "frame open" : "frame"}>
			<header>
				<a
					class="skip"
					href={`#/${place}`}
					onClick={(event) => {
						event.preventDefault();
						main.current?.focus();
					}}
				>
					{t("skip")}
				</a>
				<a class="brand" href="#/dashboard">
					<Icon name="bolt" />
					{t("title")}
				</a>
				<StateButton key={place} />
				{/* The bar at the bottom of a phone. */}
				<div class="tabs">
					{PLACES.slice(0, 2).map((one) => (
						<PlaceLink key={one.name} {...one} isHere={one.name === place} />
					))}
					<button ref={menu} type="button" aria-expanded={menuOpen} onClick={() => setMenuOpen(!menuOpen)}>
						<Icon name="menu" />
						{t("menu")}
					</button>
				</div>
			</header>
			<nav aria-label={t("menu")}>
				<ul>
					{PLACES.filter(({ parts }) => parts?.some(hasPart) ?? true).map((one) => (
						<li key={one.name}>
							<PlaceLink {...one} isHere={one.name === place} onClick={() => setMenuOpen(false)} />
						</li>
					))}
				</ul>
				<div class="choices">
					<LanguageChoice />
					<ThemeChoice />
					<button type="button" class="button plain" onClick={onLeave}>
						{t("logout")}
					</button>
				</div>
			</nav>
			<main ref={main} class={isStale ? "stale" : undefined} tabIndex={-1}>
				<SessionNotice />
				{place !== "security" && <KeepNotice />}
				<LostNotice />
				<StateNotices />
				<h1 class={place === PLACES[0].name ? "unseen" : undefined}>
					{t(PLACES.find(({ name }) => name === place)?.label ?? "title")}
				</h1>
				<PageOf name={place} />
			</main>
		</div>
	);
}

interface PlaceLinkProps extends Place {
	readonly isHere: boolean;
	onClick?(): void;
}

export function PlaceLink({ name, label, icon, isHere, onClick }: PlaceLinkProps) {
	return (
		<a href={`#/${name}`} aria-current={isHere ? "page" : undefined} onClick={onClick}>
			<Icon name={icon} />
			{t(label)}
		</a>
	);
}

export function PageOf({ name }: { name: string }) {
	const Page = useStore(pages)[name];
	const isThere = Page !== undefined;
	const isReachable = useStore(reachable);
	const [failed, setFailed] = useState(false);
	useEffect(() => {
		if (isThere || !isReachable) return;
		setFailed(false);
		fetchPages(name).catch(async () => {
			// After an update this script's other parts are gone.
			if (await isReplaced()) location.reload();
			else setFailed(true);
		});
	}, [name, isThere, isReachable]);
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

export function LostNotice() {
	const isReachable = useStore(reachable);
	const { timeZone } = useZone();
	if (isReachable) return null;
	const time = formatMoment(lastReplyMs() / 1000, language, timeZone);
	return <Notice kind="warning">{t("lost.text", { time })}</Notice>;
}

function SessionNotice() {
	const endMs = useStore(endsAtMs);
	const [isSoon, setSoon] = useState(false);
	const [isAsking, setAsking] = useState(false);
	const { timeZone } = useZone();
	useEffect(() => {
		const look = () => {
			const leftMs = (endMs ?? Number.POSITIVE_INFINITY) - Date.now();
			// A device that stays signed in can read even without a session, so it needs no notice.
			setSoon(leftMs > 0 && leftMs < SOON_MS && reader() === undefined);
		};
		look();
		setAsking(false);
		const timer = setInterval(look, 1_000);
		return () => clearInterval(timer);
	}, [endMs]);
	const time = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone }).format(endMs);
	useEffect(() => {
		if (isSoon) announce(t("session.soon", { time }));
	}, [isSoon]);
	if (!isSoon && !isAsking) return null;
	return (
		<>
			<Notice kind="info">
				<p>{t("session.soon", { time })}</p>
				<Button name="renew" onClick={() => setAsking(true)}>
					{t("login.go")}
				</Button>
			</Notice>
			{isAsking && (
				<Dialog title={t("login.title")} onClose={() => setAsking(false)}>
					<LoginForm />
					<div class="actions">
						<Button onClick={() => setAsking(false)}>{t("cancel")}</Button>
					</div>
				</Dialog>
			)}
		</>
	);
}

/** Says why this device does not stay signed in, where the user is after the login. */
function KeepNotice() {
	const error = useStore(keepFailure);
	if (error === undefined) return null;
	return (
		<Notice kind="warning">
			<p>
				{t("login.keep.failed")} {errorText(error)}
			</p>
			<a href="#/security">{t("nav.security")}</a>
		</Notice>
	);
}

/** Notices about functions that do not work, and about settings that were not stored. */
function StateNotices() {
	const now = useStore(status);
	if (now === undefined) return null;
	const { low_voltage, safe_mode, storage_state } = now;
	return (
		<>
			{safe_mode !== undefined && (
				<Notice kind="warning">
					<p>{t("safe.text", { cause: safe_mode })}</p>
					<a href="#/system">{t("safe.go")}</a>
				</Notice>
			)}
			{low_voltage && <Notice kind="warning">{t("low.text")}</Notice>}
			{storage_state !== "ok" && <Notice kind="warning">{t(`storage.${storage_state}`)}</Notice>}
		</>
	);
}
