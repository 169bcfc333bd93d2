/**
 * Service worker of the page as an installed app: explains a gateway that can't be reached, where the browser would show
 * an error of its own. It keeps nothing. tools/page.ts puts the texts in.
 */
const TEXTS = "%TEXTS%";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("fetch", (event) => {
	const { request } = event;
	if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => explanation(request)));
});

function explanation({ url }) {
	const wanted = [new URL(url).pathname.slice(1), ...navigator.languages.map((tag) => tag.slice(0, 2))];
	const language = wanted.find((one) => one in TEXTS) ?? "en";
	const [title, text, retry] = TEXTS[language];
	const style =
		"margin:20vh auto;padding:1rem;max-width:30rem;font:1rem/1.5 system-ui,sans-serif;color-scheme:light dark";
	const html = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title><body style="${style}"><main><h1>${title}</h1><p>${text}</p><p><a href="">${retry}</a></p></main></body></html>`;
	return new Response(html, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
