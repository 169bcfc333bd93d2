/**
 * Starts the page. It chooses the language and shows the login from the document's template. Then it loads the texts
 * and the page's script, which continues the login. No login is shown if this browser has a token, or if the login
 * would begin with a notice.
 *
 * This script is in the document, and its hash is in the content security policy. tools/page/archive.ts replaces SCRIPT by the
 * path of the page's script. It replaces TEXTS by the first texts of each language, in the order of the template, and
 * by the path of the other texts. kit/session.ts, kit/text.ts and kit/choices.tsx use the same keys of the browser's
 * storage.
 */
{
	// If the browser keeps nothing for pages, its storage throws. Values then last until the page is left.
	for (const name of ["localStorage", "sessionStorage"]) {
		try {
			window[name];
		} catch {
			const values = new Map();
			const value = {
				getItem: (key) => values.get(key) ?? null,
				setItem: (key, text) => values.set(key, text),
				removeItem: (key) => values.delete(key),
			};
			Object.defineProperty(window, name, { value });
		}
	}

	const root = document.documentElement;
	const app = document.getElementById("app");
	const wanted = [location.pathname.slice(1), localStorage.language, ...navigator.languages, "en"];
	const language = wanted.map((tag) => String(tag).split("-")[0]).find((one) => Object.hasOwn(TEXTS, one));
	const { first, others } = TEXTS[language];
	root.lang = language;
	root.dataset.theme = localStorage.theme ?? "auto";

	let isLoading = false;
	const load = async () => {
		if (isLoading) return;
		isLoading = true;
		try {
			const reply = await fetch(others);
			if (!reply.ok) throw new Error(`${reply.status}`);
			document.getElementById("texts").textContent = [...first, await reply.text()].join("\n");
			await import(SCRIPT);
		} catch (reason) {
			app.textContent = first.at(-1);
			throw reason;
		}
	};

	const { token, ending } = sessionStorage;
	const { display, reader } = localStorage;
	const isOther = [token, ending, display, reader].some((value) => value !== undefined);
	if (isOther || /[?&]token=/.test(location.hash)) {
		load();
	} else {
		const html = document.getElementById("login").innerHTML;
		app.innerHTML = html.replace(/\{(\d+)\}/g, (_, place) => first[place]);
		app.querySelector("select").value = language;
		// When the page's script is loaded, it performs this login.
		addEventListener("submit", (event) => {
			event.preventDefault();
			root.dataset.sent = "";
		});
		// Loading waits for the first paint, which would otherwise wait for the script on a slow processor. A hidden page
		// is not painted.
		new PerformanceObserver(load).observe({ type: "paint", buffered: true });
		setTimeout(load, 1_000);
	}
}
