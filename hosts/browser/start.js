/**
 * Runs in the head of each document, before the first paint; the policy has its hash. It repeats keys of kit/session.ts,
 * kit/text.ts and kit/choices.tsx, whose script arrives later.
 */
{
	const root = document.documentElement;
	const { language, theme, display, reader } = localStorage;
	root.dataset.theme = theme ?? "auto";
	if (location.pathname === "/" && language !== root.lang && /^(en|de|pl)$/.test(language)) {
		root.className = "is-astray";
		location.replace(`/${language}${location.hash}`);
	} else if (display || reader || sessionStorage.token || /[?&]token=/.test(location.hash)) {
		root.className = "has-token";
	}
	// On a slow processor the first paint would otherwise wait for the script. A hidden page is not painted.
	const load = () => import(SCRIPT);
	new PerformanceObserver(load).observe({ type: "paint", buffered: true });
	setTimeout(load, 1_000);
	// The script logs in when it has arrived.
	addEventListener("submit", (event) => {
		event.preventDefault();
		root.dataset.sent = "";
	});
}
