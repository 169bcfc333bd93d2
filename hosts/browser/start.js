/**
 * Starts the page: chooses the language, shows the login from the document's template, and then loads texts and script,
 * which takes the login over. It shows nothing if this browser has a token, or if the login would begin with a notice.
 *
 * The document contains this script, and the content security policy contains its hash. tools/page.ts replaces SCRIPT by
 * the path of the page's script, and TEXTS by the first texts of each language, in the order of the template, and the path
 * of the others. kit/session.ts, kit/text.ts and kit/choices.tsx use the same keys of the browser's storage.
 */
{
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
		// The script logs in once it is loaded.
		addEventListener("submit", (event) => {
			event.preventDefault();
			root.dataset.sent = "";
		});
		// On a slow processor the first paint would otherwise wait for the script. A hidden page is not painted.
		new PerformanceObserver(load).observe({ type: "paint", buffered: true });
		setTimeout(load, 1_000);
	}
}
