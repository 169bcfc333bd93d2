/** Texts of why a meter could not be read: the causes, most likely first. */
import type { Translations } from "./translations.js";

export const FAILURES = {
	"failure.silence": [
		"Nothing came back from the meter. Check that the head sits on its port, the right way round.",
		"Vom Zähler kam nichts zurück. Prüfe, ob der Kopf richtig herum auf der Schnittstelle sitzt.",
		"Licznik nie odpowiedział. Sprawdź, czy głowica jest na jego porcie, właściwie obrócona.",
	],
	"failure.echo": [
		"Only the gateway's own light came back: the head works, the meter is silent. Move the head.",
		"Nur das eigene Licht des Gateways kam zurück: der Kopf arbeitet, der Zähler schweigt. Verschiebe den Kopf.",
		"Wróciło tylko światło samej bramki: głowica działa, licznik milczy. Przesuń głowicę.",
	],
	"failure.noise": [
		"What came back was damaged. Turn the head, shade it from light, then lower the speed.",
		"Was zurückkam, war beschädigt. Drehe den Kopf, schirme ihn vor Licht ab, dann verringere die Geschwindigkeit.",
		"To, co wróciło, było uszkodzone. Obróć głowicę, osłoń ją od światła, potem zmniejsz prędkość.",
	],
	"failure.broken": [
		"The meter stopped in the middle. Check that the head sits firmly; then lower the speed or wait longer for answers.",
		"Der Zähler brach mittendrin ab. Prüfe, ob der Kopf fest sitzt; dann verringere die Geschwindigkeit oder warte länger auf Antworten.",
		"Licznik przerwał w połowie. Sprawdź, czy głowica dobrze przylega; potem zmniejsz prędkość lub wydłuż czas oczekiwania.",
	],
	"failure.unheard": [
		"The meter does not answer in DLMS/COSEM. Check that the head sits on its port, then how the conversation begins, and its speed; then the address (meter, logical device, length) and the client.",
		"Der Zähler antwortet nicht in DLMS/COSEM. Prüfe, ob der Kopf auf der Schnittstelle sitzt, dann Beginn und Geschwindigkeit des Gesprächs; dann die Adresse (Zähler, logisches Gerät, Länge) und den Client.",
		"Licznik nie odpowiada w DLMS/COSEM. Sprawdź, czy głowica jest na jego porcie, potem początek i prędkość rozmowy; potem adres (licznik, urządzenie logiczne, długość) i klienta.",
	],
	"failure.address": [
		"These addresses do not fit the meter. Check its address (meter, logical device, length), then the client.",
		"Diese Adressen passen nicht zum Zähler. Prüfe seine Adresse (Zähler, logisches Gerät, Länge), dann den Client.",
		"Te adresy nie pasują do licznika. Sprawdź jego adres (licznik, urządzenie logiczne, długość), potem klienta.",
	],
	"failure.protocol": [
		"The meter identified itself, but does not go on in DLMS/COSEM. Choose the usual protocol, or begin directly.",
		"Der Zähler hat sich gemeldet, fährt aber nicht in DLMS/COSEM fort. Wähle die übliche Sprache oder beginne direkt.",
		"Licznik się przedstawił, ale nie przechodzi na DLMS/COSEM. Wybierz zwykły język lub początek bezpośredni.",
	],
	"failure.refused": [
		"The meter refuses the connection. Another reader may be talking to it: wait two minutes. Then check the client and the address.",
		"Der Zähler lehnt die Verbindung ab. Vielleicht liest gerade ein anderes Gerät: warte zwei Minuten. Dann prüfe Client und Adresse.",
		"Licznik odmawia połączenia. Może rozmawia z nim inny czytnik: odczekaj dwie minuty. Potem sprawdź klienta i adres.",
	],
	"failure.level": [
		"This client goes with another kind of access. Change proof of access or encryption, then the client. If nothing helps, the meter wants what this gateway can't do.",
		"Zu diesem Client gehört ein anderer Zugang. Ändere Nachweis oder Verschlüsselung, dann den Client. Hilft nichts, verlangt der Zähler etwas, das dieses Gateway nicht kann.",
		"Ten klient wymaga innego dostępu. Zmień potwierdzenie dostępu lub szyfrowanie, potem klienta. Jeśli nic nie pomaga, licznik wymaga czegoś, czego ta bramka nie potrafi.",
	],
	"failure.mechanism": [
		"The meter wants a proof of access that this gateway can't give (HLS {what}). Ask your grid operator for a client with a password or GMAC.",
		"Der Zähler verlangt einen Nachweis, den dieses Gateway nicht geben kann (HLS {what}). Bitte den Netzbetreiber um einen Client mit Passwort oder GMAC.",
		"Licznik wymaga potwierdzenia, którego ta bramka nie potrafi dać (HLS {what}). Poproś operatora o klienta z hasłem lub GMAC.",
	],
	"failure.suite": [
		"The meter encrypts by security suite {what}, this gateway by suite 0 only. Ask your grid operator for a client with that.",
		"Der Zähler verschlüsselt nach Security Suite {what}, dieses Gateway nur nach Suite 0. Bitte den Netzbetreiber um einen Client damit.",
		"Licznik szyfruje według security suite {what}, ta bramka tylko według suite 0. Poproś operatora o klienta z nim.",
	],
	"failure.short": [
		"The meter goes by short names, which this gateway can't do. Choose the usual protocol, then another client.",
		"Der Zähler arbeitet mit Kurznamen (short names), das kann dieses Gateway nicht. Wähle die übliche Sprache, dann einen anderen Client.",
		"Licznik używa nazw skróconych (short names), czego ta bramka nie potrafi. Wybierz zwykły język, potem innego klienta.",
	],
	"failure.password": [
		"The meter refuses the access. Check the password or the keys, then the client.",
		"Der Zähler verweigert den Zugang. Prüfe Passwort oder Schlüssel, dann den Client.",
		"Licznik odmawia dostępu. Sprawdź hasło lub klucze, potem klienta.",
	],
	"failure.keys": [
		"The keys do not fit this meter. Check both keys, then the client.",
		"Die Schlüssel passen nicht zu diesem Zähler. Prüfe beide Schlüssel, dann den Client.",
		"Klucze nie pasują do tego licznika. Sprawdź oba klucze, potem klienta.",
	],
	"failure.counter": [
		"The meter takes no more messages under this key, because its counter is ahead. Ask your grid operator for new keys, or a client that may read the counter.",
		"Der Zähler nimmt unter diesem Schlüssel nichts mehr an, weil sein Zähler für Nachrichten weiter ist. Bitte den Netzbetreiber um neue Schlüssel oder einen Client, der ihn lesen darf.",
		"Licznik nie przyjmuje wiadomości pod tym kluczem, bo jego licznik wiadomości jest dalej. Poproś operatora o nowe klucze lub klienta, który może go odczytać.",
	],
	"failure.untrusted": [
		"The meter could not prove that it is the right one. Check the authentication key; do not trust it until that succeeds.",
		"Der Zähler konnte nicht beweisen, dass er der richtige ist. Prüfe den Authentifizierungsschlüssel; vertraue ihm bis dahin nicht.",
		"Licznik nie udowodnił, że jest właściwy. Sprawdź klucz uwierzytelniania; do tego czasu mu nie ufaj.",
	],
} as const satisfies Record<string, Translations>;
