/** Texts about changes that happen while a page is shown. */
import type { Translations } from "./translations.js";

export const LIVE = {
	"stale.mark": ["no longer current", "nicht mehr aktuell", "już nieaktualne"],
	"stale.failed": [
		"The last attempt to read the meter ({age}) failed.",
		"Der letzte Versuch, den Zähler auszulesen ({age}), schlug fehl.",
		"Ostatnia próba odczytu licznika ({age}) nie powiodła się.",
	],
	"stale.since": [
		"There has been no good reading since {time}.",
		"Seit {time} gab es keine gültige Auslesung.",
		"Od {time} nie było udanego odczytu.",
	],
	"stale.late": [
		"A reading is due every {period}, but none has arrived since {time}. “Read now” shows the reason.",
		"Im Abstand von {period} war eine Auslesung fällig, seit {time} kam jedoch keine. „Jetzt auslesen“ sagt, warum.",
		"Odczyty miały następować w odstępie: {period}, ale od {time} żadnego nie było. „Odczytaj teraz” powie dlaczego.",
	],
	"stale.manual": [
		"The meter has not been read since {time}. “Read now” fetches the present values.",
		"Der Zähler wurde seit {time} nicht ausgelesen. „Jetzt auslesen“ holt die jetzigen Werte.",
		"Licznika nie odczytano od {time}. „Odczytaj teraz” pobierze bieżące wartości.",
	],

	"unsaved.title": ["Leave without saving?", "Ohne Speichern verlassen?", "Wyjść bez zapisania?"],
	"unsaved.text": [
		"Your changes on this page are not saved yet.",
		"Ihre Änderungen auf dieser Seite sind noch nicht gespeichert.",
		"Zmiany na tej stronie nie są jeszcze zapisane.",
	],
	"unsaved.list": ["Not saved: {list}", "Nicht gespeichert: {list}", "Niezapisane: {list}"],
	"unsaved.discard": ["Discard", "Verwerfen", "Odrzuć"],
	"unsaved.leave": ["Leave", "Verlassen", "Wyjdź"],

	"session.soon": [
		"Your session expires at {time}. You will be asked for your password; your input is kept.",
		"Ihre Sitzung endet um {time}. Dann wird das Passwort verlangt; Ihre Eingaben bleiben erhalten.",
		"Sesja skończy się o {time}. Trzeba będzie podać hasło; wpisane dane pozostaną.",
	],
	"ending.early": [
		"The gateway restarted, or this session was ended. Your input is kept.",
		"Das Gateway wurde neu gestartet oder die Sitzung beendet. Ihre Eingaben bleiben erhalten.",
		"Bramka uruchomiła się ponownie albo sesja została zakończona. Wpisane dane pozostają.",
	],
	"ending.restart": [
		"The gateway has restarted, which ends all sessions. Please log in again.",
		"Das Gateway ist neu gestartet. Dabei enden alle Sitzungen, deshalb bitte neu anmelden.",
		"Bramka uruchomiła się ponownie. Kończy to wszystkie sesje, dlatego zaloguj się jeszcze raz.",
	],
	"ending.update": [
		"The gateway has restarted after the update. Log in to see how it went.",
		"Das Gateway ist nach dem Update neu gestartet. Melden Sie sich an, um das Ergebnis zu sehen.",
		"Bramka uruchomiła się ponownie po aktualizacji. Zaloguj się, aby zobaczyć wynik.",
	],
	"ending.reset": [
		"The gateway has its factory settings again. Its password is the one on the label.",
		"Das Gateway hat wieder seine Werkseinstellungen. Das Passwort ist das auf dem Etikett.",
		"Bramka ma znów ustawienia fabryczne. Hasło jest takie jak na etykiecie.",
	],
	"ending.revoked": [
		"This display's token was revoked, or the gateway was reset. Set up a new display on the page “Security”.",
		"Das Token dieser Anzeige wurde widerrufen, oder das Gateway wurde zurückgesetzt. Richten Sie auf der Seite „Sicherheit“ eine neue Anzeige ein.",
		"Token tego wyświetlacza unieważniono albo bramkę zresetowano. Nowy wyświetlacz możesz dodać na stronie „Bezpieczeństwo”.",
	],
	"ending.forgotten": [
		"This device is no longer signed in: its token was revoked, or the gateway was reset.",
		"Dieses Gerät ist nicht mehr angemeldet: Sein Token wurde widerrufen, oder das Gateway wurde zurückgesetzt.",
		"To urządzenie nie jest już zalogowane: jego token unieważniono albo bramkę zresetowano.",
	],

	"display.end": ["End this display", "Diese Anzeige beenden", "Zakończ ten wyświetlacz"],

	"state.ap": ["own network", "eigenes Netz", "własna sieć"],
	"state.disconnected": ["not connected", "nicht verbunden", "brak połączenia"],
} as const satisfies Record<string, Translations>;
