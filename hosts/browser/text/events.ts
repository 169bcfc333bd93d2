/** Texts of the page "events": the log of the gateway. */
import type { Translations } from "./translations.js";

export const EVENTS = {
	"events.intro": [
		"What has happened to the gateway, the newest first. The important entries outlast a restart.",
		"Was mit dem Gateway geschehen ist, das Neueste zuerst. Wichtige Einträge überdauern einen Neustart.",
		"Co działo się z bramką, najnowsze na początku. Ważne wpisy przetrwają ponowne uruchomienie.",
	],
	"events.dropped": [
		"Older entries no longer kept: {n}",
		"Nicht mehr aufbewahrte ältere Einträge: {n}",
		"Usunięte starsze wpisy: {n}",
	],
	"events.what": ["Event", "Ereignis", "Zdarzenie"],
	"events.detail": ["Detail", "Einzelheit", "Szczegół"],
	"events.count": ["How often", "Wie oft", "Ile razy"],
	"events.times": ["{n} times", "{n}-mal", "{n} razy"],
	"events.after": ["{time} after a start", "{time} nach einem Start", "{time} po uruchomieniu"],
	"event.started": ["The gateway has started", "Das Gateway ist gestartet", "Bramka została uruchomiona"],
	"event.safe_mode": ["Safe mode", "Abgesicherter Betrieb", "Tryb awaryjny"],
	"event.restart": ["A restart was asked for", "Ein Neustart wurde verlangt", "Zażądano ponownego uruchomienia"],
	"event.clock_set": ["The clock was set", "Die Uhr wurde gestellt", "Zegar został ustawiony"],
	"event.login": ["Login", "Anmeldung", "Logowanie"],
	"event.login_refused": [
		"Login with a wrong password",
		"Anmeldung mit falschem Passwort",
		"Logowanie z błędnym hasłem",
	],
	"event.password_changed": ["The password was changed", "Das Passwort wurde geändert", "Hasło zostało zmienione"],
	"event.token_made": ["A token was made", "Ein Token wurde erstellt", "Utworzono token"],
	"event.token_revoked": ["A token was revoked", "Ein Token wurde widerrufen", "Unieważniono token"],
	"event.settings_changed": ["Settings were changed", "Einstellungen wurden geändert", "Zmieniono ustawienia"],
	"event.certificate_changed": [
		"The certificate was changed",
		"Das Zertifikat wurde geändert",
		"Certyfikat został zmieniony",
	],
	"event.meter_failed": [
		"The meter could not be read",
		"Der Zähler konnte nicht ausgelesen werden",
		"Nie udało się odczytać licznika",
	],
	"event.meter_read": [
		"The meter can be read again",
		"Der Zähler ließ sich wieder auslesen",
		"Licznik można znów odczytać",
	],
	"event.network_up": ["The gateway is in the network", "Das Gateway ist im Netz", "Bramka jest w sieci"],
	"event.network_down": ["The network was lost", "Das Netz ging verloren", "Utracono sieć"],
	"event.readouts_missed": ["Missed readings", "Versäumte Auslesungen", "Pominięte odczyty"],
	"event.storage_refused": [
		"The memory did not take a change",
		"Der Speicher hat eine Änderung nicht angenommen",
		"Pamięć nie przyjęła zmiany",
	],
	"event.hub_failed": ["The hub took no values", "Die Zentrale nahm keine Werte an", "Centrala nie przyjęła wartości"],
	"event.hub_back": [
		"The hub takes values again",
		"Die Zentrale nimmt wieder Werte an",
		"Centrala znów przyjmuje wartości",
	],
	"event.mqtt_failed": [
		"Nothing could be sent over MQTT",
		"Über MQTT konnte nichts gesendet werden",
		"Przez MQTT nic nie wysłano",
	],
	"event.mqtt_sent": [
		"Values are sent over MQTT again",
		"Über MQTT wird wieder gesendet",
		"Przez MQTT znów wysyłane są wartości",
	],
	"event.battery_empty": ["The batteries are empty", "Die Batterien sind leer", "Baterie są rozładowane"],
	"event.update_confirmed": [
		"The new firmware works and stays",
		"Die neue Firmware arbeitet und bleibt",
		"Nowe oprogramowanie działa i zostaje",
	],
	"event.update_failed": [
		"The new firmware does not work here",
		"Die neue Firmware arbeitet hier nicht",
		"Nowe oprogramowanie tu nie działa",
	],
	"event.update_rolled_back": [
		"The firmware before the update is back",
		"Die Firmware vor dem Update ist zurück",
		"Wróciło oprogramowanie sprzed aktualizacji",
	],
	"cause.power": ["power was switched on", "Strom eingeschaltet", "włączono zasilanie"],
	"cause.asked": ["as asked for", "wie verlangt", "na żądanie"],
	"cause.sleep": ["end of sleep", "Ende des Schlafs", "koniec uśpienia"],
	"cause.voltage": ["the voltage was too low", "zu niedrige Spannung", "zbyt niskie napięcie"],
	"cause.watchdog": [
		"the program stood still (watchdog)",
		"das Programm stand still (Watchdog)",
		"program się zawiesił (watchdog)",
	],
	"event.unknown": ["Another event", "Anderes Ereignis", "Inne zdarzenie"],
} as const satisfies Record<string, Translations>;
