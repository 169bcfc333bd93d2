/** Texts of the first set-up, and of the form for a new password. */
import type { Translations } from "./translations.js";

export const WIZARD = {
	"wizard.title": ["Set up your gateway", "Gateway einrichten", "Konfiguracja bramki"],
	"wizard.step": ["Step {n} of {all}", "Schritt {n} von {all}", "Krok {n} z {all}"],
	"wizard.next": ["Next", "Weiter", "Dalej"],
	"wizard.back": ["Back", "Zurück", "Wstecz"],
	"wizard.skip": ["Skip", "Überspringen", "Pomiń"],
	"wizard.save": ["Save and continue", "Speichern und weiter", "Zapisz i przejdź dalej"],
	"wizard.finish": ["Finish", "Abschließen", "Zakończ"],
	"wizard.leave": ["Leave the set-up", "Einrichtung verlassen", "Opuść konfigurację"],
	"wizard.hello": [
		"A few steps lead to the first reading. Have the gateway's label and the Wi-Fi password at hand, and stay near the meter. You can skip each step.",
		"Wenige Schritte führen zur ersten Auslesung. Halten Sie Etikett und WLAN-Passwort bereit und bleiben Sie beim Zähler. Jeder Schritt lässt sich überspringen.",
		"Do pierwszego odczytu prowadzi kilka kroków. Przygotuj etykietę bramki i hasło do Wi-Fi i zostań przy liczniku. Każdy krok można pominąć.",
	],
	"wizard.password": ["New password", "Ein eigenes Passwort", "Własne hasło"],
	"wizard.password.why": [
		"Everyone who sees the label can read its password. Choose one that only you know.",
		"Wer das Etikett sieht, kennt das Passwort darauf. Wählen Sie eines, das niemand sonst kennt.",
		"Każdy, kto widzi etykietę, zna hasło z niej. Wybierz takie, którego nie zna nikt inny.",
	],
	"wizard.time": ["Time", "Uhrzeit", "Czas"],
	"wizard.time.why": [
		"Each reading is stored with its time. With Wi-Fi, the clock is set over the internet.",
		"Jede Auslesung wird mit ihrer Zeit gespeichert. Mit WLAN wird die Uhr über das Internet gestellt.",
		"Każdy odczyt jest zapisywany z czasem. Z Wi-Fi zegar ustawi się przez internet.",
	],
	"wizard.clock.now": ["Clock of the gateway", "Uhr des Gateways", "Zegar bramki"],
	"wizard.clock.set": ["Use this device's time", "Uhrzeit dieses Geräts übernehmen", "Przejmij czas z tego urządzenia"],
	"wizard.clock.unset": [
		"The clock is not set yet. “Save and continue” takes the time from this device.",
		"Die Uhr ist noch nicht gestellt. „Speichern und weiter“ übernimmt die Uhrzeit dieses Geräts.",
		"Zegar nie jest jeszcze ustawiony. „Zapisz i przejdź dalej” przejmie czas z tego urządzenia.",
	],
	"wizard.meter.other": ["Not working?", "Klappt es nicht?", "Nie działa?"],
	"wizard.meter.page": [
		"More, such as address and speed, is on the page “Meter” after the set-up.",
		"Mehr, etwa Adresse und Geschwindigkeit, steht nach der Einrichtung auf der Seite „Zähler“.",
		"Więcej ustawień, na przykład adres i prędkość, jest po konfiguracji na stronie „Licznik”.",
	],
	"wizard.reading": ["The first reading", "Die erste Auslesung", "Pierwszy odczyt"],
	"wizard.reading.why": [
		"As soon as the head sits well, the gateway reads the meter. This takes up to a minute.",
		"Sobald der Kopf gut sitzt, liest das Gateway den Zähler aus. Das dauert bis zu einer Minute.",
		"Gdy głowica jest dobrze ustawiona, bramka odczytuje licznik. Może to potrwać do minuty.",
	],
	"wizard.access.read": ["Save and read", "Speichern und auslesen", "Zapisz i odczytaj"],
	"wizard.access.limited": [
		"The meter shows its counters only with a password or keys. Ask your grid operator for them.",
		"Der Zähler zeigt seine Zählerstände nur mit Passwort oder Schlüsseln. Fragen Sie den Netzbetreiber danach.",
		"Licznik pokazuje stany tylko po podaniu hasła lub kluczy. Poproś o nie operatora sieci.",
	],
	"client.name": ["Access {n}", "Zugang {n}", "Dostęp {n}"],
	"client.trying": [
		"Trying the usual kinds of access …",
		"Die üblichen Zugänge werden probiert …",
		"Próba zwykłych rodzajów dostępu …",
	],
	"client.is.works": ["works without access data", "geht ohne Zugangsdaten", "działa bez danych dostępu"],
	"client.is.limited": ["does not show the counters", "zeigt keine Zählerstände", "nie pokazuje stanów"],
	"client.is.locked": [
		"wants keys or a password, usually: {what}",
		"verlangt Zugangsdaten, meist: {what}",
		"wymaga danych dostępu, zwykle: {what}",
	],
	"client.is.none": ["no answer or refused", "keine Antwort oder abgelehnt", "brak odpowiedzi lub odmowa"],
	"wizard.pin": [
		"The meter sends whole kilowatt hours only, and no power. Most meters do so until their PIN is entered.",
		"Der Zähler sendet nur ganze Kilowattstunden und keine Leistung. Die meisten tun das, bis ihre PIN eingegeben ist.",
		"Licznik wysyła tylko pełne kilowatogodziny, bez mocy. Większość liczników robi tak, dopóki nie poda się PIN-u.",
	],
	"wizard.reading.done": [
		"Meter {meter} was read. Values: {n}, among them:",
		"Der Zähler {meter} wurde ausgelesen. Werte: {n}, darunter:",
		"Odczytano licznik {meter}. Wartości: {n}, między innymi:",
	],
	"wizard.wifi.why": [
		"This step comes last, because the gateway's own network may disappear once it has joined your Wi-Fi.",
		"Dieser Schritt kommt zuletzt, denn das eigene Netz des Gateways kann verschwinden, sobald es im Heimnetz ist.",
		"Ten krok jest ostatni, ponieważ własna sieć bramki może zniknąć, gdy bramka dołączy do sieci domowej.",
	],
	"wizard.wifi.joined": [
		"The gateway is already in the network “{ssid}”.",
		"Das Gateway ist schon im Netz „{ssid}“.",
		"Bramka jest już w sieci „{ssid}”.",
	],
	"wizard.wifi.other": ["Join another network", "Ein anderes Netz wählen", "Wybierz inną sieć"],
	"wizard.done": ["All done", "Fertig", "Gotowe"],
	"wizard.done.wifi": [
		"The gateway has joined the Wi-Fi. Connect this device to “{ssid}” too, then open one of these addresses:",
		"Das Gateway ist jetzt im WLAN. Verbinden Sie auch dieses Gerät mit dem WLAN „{ssid}“ und öffnen Sie dann eine dieser Adressen:",
		"Bramka jest teraz w sieci Wi-Fi. Połącz także to urządzenie z siecią „{ssid}”, a potem otwórz jeden z tych adresów:",
	],
	"wizard.done.here": [
		"Note down one of these addresses, for example as a bookmark:",
		"Merken Sie sich eine dieser Adressen, zum Beispiel als Lesezeichen:",
		"Zapamiętaj jeden z tych adresów, na przykład jako zakładkę:",
	],
	"wizard.done.certificate": [
		"The browser will warn once that it does not know the certificate, because the gateway made it itself. Choose “Advanced” and continue. Then log in again.",
		"Der Browser warnt einmal, dass er das Zertifikat nicht kennt, denn das Gateway hat es selbst ausgestellt. Wählen Sie „Erweitert“ und fahren Sie fort. Melden Sie sich danach neu an.",
		"Przeglądarka raz ostrzeże, że nie zna certyfikatu, bo bramka wystawiła go sama. Wybierz „Zaawansowane” i kontynuuj. Potem zaloguj się ponownie.",
	],
	"wizard.done.alone": [
		"The gateway is in no Wi-Fi yet. Over its own network “{ssid}” it can be reached at http://192.168.4.1/, where the network page can join a Wi-Fi.",
		"Das Gateway ist noch in keinem WLAN. Über sein eigenes Netz „{ssid}“ ist es unter http://192.168.4.1/ erreichbar; dort lässt sich auf der Netzwerkseite ein WLAN wählen.",
		"Bramka nie jest jeszcze w żadnej sieci Wi-Fi. Przez własną sieć „{ssid}” jest dostępna pod adresem http://192.168.4.1/; tam na stronie sieci można wybrać Wi-Fi.",
	],
	"wizard.overview": ["To the overview", "Zur Übersicht", "Do przeglądu"],

	"password.old": ["Current password", "Bisheriges Passwort", "Dotychczasowe hasło"],
	"password.new": ["New password", "Neues Passwort", "Nowe hasło"],
	"password.help": [
		"At least 8 characters. Several words in a row are easy to remember and hard to guess.",
		"Mindestens 8 Zeichen. Mehrere Wörter hintereinander sind leicht zu merken und schwer zu erraten.",
		"Co najmniej 8 znaków. Kilka słów z rzędu łatwo zapamiętać, a trudno odgadnąć.",
	],
	"password.repeat": ["New password again", "Neues Passwort wiederholen", "Powtórz nowe hasło"],
	"password.change": ["Change password", "Passwort ändern", "Zmień hasło"],
	"password.changed": ["The password was changed.", "Das Passwort wurde geändert.", "Hasło zostało zmienione."],
	"password.fair": [
		"Long enough; longer is better.",
		"Lang genug; länger ist besser.",
		"Wystarczająco długie; dłuższe jest lepsze.",
	],
	"password.strong": ["A good length.", "Eine gute Länge.", "Dobra długość."],
	"error.password_repeat": [
		"The two new passwords differ.",
		"Die beiden neuen Passwörter sind verschieden.",
		"Nowe hasła różnią się od siebie.",
	],
} as const satisfies Record<string, Translations>;
