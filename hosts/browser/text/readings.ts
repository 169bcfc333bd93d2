/** Texts of the page "readings". */
import type { Translations } from "./translations.js";

export const READINGS = {
	"readings.past": [
		"Earlier billing periods ({n})",
		"Frühere Abrechnungszeiträume ({n})",
		"Wcześniejsze okresy rozliczeniowe ({n})",
	],
	"readings.last": ["Last reading", "Letzte Auslesung", "Ostatni odczyt"],
	"readings.id": ["Identification", "Kennung", "Oznaczenie"],
	"readings.speed": ["Speed", "Geschwindigkeit", "Prędkość"],
	"readings.protocol": ["Read with", "Ausgelesen mit", "Sposób odczytu"],
	"readings.mode": ["{protocol}, mode {mode}", "{protocol}, Modus {mode}", "{protocol}, tryb {mode}"],
	"readings.values": ["Values", "Werte", "Wartości"],
	"readings.none": [
		"Everything the meter sends appears here, as soon as it has been read.",
		"Hier steht alles, was der Zähler sendet, sobald er ausgelesen wurde.",
		"Tutaj pojawi się wszystko, co wysyła licznik, gdy tylko zostanie odczytany.",
	],
	"readings.filter": ["Show only", "Nur zeigen", "Pokaż tylko"],
	"readings.filter.hint": ["Name or code", "Name oder Code", "Nazwa lub kod"],
	"readings.count": ["Values: {n} of {all}", "Werte: {n} von {all}", "Wartości: {n} z {all}"],
	"readings.no": [
		"No value has that in its name or code. Clear the field to see all.",
		"Kein Wert hat das im Namen oder Code. Leeren Sie das Feld, um alle zu sehen.",
		"Żadna wartość nie ma tego w nazwie ani kodzie. Wyczyść pole, aby zobaczyć wszystkie.",
	],
	"readings.copy": ["Copy as text", "Als Text kopieren", "Kopiuj jako tekst"],
	"readings.number": ["Meter number", "Zählernummer", "Numer licznika"],
	"readings.name": ["Meaning", "Bedeutung", "Znaczenie"],
	"readings.attribute": ["Attribute", "Attribut", "Atrybut"],
	"readings.value": ["Value", "Wert", "Wartość"],
	"readings.unit": ["Unit", "Einheit", "Jednostka"],
	"readings.second": ["Second value", "Zweiter Wert", "Druga wartość"],
	"readings.period": ["Billing period", "Periode", "Okres"],
	"readings.raw": ["As sent", "Wie gesendet", "Jak wysłano"],
	"readings.zigbee": ["Over Zigbee as", "Über Zigbee als", "Przez Zigbee jako"],
	"readings.unknown": ["Unknown code", "Unbekannter Code", "Nieznany kod"],
	"readings.sent": [
		"“{name}” is now sent as “{what}”.",
		"„{name}“ wird jetzt als „{what}“ gesendet.",
		"„{name}” jest teraz wysyłana jako „{what}”.",
	],
	"readings.unsent": ["“{name}” is not sent.", "„{name}“ wird nicht gesendet.", "„{name}” nie jest wysyłana."],
	"readings.map.full": [
		"The table of what is sent over Zigbee is full. First remove a line on the Zigbee page.",
		"Die Tabelle der über Zigbee gesendeten Werte ist voll. Entfernen Sie erst eine Zeile auf der Zigbee-Seite.",
		"Tabela wartości wysyłanych przez Zigbee jest pełna. Najpierw usuń wiersz na stronie Zigbee.",
	],
	"readings.missing": ["Not supplied by the meter", "Vom Zähler nicht geliefert", "Niepodane przez licznik"],
	"readings.missing.help": [
		"The list of objects requests these. This is not an error: a single-phase meter has no values of the other phases. Remove from the list those that never arrive.",
		"Die Objektliste fragt danach. Das ist kein Fehler: Ein einphasiger Zähler hat keine Werte der anderen Phasen. Entfernen Sie aus der Liste, was nie kommt.",
		"Lista obiektów o nie pyta. To nie błąd: licznik jednofazowy nie ma wartości innych faz. Usuń z listy to, co nigdy nie przychodzi.",
	],
	"readings.missing.go": ["To the list of objects", "Zur Objektliste", "Do listy obiektów"],
} as const satisfies Record<string, Translations>;
