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
	"failure.unasked": [
		"The meter sends by itself what the gateway has not asked for. “Start trying” on the page “Meter” finds out what it is.",
		"Der Zähler sendet von selbst, wonach das Gateway nicht gefragt hat. „Versuche starten“ auf der Seite „Zähler“ findet heraus, was es ist.",
		"Licznik sam wysyła coś, o co bramka nie pytała. „Zacznij próby” na stronie „Licznik” wykryje, co to jest.",
	],
	"finding.ascii": [
		"The meter sends its values by itself, at {n} baud (mode D).",
		"Der Zähler sendet seine Werte von selbst, mit {n} Baud (Modus D).",
		"Licznik sam wysyła swoje wartości z prędkością {n} bodów (tryb D).",
	],
	"finding.sml": [
		"The meter sends its values by itself in SML, at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in SML, mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w SML, z prędkością {n} bodów.",
	],
	"finding.dlms_hdlc": [
		"The meter sends its values by itself in DLMS/COSEM (push, in HDLC), at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in DLMS/COSEM (Push, in HDLC), mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w DLMS/COSEM (push, w HDLC), z prędkością {n} bodów.",
	],
	"finding.dlms_mbus": [
		"The meter sends its values by itself in DLMS/COSEM (push, in M-Bus), at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in DLMS/COSEM (Push, in M-Bus), mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w DLMS/COSEM (push, w M-Bus), z prędkością {n} bodów.",
	],
	"finding.dlms_wrapper": [
		"The meter sends its values by itself in DLMS/COSEM (push, in the TCP wrapper), at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in DLMS/COSEM (Push, im TCP-Wrapper), mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w DLMS/COSEM (push, w ramkach TCP), z prędkością {n} bodów.",
	],
	"finding.later": [
		"This gateway can't read that yet.",
		"Das kann dieses Gateway noch nicht lesen.",
		"Tego ta bramka jeszcze nie odczyta.",
	],
	"finding.noise": [
		"Something arrives without being asked for, but it makes no sense at any usual speed: probably light. Shade the head and turn it.",
		"Es kommt ungefragt etwas an, das bei keiner üblichen Geschwindigkeit Sinn ergibt: vermutlich Licht. Schirme den Kopf ab und drehe ihn.",
		"Coś dociera bez pytania, ale przy żadnej zwykłej prędkości nie ma sensu: zapewne światło. Osłoń głowicę i obróć ją.",
	],
	"finding.asked.iec62056": [
		"The meter answers the usual question (IEC 62056-21), but the gateway is set to something else.",
		"Der Zähler antwortet auf die übliche Frage (IEC 62056-21), das Gateway ist aber anders eingestellt.",
		"Licznik odpowiada na zwykłe pytanie (IEC 62056-21), ale bramka jest ustawiona inaczej.",
	],
	"finding.asked.dlms": [
		"The meter answers in DLMS/COSEM, but the gateway asks in another way.",
		"Der Zähler antwortet in DLMS/COSEM, das Gateway fragt aber anders.",
		"Licznik odpowiada w DLMS/COSEM, ale bramka pyta inaczej.",
	],
	"finding.set": ["Set it so", "So einstellen", "Tak ustaw"],
	"finding.done": [
		"The gateway is set to this meter. Read it now.",
		"Das Gateway ist auf diesen Zähler eingestellt. Lies ihn jetzt aus.",
		"Bramka jest ustawiona na ten licznik. Odczytaj go teraz.",
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
