/**
 * Service worker of the installed app. While the gateway cannot be reached, it shows an explanation instead of the
 * browser's error page. It caches nothing. main.tsx passes the texts to it in its address.
 */
const [language, title, text, retry] = new URLSearchParams(location.search).getAll("t");

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("fetch", (event) => {
	const { request } = event;
	if (request.mode === "navigate") event.respondWith(fetch(request).catch(explanation));
});

function explanation() {
	const style = "margin:20vh auto;padding:1rem;max-width:30rem;font:1rem/1.5 system-ui";
	const html = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title}</title><body style="${style}"><main><h1>${title}</h1><p>${text}</p><p><a href="">${retry}</a></p></main></body></html>`;
	return new Response(html, { status: 503, headers: { "Content-Type": "text/html" } });
}
