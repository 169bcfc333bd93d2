/** Texts of the page "hub". */
import type { Translations } from "./translations.js";

export const HUB = {
	"hub.intro": [
		"The gateway can hand each reading to Home Assistant, a hub for the home, over your home network.",
		"Das Gateway kann jede Auslesung über das Heimnetz an Home Assistant übergeben, eine Zentrale fürs Zuhause.",
		"Bramka może przekazywać każdy odczyt przez sieć domową do Home Assistant, centrali domowej.",
	],
	"hub.stored": ["What is stored", "Was gespeichert ist", "Co jest zapisane"],
	"hub.token": ["Access token", "Zugangstoken", "Token dostępu"],
	"hub.cert": ["Certificate", "Zertifikat", "Certyfikat"],
	"hub.unsupported": [
		"The settings are kept, but this version of the firmware does not send to a hub.",
		"Die Einstellungen bleiben gespeichert, aber diese Version der Firmware sendet nicht an eine Zentrale.",
		"Ustawienia zostają zachowane, ale ta wersja oprogramowania nie wysyła danych do centrali.",
	],
	"hub.failed": [
		"The hub did not take the last values ({error}). Check the address and that the hub runs; a token that was revoked has to be created again there.",
		"Die Zentrale hat die letzten Werte nicht angenommen ({error}). Prüfen Sie die Adresse und ob die Zentrale läuft; ein widerrufenes Token muss dort neu erstellt werden.",
		"Centrala nie przyjęła ostatnich wartości ({error}). Sprawdź adres i czy centrala działa; unieważniony token trzeba utworzyć w niej na nowo.",
	],
	"hub.settings": ["Settings", "Einstellungen", "Ustawienia"],
	"hub.why": [
		"Address, token and certificate have to be entered together at every save: the gateway never shows the stored ones, and an old token must not go to a new address.",
		"Adresse, Token und Zertifikat sind bei jedem Speichern zusammen anzugeben: Das Gateway zeigt die gespeicherten nie an, und ein altes Token darf nicht an eine neue Adresse gehen.",
		"Adres, token i certyfikat trzeba podawać razem przy każdym zapisie: bramka nigdy nie pokazuje zapisanych, a stary token nie może trafić pod nowy adres.",
	],
	"hub.off": [
		"Nothing is sent. What is stored stays stored.",
		"Es wird nichts gesendet. Was gespeichert ist, bleibt es.",
		"Nic nie jest wysyłane. To, co zapisane, pozostaje zapisane.",
	],
	"hub.enabled": ["Send readings to the hub", "Auslesungen an die Zentrale senden", "Wysyłaj odczyty do centrali"],
	"hub.url": ["Address of the hub", "Adresse der Zentrale", "Adres centrali"],
	"hub.url.help": [
		"Like http://homeassistant.local:8123",
		"Etwa http://homeassistant.local:8123",
		"Na przykład http://homeassistant.local:8123",
	],
	"hub.token.help": [
		"In Home Assistant: your profile, security, long-lived access tokens, create token. It is shown only once there; copy it here.",
		"In Home Assistant: Profil, Sicherheit, langlebige Zugangstoken, Token erstellen. Es wird dort nur einmal gezeigt; kopieren Sie es hierher.",
		"W Home Assistant: profil, bezpieczeństwo, tokeny dostępu o długim okresie ważności, utwórz token. Jest tam pokazywany tylko raz; skopiuj go tutaj.",
	],
	"hub.cert.area": [
		"Certificate of the hub (PEM text)",
		"Zertifikat der Zentrale (PEM-Text)",
		"Certyfikat centrali (tekst PEM)",
	],
	"hub.cert.help": [
		"An address with https:// needs it: the hub's own, or that of the certificate authority which signed it. It begins with “-----BEGIN CERTIFICATE-----”. No private key.",
		"Eine Adresse mit https:// braucht es: das eigene der Zentrale oder das der Zertifizierungsstelle, die es unterschrieben hat. Es beginnt mit „-----BEGIN CERTIFICATE-----“. Kein privater Schlüssel.",
		"Adres z https:// go wymaga: własny certyfikat centrali albo certyfikat urzędu certyfikacji, który go podpisał. Zaczyna się od „-----BEGIN CERTIFICATE-----”. Bez klucza prywatnego.",
	],
	"hub.lang": ["Language of the names of values", "Sprache der Namen der Werte", "Język nazw wartości"],
} as const satisfies Record<string, Translations>;
