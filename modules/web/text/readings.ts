/** Texts of the page "readings". */
import type { Translations } from "./translations.js";

export const READINGS = {
	"readings.last": ["Last reading", "Letzte Auslesung", "Ostatni odczyt"],
	"readings.meter": ["Meter", "Zähler", "Licznik"],
	"readings.id": ["Identification", "Kennung", "Oznaczenie"],
	"readings.speed": ["Speed", "Geschwindigkeit", "Prędkość"],
	"readings.protocol": ["Way of reading", "Art der Auslesung", "Sposób odczytu"],
	"readings.mode": ["{protocol}, mode {mode}", "{protocol}, Modus {mode}", "{protocol}, tryb {mode}"],
	"readings.values": ["Values", "Werte", "Wartości"],
	"readings.none": [
		"Here stands everything the meter sends, as soon as it has been read.",
		"Hier steht alles, was der Zähler sendet, sobald er ausgelesen wurde.",
		"Tutaj pojawi się wszystko, co wysyła licznik, gdy tylko zostanie odczytany.",
	],
	"readings.filter": ["Show only", "Nur zeigen", "Pokaż tylko"],
	"readings.filter.hint": ["Part of a name or code", "Teil eines Namens oder Codes", "Część nazwy lub kodu"],
	"readings.count": ["{n} of {all} values", "{n} von {all} Werten", "{n} z {all} wartości"],
	"readings.no": [
		"No value has that in its name or code. Clear the field to see all.",
		"Kein Wert hat das im Namen oder Code. Leere das Feld, um alle zu sehen.",
		"Żadna wartość nie ma tego w nazwie ani kodzie. Wyczyść pole, aby zobaczyć wszystkie.",
	],
	"readings.copy": ["Copy as text", "Als Text kopieren", "Kopiuj jako tekst"],
	"readings.csv": ["Download as CSV", "Als CSV herunterladen", "Pobierz jako CSV"],
	"readings.name": ["Meaning", "Bedeutung", "Znaczenie"],
	"readings.code": ["Code", "Code", "Kod"],
	"readings.value": ["Value", "Wert", "Wartość"],
	"readings.unit": ["Unit", "Einheit", "Jednostka"],
	"readings.second": ["Second value", "Zweiter Wert", "Druga wartość"],
	"readings.second.unit": ["Unit of the second", "Einheit des zweiten", "Jednostka drugiej"],
	"readings.period": ["Billing period", "Abrechnung", "Okres"],
	"readings.zigbee": ["Over Zigbee as", "Über Zigbee als", "Przez Zigbee jako"],
	"readings.unknown": ["Unknown code", "Unbekannter Code", "Nieznany kod"],
	"readings.sent": [
		"“{name}” is now sent as “{what}”.",
		"„{name}“ wird jetzt als „{what}“ gesendet.",
		"„{name}” jest teraz wysyłana jako „{what}”.",
	],
	"readings.unsent": ["“{name}” is not sent.", "„{name}“ wird nicht gesendet.", "„{name}” nie jest wysyłana."],
	"readings.map.full": [
		"The table of what Zigbee sends is full. Remove a line on the Zigbee page first.",
		"Die Tabelle dessen, was Zigbee sendet, ist voll. Entferne erst eine Zeile auf der Zigbee-Seite.",
		"Tabela wysyłanych przez Zigbee wartości jest pełna. Najpierw usuń wiersz na stronie Zigbee.",
	],
} as const satisfies Record<string, Translations>;
