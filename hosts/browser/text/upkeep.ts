/** Texts of the page "maintenance". */
import type { Translations } from "./translations.js";

export const UPKEEP = {
	"file.drop": ["Or drop the file here.", "Oder die Datei hier ablegen.", "Albo upuść plik tutaj."],
	"update.title": ["Firmware update", "Firmware-Update", "Aktualizacja oprogramowania"],
	"update.installed": ["Installed version", "Installierte Version", "Zainstalowana wersja"],
	"update.intro": [
		"An update keeps all settings. Its file name ends in “.ota”, and the file must be made for this model.",
		"Ein Update behält alle Einstellungen. Der Dateiname endet auf „.ota“, und die Datei muss für dieses Modell gemacht sein.",
		"Aktualizacja zachowuje wszystkie ustawienia. Jej plik kończy się na „.ota” i musi być przeznaczony dla tego modelu.",
	],
	"update.file": ["Firmware file", "Firmware-Datei", "Plik oprogramowania"],
	"update.version": ["Version in the file", "Version in der Datei", "Wersja w pliku"],
	"update.board": ["Made for", "Gemacht für", "Przeznaczona dla"],
	"update.size": ["Size", "Größe", "Rozmiar"],
	"update.foreign": [
		"This isn't a firmware file for such a gateway.",
		"Das ist keine Firmware-Datei für ein solches Gateway.",
		"To nie jest plik oprogramowania takiej bramki.",
	],
	"update.same": ["This version is already running.", "Diese Version läuft bereits.", "Ta wersja już działa."],
	"update.older": [
		"This version is older than the one running.",
		"Diese Version ist älter als die laufende.",
		"Ta wersja jest starsza od działającej.",
	],
	"update.time": [
		"Over Wi-Fi it takes from half a minute to a few minutes. Keep this page open and the gateway's power on.",
		"Über WLAN dauert es eine halbe bis einige Minuten. Lassen Sie diese Seite offen und das Gateway am Strom.",
		"Przez Wi-Fi trwa to od pół minuty do kilku minut. Nie zamykaj tej strony i nie odłączaj zasilania bramki.",
	],
	"update.go": ["Install version {version}", "Version {version} installieren", "Zainstaluj wersję {version}"],
	"update.running": ["Update to {version}", "Update auf {version}", "Aktualizacja do {version}"],
	"update.sending": [
		"The file is on its way to the gateway. Keep this page open.",
		"Die Datei wird übertragen. Lassen Sie diese Seite offen.",
		"Trwa przesyłanie pliku. Nie zamykaj tej strony.",
	],
	"update.checking": [
		"The gateway is checking the new version in its memory.",
		"Das Gateway prüft die neue Version in seinem Speicher.",
		"Bramka sprawdza nową wersję w swojej pamięci.",
	],
	"update.coming": [
		"A new version is arriving: from its server, over Zigbee or from another page. Over Zigbee this takes hours.",
		"Eine neue Version kommt an: von ihrem Server, über Zigbee oder von einer anderen Seite. Über Zigbee dauert es Stunden.",
		"Przychodzi nowa wersja: z serwera, przez Zigbee albo z innej strony. Przez Zigbee trwa to godziny.",
	],
	"update.leave": ["Cancel the update?", "Update abbrechen?", "Anulować aktualizację?"],
	"update.unchanged": [
		"The gateway stays as it was.",
		"Das Gateway bleibt, wie es war.",
		"Bramka pozostaje bez zmian.",
	],
	"update.trial": [
		"Version {version} is on trial. If it works for a minute, it stays; otherwise the gateway returns to the previous version. Leave its power on.",
		"Version {version} läuft auf Probe. Funktioniert sie eine Minute lang, bleibt sie; sonst kehrt das Gateway zur vorigen Version zurück. Lassen Sie den Strom eingeschaltet.",
		"Wersja {version} działa na próbę. Jeśli przez minutę będzie sprawna, zostanie; jeśli zawiedzie, bramka sama wróci do poprzedniej. Nie odłączaj zasilania.",
	],
	"update.done": [
		"The update worked: version {version} is running.",
		"Das Update ist gelungen: Version {version} läuft.",
		"Aktualizacja powiodła się: działa wersja {version}.",
	],
	"update.last": [
		"The last update failed.",
		"Das letzte Update schlug fehl.",
		"Ostatnia aktualizacja nie powiodła się.",
	],
	"update.newer": [
		"Version {version} is available. The gateway fetches it from the internet and checks its signature.",
		"Version {version} ist verfügbar. Das Gateway holt sie aus dem Internet und prüft ihre Signatur.",
		"Dostępna jest wersja {version}. Bramka pobierze ją z internetu i sprawdzi jej podpis.",
	],
	"update.unfetched": [
		"If the gateway has no access to the internet, save the file by this link and choose it below.",
		"Hat das Gateway keinen Zugang zum Internet, speichern Sie die Datei mit diesem Link und wählen Sie sie unten aus.",
		"Jeśli bramka nie ma dostępu do internetu, zapisz plik tym linkiem i wybierz go poniżej.",
	],
	"update.fetch": ["Save the file", "Datei speichern", "Zapisz plik"],
	"update.never": [
		"This firmware has no key to check updates with: other firmware can only be installed by cable.",
		"Diese Firmware hat keinen Schlüssel zum Prüfen von Updates: Eine andere lässt sich nur per Kabel aufspielen.",
		"To oprogramowanie nie ma klucza do sprawdzania aktualizacji: inne można wgrać tylko kablem.",
	],
	"upgrade.title": ["Newer versions", "Neuere Versionen", "Nowsze wersje"],
	"upgrade.check": ["Check daily for updates", "Täglich nach Updates suchen", "Codziennie sprawdzaj aktualizacje"],
	"upgrade.check.help": [
		"Shown on the overview; never installed automatically.",
		"Wird in der Übersicht gezeigt und nie von selbst installiert.",
		"Pokazywana w przeglądzie; nigdy nie instaluje się sama.",
	],
	"upgrade.url": ["Address of the firmware file", "Adresse der Firmware-Datei", "Adres pliku oprogramowania"],
	"upgrade.url.help": [
		"It begins with https://. Leave it empty for the default address.",
		"Sie beginnt mit https://. Leer lassen für die voreingestellte.",
		"Zaczyna się od https://. Puste: adres domyślny.",
	],
	"backup.title": ["Backup", "Sicherung", "Kopia zapasowa"],
	"data.title": ["Data in the gateway", "Daten im Gateway", "Dane w bramce"],
	"data.history": [
		"Consumption: quarter hours for 2 days, hours for 14 days, days for up to 800 days, months for ten years. You can save it under Consumption.",
		"Verbrauch: Viertelstunden 2 Tage lang, Stunden 14 Tage, Tage bis zu 800 Tage, Monate zehn Jahre. Unter „Verbrauch“ können Sie ihn speichern.",
		"Zużycie: kwadranse przez 2 dni, godziny przez 14 dni, dni do 800 dni, miesiące przez dziesięć lat. Można je zapisać w zakładce „Zużycie”.",
	],
	"data.last": [
		"The meter's last readout, until the next one.",
		"Die letzte Auslesung des Zählers, bis zur nächsten.",
		"Ostatni odczyt licznika, do następnego.",
	],
	"data.log": [
		"The log with starts, failures and the addresses of those who signed in, until new entries need the room.",
		"Das Protokoll mit Starts, Fehlern und den Adressen der Anmeldungen, bis neue Einträge den Platz brauchen.",
		"Dziennik z uruchomieniami, błędami i adresami logowań, dopóki nowe wpisy nie zajmą miejsca.",
	],
	"data.settings": [
		"Settings, passwords and keys, until you change them. The backup has the settings.",
		"Einstellungen, Passwörter und Schlüssel, bis Sie sie ändern. Die Sicherung enthält die Einstellungen.",
		"Ustawienia, hasła i klucze, dopóki ich nie zmienisz. Kopia zapasowa zawiera ustawienia.",
	],
	"data.sent": [
		"Nothing goes to the manufacturer by itself. Readings go only where you send them.",
		"Nichts geht von selbst an den Hersteller. Messwerte gehen nur dorthin, wohin Sie sie senden.",
		"Nic nie trafia samo do producenta. Odczyty trafiają tylko tam, dokąd je wysyłasz.",
	],
	"data.delete": [
		"The factory settings (under System) delete all of this.",
		"Die Werkseinstellungen (unter „System“) löschen all das.",
		"Ustawienia fabryczne (w zakładce „System”) usuwają to wszystko.",
	],
	"backup.intro": [
		"All settings as a file, without passwords, keys and certificates, and without the history. It can be restored to this gateway or to another one, after an update too.",
		"Alle Einstellungen als Datei, ohne Passwörter, Schlüssel und Zertifikate und ohne den Verlauf. Sie lassen sich in dieses oder ein anderes Gateway zurückspielen, auch nach einem Update.",
		"Wszystkie ustawienia w pliku, bez haseł, kluczy i certyfikatów oraz bez historii. Można je przywrócić w tej lub innej bramce, także po aktualizacji.",
	],
	"backup.go": ["Download backup", "Sicherung herunterladen", "Pobierz kopię"],
	"restore.title": ["Restore", "Wiederherstellen", "Przywracanie"],
	"restore.file": ["Backup file", "Sicherungsdatei", "Plik kopii zapasowej"],
	"restore.foreign": [
		"This isn't a backup of such a gateway.",
		"Das ist keine Sicherung eines solchen Gateways.",
		"To nie jest kopia zapasowa takiej bramki.",
	],
	"restore.has": ["Settings from", "Einstellungen von", "Ustawienia"],
	"restore.help": [
		"These settings replace the present ones, all or none. Stored passwords stay where they still fit.",
		"Diese Einstellungen ersetzen die jetzigen, alle oder keine. Gespeicherte Passwörter bleiben, wo sie noch passen.",
		"Te ustawienia zastąpią obecne, wszystkie albo żadne. Zapisane hasła pozostaną tam, gdzie nadal pasują.",
	],
	"restore.go": ["Restore these settings", "Diese Einstellungen zurückspielen", "Przywróć te ustawienia"],
	"restore.running": ["Restoring …", "Wird zurückgespielt …", "Przywracanie …"],
	"restore.done": ["Settings restored: {n}.", "Zurückgespielte Einstellungen: {n}.", "Przywrócone ustawienia: {n}."],
	"restore.again": [
		"These are not in the file and must be entered again:",
		"Diese stehen nicht in der Datei und sind neu einzugeben:",
		"Tych nie ma w pliku i trzeba je wpisać ponownie:",
	],
	"restore.ignored": [
		"This firmware does not know these settings and left them out:",
		"Diese Firmware kennt das nicht und hat es ausgelassen:",
		"Tego oprogramowanie nie zna i pominęło to:",
	],
	"report.title": ["Report for the manufacturer", "Bericht für den Hersteller", "Raport dla producenta"],
	"report.intro": [
		"When something does not work, this file helps to find out why. It is encrypted: only the manufacturer of the firmware can read it. It contains:",
		"Wenn etwas nicht funktioniert, hilft diese Datei bei der Suche. Sie ist verschlüsselt: Nur der Hersteller der Firmware kann sie lesen. Darin stehen:",
		"Gdy coś nie działa, ten plik pomaga znaleźć przyczynę. Jest zaszyfrowany: odczyta go tylko producent oprogramowania. Zawiera:",
	],
	/** One item for each section of docs/diagnostic-report.md. */
	"report.list": [
		"the gateway's time and how long it has run; model, version and serial number; how the last update went; why it has started; state and strength of the connections; state, type and last readout of the meter; all settings that are not personal; counters, memory and voltages; the log; the communication with the meter, if it is recorded",
		"Uhrzeit und Laufzeit des Gateways; Modell, Version und Seriennummer; wie das letzte Update ausging; warum es gestartet ist; Zustand und Stärke der Verbindungen; Zustand, Typ und letzte Auslesung des Zählers; alle Einstellungen, die nicht persönlich sind; Statistik des Betriebs, Speicher und Spannungen; die Ereignisse; der Datenaustausch mit dem Zähler, wenn er aufgezeichnet wird",
		"czas bramki i czas jej pracy; model, wersja i numer seryjny; przebieg ostatniej aktualizacji; przyczyna uruchomienia; stan i siła połączeń; stan, typ i ostatni odczyt licznika; wszystkie ustawienia, które nie są osobiste; statystyki pracy, pamięć i napięcia; dziennik; komunikacja z licznikiem, jeśli jest zapisywana",
	],
	"report.not": [
		"It never contains passwords, keys, tokens, certificates, names or addresses. Readings and the meter's number are only in the communication:",
		"Nie darin: Passwörter, Schlüssel, Token, Zertifikate, Namen, Adressen. Messwerte und die Nummer des Zählers stehen nur im Datenaustausch:",
		"Nigdy nie zawiera: haseł, kluczy, tokenów, certyfikatów, nazw, adresów. Odczyty i numer licznika są tylko w komunikacji:",
	],
	"report.log": [
		"To have it in the report, switch it on, read the meter, then download. Switching it off deletes it.",
		"Damit er im Bericht steht: einschalten, Zähler auslesen, dann herunterladen. Beim Ausschalten wird er gelöscht.",
		"Aby raport ją zawierał: włącz, odczytaj licznik, potem pobierz. Wyłączenie usuwa zapis.",
	],
	"report.send": [
		"Send the file to the manufacturer, with a few words on what goes wrong and since when.",
		"Senden Sie die Datei an den Hersteller, mit ein paar Worten, was nicht geht und seit wann.",
		"Wyślij plik producentowi i napisz krótko, co nie działa i od kiedy.",
	],
	"report.go": ["Download report", "Bericht herunterladen", "Pobierz raport"],
	"report.none": [
		"This firmware has no manufacturer's key, so it can't encrypt a report.",
		"Diese Firmware hat keinen Schlüssel eines Herstellers und kann keinen Bericht verschlüsseln.",
		"To oprogramowanie nie ma klucza producenta i nie może zaszyfrować raportu.",
	],
	"error.ota_interrupted": [
		"The connection was lost before the whole file had arrived. Try again, closer to the router if necessary.",
		"Die Verbindung brach ab, bevor die Datei ganz da war. Versuchen Sie es noch einmal, wenn nötig näher am Router.",
		"Połączenie przerwano, zanim dotarł cały plik. Spróbuj ponownie, w razie potrzeby bliżej routera.",
	],
	"error.ota_unreachable": [
		"The server of the new version can't be reached.",
		"Der Server mit der neuen Version ist nicht erreichbar.",
		"Serwer z nową wersją jest nieosiągalny.",
	],
	"error.ota_not_found": [
		"The server does not send the new version.",
		"Der Server liefert die neue Version nicht.",
		"Serwer nie wysyła nowej wersji.",
	],
	"error.no_upgrade": [
		"No newer version is known.",
		"Es ist keine neuere Version bekannt.",
		"Nie ma informacji o nowszej wersji.",
	],
	"error.ota_invalid_image": [
		"The file is damaged or incomplete. Download it again.",
		"Die Datei ist beschädigt oder unvollständig: Laden Sie sie noch einmal herunter.",
		"Plik jest uszkodzony lub niepełny: pobierz go ponownie.",
	],
	"error.ota_bad_signature": [
		"The file is not signed by the manufacturer of this firmware. Get it from there.",
		"Die Datei ist nicht vom Hersteller dieser Firmware signiert. Laden Sie sie bei ihm herunter.",
		"Plik nie jest podpisany przez producenta tego oprogramowania: pobierz go od niego.",
	],
	"error.ota_wrong_device": [
		"The file is for another model. Choose the one for this model.",
		"Die Datei ist für ein anderes Modell: Wählen Sie die für dieses.",
		"Plik jest dla innego modelu: wybierz plik dla tego modelu.",
	],
	"error.ota_downgrade": [
		"This version lacks security fixes that the gateway has: choose a newer one.",
		"Dieser Version fehlen Sicherheitskorrekturen, die das Gateway hat: Wählen Sie eine neuere.",
		"Tej wersji brakuje poprawek bezpieczeństwa, które bramka już ma: wybierz nowszą.",
	],
	"error.ota_write_failed": [
		"The gateway could not write the file to its memory: try again. If this keeps happening, the memory is worn out.",
		"Das Gateway konnte die Datei nicht in seinen Speicher schreiben: Versuchen Sie es noch einmal. Bleibt es so, ist er abgenutzt.",
		"Bramka nie mogła zapisać pliku w pamięci: spróbuj ponownie. Jeśli to się powtarza, pamięć jest zużyta.",
	],
	"error.ota_low_power": [
		"The power supply is too weak for an update: connect the gateway to USB power, or change its batteries.",
		"Die Versorgung ist zu schwach für ein Update: Schließen Sie das Gateway an USB an oder wechseln Sie die Batterien.",
		"Zasilanie jest za słabe na aktualizację: podłącz bramkę do USB albo wymień baterie.",
	],
	"error.rolled_back": [
		"The new version failed, so the gateway returned to version {version}, with all settings. The report on this page helps the manufacturer.",
		"Die neue Version funktionierte nicht, deshalb läuft wieder Version {version}, mit allen Einstellungen. Der Bericht auf dieser Seite hilft dem Hersteller.",
		"Nowa wersja zawiodła, więc bramka wróciła do poprzedniej: działa wersja {version}, ze wszystkimi ustawieniami. Raport na tej stronie pomoże producentowi.",
	],
} as const satisfies Record<string, Translations>;
