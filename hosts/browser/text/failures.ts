/** Texts of why a meter could not be read: the causes, most likely first. */
import type { Translations } from "./translations.js";

export const FAILURES = {
	"failure.silence": [
		"Nothing came back from the meter. Check that the head sits on its port, the right way round. A meter with a battery must be woken: there is a setting for that.",
		"Vom Zähler kam nichts zurück. Prüfe, ob der Kopf richtig herum auf der Schnittstelle sitzt. Ein Zähler mit Batterie muss geweckt werden: dafür gibt es eine Einstellung.",
		"Licznik nie odpowiedział. Sprawdź, czy głowica jest na jego porcie, właściwie obrócona. Licznik na baterii trzeba budzić: jest na to ustawienie.",
	],
	"failure.addressed": [
		"Nothing came back from the meter. Check the address that is set for it, or leave it empty; then the head. A meter with a battery must be woken: there is a setting for that.",
		"Vom Zähler kam nichts zurück. Prüfe die eingestellte Adresse oder lass sie leer; dann den Kopf. Ein Zähler mit Batterie muss geweckt werden: dafür gibt es eine Einstellung.",
		"Licznik nie odpowiedział. Sprawdź ustawiony adres licznika albo zostaw go pustym; potem głowicę. Licznik na baterii trzeba budzić: jest na to ustawienie.",
	],
	"failure.unheard": [
		"No whole telegram came from the meter. Check its speed, and that it sends by itself; then that the head sits on its port, the right way round.",
		"Vom Zähler kam kein ganzes Telegramm. Prüfe seine Geschwindigkeit und ob er von selbst sendet; dann, ob der Kopf richtig herum auf der Schnittstelle sitzt.",
		"Z licznika nie przyszedł cały telegram. Sprawdź jego prędkość i czy sam wysyła dane; potem, czy głowica jest na jego porcie, właściwie obrócona.",
	],
	"failure.echo": [
		"Only the gateway's own light came back: the head works, the meter is silent. Move the head; then check address and battery of the meter in its settings.",
		"Nur das eigene Licht des Gateways kam zurück: der Kopf arbeitet, der Zähler schweigt. Verschiebe den Kopf; dann prüfe Adresse und Batterie in den Einstellungen des Zählers.",
		"Wróciło tylko światło samej bramki: głowica działa, licznik milczy. Przesuń głowicę; potem sprawdź adres i baterię w ustawieniach licznika.",
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
	"failure.address": [
		"The meter does not answer in DLMS/COSEM. Check its address (meter, logical device, length), then the client, then how the connection begins, and its speed.",
		"Der Zähler antwortet nicht in DLMS/COSEM. Prüfe seine Adresse (Zähler, logisches Gerät, Länge), dann den Client, dann Beginn und Geschwindigkeit des Gesprächs.",
		"Licznik nie odpowiada w DLMS/COSEM. Sprawdź jego adres (licznik, urządzenie logiczne, długość), potem klienta, potem początek i prędkość rozmowy.",
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
		"This client goes with another kind of access. Change authentication or encryption, then the client.",
		"Zu diesem Client gehört ein anderer Zugang. Ändere Anmeldung oder Verschlüsselung, dann den Client.",
		"Ten klient wymaga innego dostępu. Zmień uwierzytelnianie lub szyfrowanie, potem klienta.",
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
