/** Texts of the overview. */
import type { Translations } from "./translations.js";

export const DASHBOARD = {
	"now.title": ["Power now", "Aktuelle Leistung", "Aktualna moc"],
	"now.feeding": ["Feeding into the grid", "Einspeisung ins Netz", "Oddawanie do sieci"],
	"now.drawing": ["Drawing from the grid", "Bezug aus dem Netz", "Pobór z sieci"],
	"now.nothing": ["Neither drawing nor feeding", "Weder Bezug noch Einspeisung", "Ani pobór, ani oddawanie"],
	"now.mean": [
		"Average since the previous reading",
		"Durchschnitt seit der vorigen Auslesung",
		"Średnia od poprzedniego odczytu",
	],
	"now.none": [
		"This meter does not send its power. After two readings the average between them is shown.",
		"Dieser Zähler sendet keine Leistung. Nach zwei Auslesungen steht hier der Durchschnitt dazwischen.",
		"Ten licznik nie podaje mocy. Po dwóch odczytach pojawi się tu średnia między nimi.",
	],
	"counter.import": ["Imported", "Bezogen", "Pobrano"],
	"counter.export": ["Exported", "Eingespeist", "Oddano"],
	"counter.title": ["Counters", "Zählerstände", "Stany licznika"],
	"counter.tariff": ["tariff {n}", "Tarif {n}", "strefa {n}"],
	"counter.all": ["All values", "Alle Werte", "Wszystkie wartości"],
	"curve.title": ["Latest readings", "Letzte Auslesungen", "Ostatnie odczyty"],
	"curve.empty": [
		"Each new reading becomes a point of the curve.",
		"Jede neue Auslesung wird ein Punkt der Kurve.",
		"Każdy nowy odczyt to punkt wykresu.",
	],
	"curve.describe": [
		"{n} readings, from {min} to {max}, last {last}.",
		"{n} Auslesungen, von {min} bis {max}, zuletzt {last}.",
		"Odczyty: {n}; od {min} do {max}, ostatni {last}.",
	],
	"read.now": ["Read now", "Jetzt auslesen", "Odczytaj teraz"],
	"read.running": ["Reading the meter …", "Zähler wird ausgelesen …", "Odczyt licznika …"],
	"read.seconds": ["{n} s of at most 60 s", "{n} s von höchstens 60 s", "{n} s z najwyżej 60 s"],
	"read.done": ["The meter was read.", "Der Zähler wurde ausgelesen.", "Licznik odczytano."],
	"read.failed": [
		"The meter could not be read",
		"Der Zähler konnte nicht ausgelesen werden",
		"Nie udało się odczytać licznika",
	],
	"read.last": ["Last reading: {age}", "Letzte Auslesung: {age}", "Ostatni odczyt: {age}"],
	"read.none": [
		"The meter has not been read yet.",
		"Der Zähler wurde noch nicht ausgelesen.",
		"Licznika jeszcze nie odczytano.",
	],
	"read.none.help": [
		"Put the optical head on the meter and press “Read now”.",
		"Setzen Sie den optischen Kopf auf den Zähler und drücken Sie „Jetzt auslesen“.",
		"Przyłóż głowicę optyczną do licznika i naciśnij „Odczytaj teraz”.",
	],
	"read.timeless": ["time unknown", "Zeit unbekannt", "czas nieznany"],
	"read.cut": [
		"The last readout was cut short; what is shown passed its checks.",
		"Die letzte Auslesung brach ab; was gezeigt wird, ist geprüft.",
		"Ostatni odczyt urwał się; pokazane wartości przeszły kontrolę.",
	],
	"read.simulated": [
		"The simulator is on: these values are not real.",
		"Der Simulator ist an: Diese Werte sind nicht echt.",
		"Symulator jest włączony: te wartości nie są prawdziwe.",
	],
	"links.title": ["Connections", "Verbindungen", "Połączenia"],
	"links.clock": [
		"The clock is not set, so readings have no time. With an internet connection it sets itself.",
		"Die Uhr ist nicht gestellt, deshalb haben Auslesungen keine Zeit. Mit Internet stellt sie sich selbst.",
		"Zegar nie jest ustawiony, więc odczyty nie mają czasu. Z dostępem do internetu ustawi się sam.",
	],
	"links.clock.go": ["Set the clock", "Uhr stellen", "Ustaw zegar"],
	"links.meter": [
		"The last attempt to read the meter failed.",
		"Der letzte Versuch, den Zähler auszulesen, schlug fehl.",
		"Ostatnia próba odczytu licznika nie powiodła się.",
	],
	"links.meter.go": [
		"Help with placing the optical head",
		"Hilfe zum Ausrichten des optischen Kopfes",
		"Pomoc w ustawieniu głowicy optycznej",
	],
	"power.supply": ["Supply", "Versorgung", "Zasilanie"],
	"power.usb": ["USB, {volts} V", "USB, {volts} V", "USB, {volts} V"],
	"power.battery": ["Battery, {percent}%", "Batterie, {percent} %", "Bateria, {percent}%"],
	"power.unmeasured": ["not measured", "nicht gemessen", "bez pomiaru"],
	"power.temperature": ["Temperature inside", "Temperatur innen", "Temperatura wewnątrz"],
	"set.password": [
		"This gateway still uses the password on its label.",
		"Dieses Gateway benutzt noch das Passwort vom Etikett.",
		"Ta bramka używa jeszcze hasła z etykiety.",
	],
	"set.up": ["Set it up now", "Jetzt einrichten", "Skonfiguruj teraz"],
} as const satisfies Record<string, Translations>;
