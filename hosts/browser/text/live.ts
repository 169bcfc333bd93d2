/** Texts of what changes under the page: the connection, the age of what is shown, the session, and what is not saved. */
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
		"A reading has been due every {period}, but none has come since {time}. “Read now” tells why.",
		"Im Abstand von {period} war eine Auslesung fällig, seit {time} kam jedoch keine. „Jetzt auslesen“ sagt, warum.",
		"Odczyty miały następować w odstępie: {period}, ale od {time} żadnego nie było. „Odczytaj teraz” powie dlaczego.",
	],
	"stale.manual": [
		"The meter has not been read since {time}. “Read now” fetches the present values.",
		"Der Zähler wurde seit {time} nicht ausgelesen. „Jetzt auslesen“ holt die jetzigen Werte.",
		"Licznika nie odczytano od {time}. „Odczytaj teraz” pobierze bieżące wartości.",
	],
	"zone.named": ["Times in the zone {zone}.", "Zeiten in der Zone {zone}.", "Czas w strefie {zone}."],

	"unsaved.title": ["Leave without saving?", "Ohne Speichern verlassen?", "Wyjść bez zapisania?"],
	"unsaved.text": [
		"What you typed on this page is not saved yet.",
		"Ihre Eingaben auf dieser Seite sind noch nicht gespeichert.",
		"Dane wpisane na tej stronie nie są jeszcze zapisane.",
	],
	"unsaved.leave": ["Leave", "Verlassen", "Wyjdź"],
	"unsaved.stay": ["Stay on this page", "Auf der Seite bleiben", "Zostań na stronie"],

	"session.soon": [
		"Your session ends at {time}. Then the password is wanted; nothing you typed is lost.",
		"Ihre Sitzung endet um {time}. Dann wird das Passwort verlangt; nichts Eingegebenes geht verloren.",
		"Sesja skończy się o {time}. Wtedy trzeba będzie podać hasło; nic z wpisanych danych nie zginie.",
	],
	"session.renew": ["Log in again now", "Jetzt neu anmelden", "Zaloguj się teraz ponownie"],
	"ending.early": [
		"The gateway has restarted, or somebody has ended this session. Log in again to go on; nothing you typed is lost.",
		"Das Gateway ist neu gestartet, oder jemand hat diese Sitzung beendet. Bitte neu anmelden; nichts Eingegebenes geht verloren.",
		"Bramka uruchomiła się ponownie albo ktoś zakończył tę sesję. Zaloguj się ponownie; nic z wpisanych danych nie zginie.",
	],
	"ending.restart": [
		"The gateway has restarted. A restart ends all sessions, so please log in again.",
		"Das Gateway ist neu gestartet. Dabei enden alle Sitzungen, deshalb bitte neu anmelden.",
		"Bramka uruchomiła się ponownie. Kończy to wszystkie sesje, dlatego zaloguj się jeszcze raz.",
	],
	"ending.certificate": [
		"The gateway has restarted with the other certificate. A restart ends all sessions, so please log in again.",
		"Das Gateway ist mit dem anderen Zertifikat neu gestartet. Dabei enden alle Sitzungen, deshalb bitte neu anmelden.",
		"Bramka uruchomiła się ponownie z innym certyfikatem. Kończy to wszystkie sesje, dlatego zaloguj się jeszcze raz.",
	],
	"ending.reset": [
		"The gateway has its factory settings again. The password is the one on its label.",
		"Das Gateway hat wieder seine Werkseinstellungen. Das Passwort ist das auf dem Etikett.",
		"Bramka ma znów ustawienia fabryczne. Hasło to to z etykiety.",
	],
	"ending.revoked": [
		"This display may no longer read: its token was revoked, or the gateway was reset. On the page “Security” of the gateway a new display can be set up.",
		"Diese Anzeige darf nicht mehr lesen: Ihr Token wurde widerrufen, oder das Gateway wurde zurückgesetzt. Auf der Seite „Sicherheit“ des Gateways lässt sich eine neue Anzeige einrichten.",
		"Ten wyświetlacz nie ma już dostępu: jego token unieważniono albo bramkę zresetowano. Nowy wyświetlacz można dodać na stronie „Bezpieczeństwo” bramki.",
	],

	"display.login": ["Log in", "Anmelden", "Zaloguj"],
	"display.end": [
		"End the display on this device",
		"Anzeige auf diesem Gerät beenden",
		"Zakończ wyświetlanie na tym urządzeniu",
	],
	"error.forbidden_scope": [
		"This display may only read.",
		"Diese Anzeige darf nur lesen.",
		"Ten wyświetlacz może tylko odczytywać.",
	],

	"state.ap": ["own network", "eigenes Netz", "własna sieć"],
	"state.disconnected": ["not connected", "nicht verbunden", "brak połączenia"],
} as const satisfies Record<string, Translations>;
