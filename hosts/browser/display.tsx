/**
 * Wall display: overview and readings, without settings, in figures that can be read from across the room. The display
 * may run for weeks. Therefore it never waits for input, and it recovers by itself when the gateway can be reached
 * again.
 */
import { useEffect } from "preact/hooks";
import { LostNotice, PageOf, PlaceLink, useMain } from "./frame.js";
import { LanguageChoice, ThemeChoice } from "./kit/choices.js";
import { Button } from "./kit/components.js";
import { stale, useLive } from "./kit/live.js";
import { DISPLAY_PLACES, usePlace } from "./kit/place.js";
import { forgetDisplay } from "./kit/session.js";
import { StateButton } from "./kit/states.js";
import { useStore } from "./kit/store.js";
import { t } from "./kit/text.js";

/** Keeps the screen on while the page is visible. Browsers allow this only over HTTPS. */
function useScreen(): void {
	useEffect(() => {
		const keep = () => {
			if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => undefined);
		};
		keep();
		document.addEventListener("visibilitychange", keep);
		return () => document.removeEventListener("visibilitychange", keep);
	}, []);
}

export function Display({ onLogin }: { onLogin: () => void }) {
	useLive();
	useScreen();
	const wanted = usePlace();
	const { name: place, label } = DISPLAY_PLACES.find(({ name }) => name === wanted) ?? DISPLAY_PLACES[0];
	const main = useMain(place);
	const isStale = useStore(stale);
	return (
		<div class="display">
			<nav aria-label={t("menu")}>
				<ul>
					{DISPLAY_PLACES.map((one) => (
						<li key={one.name}>
							<PlaceLink {...one} isHere={one.name === place} />
						</li>
					))}
				</ul>
				<StateButton />
			</nav>
			<main ref={main} class={isStale ? "stale" : undefined} tabIndex={-1}>
				<LostNotice />
				<h1 class="unseen">{t(label)}</h1>
				<PageOf name={place} />
			</main>
			<footer class="choices">
				<LanguageChoice />
				<ThemeChoice />
				<Button name="login" onClick={onLogin}>
					{t("login.go")}
				</Button>
				<Button name="end_display" onClick={forgetDisplay}>
					{t("display.end")}
				</Button>
			</footer>
		</div>
	);
}
