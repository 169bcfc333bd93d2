/** Texts of the page "batteries". */
import type { Translations } from "./translations.js";

export const BATTERIES = {
	"live.title": ["Live values", "Live-Werte", "Wartości na żywo"],
	"live.intro": [
		"Batteries, inverters and wallboxes can ask the gateway for the present power, as if it were a meter that they know.",
		"Speicher, Wechselrichter und Wallboxen können beim Gateway die aktuelle Leistung abfragen, als wäre es ein Messgerät, das sie kennen.",
		"Magazyny energii, falowniki i wallboxy mogą pytać bramkę o bieżącą moc, tak jakby była znanym im miernikiem.",
	],
	"live.device": ["Your device", "Ihr Gerät", "Urządzenie"],
	"live.device.help": [
		"Turns on the right meter below. Not tested with the device itself.",
		"Schaltet unten das passende Messgerät ein. Nicht mit dem Gerät selbst getestet.",
		"Włącza poniżej właściwy miernik. Nie testowano z samym urządzeniem.",
	],
	"live.ecotracker": ["EcoTracker", "EcoTracker", "EcoTracker"],
	"live.shelly": ["Shelly Pro 3EM", "Shelly Pro 3EM", "Shelly Pro 3EM"],
	"live.homewizard": ["HomeWizard P1", "HomeWizard P1", "HomeWizard P1"],
	"live.sma": ["SMA Energy Meter", "SMA Energy Meter", "SMA Energy Meter"],
	"live.sunspec": ["SunSpec", "SunSpec", "SunSpec"],
	"live.port": ["UDP port of the Shelly", "UDP-Port des Shelly", "Port UDP Shelly"],
	"live.inverted": ["Swap import and export", "Bezug und Einspeisung vertauschen", "Zamień pobór i oddawanie"],
	"live.offset": ["Offset", "Versatz", "Przesunięcie"],
	"live.offset.help": [
		"Added to the power: with −20 W, a battery leaves about 20 W of import.",
		"Wird zur Leistung addiert: Bei −20 W lässt ein Speicher etwa 20 W Bezug übrig.",
		"Dodawane do mocy: przy −20 W magazyn pozostawia około 20 W poboru.",
	],
	"live.total": ["Total without phases", "Summe ohne Phasen", "Suma bez faz"],
	"live.total.l1": ["on phase 1", "auf Phase 1", "na fazie 1"],
	"live.total.all": ["a third on each phase", "je ein Drittel pro Phase", "po jednej trzeciej na fazę"],
	"live.pause": [
		"Minimum pause between answers",
		"Mindestpause zwischen Antworten",
		"Minimalna przerwa między odpowiedziami",
	],
	"live.age": ["Maximum age of values", "Höchstalter der Werte", "Maksymalny wiek wartości"],
	"live.age.help": [
		"0: as the device expects. Older values are never sent. A meter that is read once a minute needs 70 s.",
		"0: wie es das Gerät erwartet. Ältere Werte werden nie gesendet. Ein Zähler, der einmal pro Minute gelesen wird, braucht 70 s.",
		"0: zgodnie z oczekiwaniem urządzenia. Starsze wartości nie są wysyłane. Licznik odczytywany raz na minutę wymaga 70 s.",
	],
	"live.warning": [
		"The listed devices, with SMA all in the network, get the power without password or encryption.",
		"Die eingetragenen Geräte, bei SMA alle im Netzwerk, erhalten die Leistung ohne Passwort und unverschlüsselt.",
		"Urządzenia z listy, a przy SMA wszystkie w sieci, otrzymują wartość mocy bez hasła i szyfrowania.",
	],
	"live.clients": ["Allowed devices", "Zugelassene Geräte", "Dozwolone urządzenia"],
	"live.clients.intro": [
		"Only these addresses are answered. Give each device a fixed address in the router.",
		"Nur diese Adressen erhalten Antwort. Geben Sie jedem Gerät im Router eine feste Adresse.",
		"Odpowiedź dostają tylko te adresy. Przydziel każdemu urządzeniu stały adres w routerze.",
	],
	"live.address.help": ["For example 192.168.178.40", "Zum Beispiel 192.168.178.40", "Na przykład 192.168.178.40"],
	"live.refused": [
		"{address} asked and got no answer ({time}).",
		"{address} hat gefragt und keine Antwort erhalten ({time}).",
		"{address} pyta, ale nie dostaje odpowiedzi ({time}).",
	],
	"live.allow": ["Allow this device", "Dieses Gerät zulassen", "Zezwól temu urządzeniu"],
	"live.silent": ["has not asked yet", "hat noch nicht gefragt", "jeszcze nie pytało"],
	"live.every": ["every {n} s", "alle {n} s", "co {n} s"],
	"live.nothing": ["no value yet", "noch kein Wert", "brak wartości"],
} as const satisfies Record<string, Translations>;
