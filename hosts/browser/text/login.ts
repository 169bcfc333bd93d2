/** Texts of the login. */
import type { Translations } from "./translations.js";

export const LOGIN = {
	"login.title": ["Log in", "Anmelden", "Logowanie"],
	"login.again": [
		"Your session has ended. Log in again to go on; nothing you typed is lost.",
		"Die Sitzung ist abgelaufen. Bitte wieder anmelden; nichts Eingegebenes geht verloren.",
		"Sesja wygasła. Zaloguj się ponownie; wpisane dane nie przepadną.",
	],
	"login.user": ["User", "Benutzer", "Użytkownik"],
	"login.password": ["Password", "Passwort", "Hasło"],
	"login.first": [
		"On a new gateway this is the password printed on its label.",
		"Bei einem neuen Gateway ist es das Passwort auf dem Etikett.",
		"W nowej bramce jest to hasło z etykiety.",
	],
	"login.keep": [
		"Keep this device signed in for reading",
		"Auf diesem Gerät zum Ablesen angemeldet bleiben",
		"Nie wylogowuj tego urządzenia (tylko odczyt)",
	],
	"login.keep.help": [
		"Not on shared computers. Settings still ask for the password.",
		"Nicht auf gemeinsam genutzten Computern. Einstellungen fragen weiterhin nach dem Passwort.",
		"Nie na współdzielonych komputerach. Ustawienia nadal wymagają hasła.",
	],
	"login.keep.failed": [
		"This device does not stay signed in.",
		"Dieses Gerät bleibt nicht angemeldet.",
		"To urządzenie nie pozostanie zalogowane.",
	],
	"login.go": ["Log in", "Anmelden", "Zaloguj się"],
	"login.busy": ["Logging in …", "Anmeldung läuft …", "Logowanie …"],
	"login.forgot": ["Forgot the password?", "Passwort vergessen?", "Nie pamiętasz hasła?"],
	"login.forgot.help": [
		"Hold the button for ten seconds: all settings return to their factory values, and the label's password is valid again.",
		"Halten Sie die Taste zehn Sekunden gedrückt: Alle Einstellungen gehen auf die Werkseinstellung zurück, und das Passwort auf dem Etikett gilt wieder.",
		"Przytrzymaj przycisk przez dziesięć sekund: wszystkie ustawienia wrócą do fabrycznych, a hasło z etykiety znów obowiązuje.",
	],
	"login.certificate": [
		"The browser warned about the certificate?",
		"Hat der Browser vor dem Zertifikat gewarnt?",
		"Przeglądarka ostrzegła o certyfikacie?",
	],
	"login.certificate.help": [
		"The gateway makes its own certificate, which no authority has signed. You can install one of your own on the security page.",
		"Das Gateway stellt sein Zertifikat selbst aus; keine Zertifizierungsstelle hat es unterschrieben. Auf der Sicherheitsseite lässt sich ein eigenes einspielen.",
		"Bramka sama tworzy swój certyfikat, którego nie podpisał żaden urząd. Własny można wgrać na stronie bezpieczeństwa.",
	],
} as const satisfies Record<string, Translations>;
