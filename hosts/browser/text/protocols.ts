/**
 * Texts of the meter protocols, by their names in the API: the name; `found.…`, if the gateway recognises the telegrams;
 * `.not`, if the protocol's failures have a text of their own.
 */
import type { Translations } from "./translations.js";

export const PROTOCOLS = {
	"protocol.iec62056": ["Standard (IEC 62056-21)", "Standard (IEC 62056-21)", "Standardowy (IEC 62056-21)"],
	"found.ascii": [
		"The meter sends its values on its own, at {n} baud (mode D).",
		"Der Zähler sendet seine Werte von selbst, mit {n} Baud (Modus D).",
		"Licznik sam wysyła swoje wartości z prędkością {n} bodów (tryb D).",
	],
	"protocol.dlms": ["DLMS/COSEM", "DLMS/COSEM", "DLMS/COSEM"],
	"found.dlms": [
		"The meter sends its values on its own in DLMS/COSEM, at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in DLMS/COSEM, mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w DLMS/COSEM, z prędkością {n} bodów.",
	],
	"protocol.sml": ["SML", "SML", "SML"],
	"found.sml": [
		"The meter sends its values on its own in SML, at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in SML, mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w SML, z prędkością {n} bodów.",
	],
	"protocol.tic": ["TIC (Linky, France)", "TIC (Linky, Frankreich)", "TIC (Linky, Francja)"],
	"found.tic": [
		"The meter sends its values on its own in TIC (Linky), at {n} baud.",
		"Der Zähler sendet seine Werte von selbst in TIC (Linky), mit {n} Baud.",
		"Licznik sam wysyła swoje wartości w TIC (Linky), z prędkością {n} bodów.",
	],
	"found.tic.not": [
		"The gateway receives no complete TIC data. Check the wires at terminals I1 and I2 of the meter, and the optocoupler.",
		"Das Gateway empfängt keine vollständigen TIC-Daten. Prüfen Sie die Drähte an den Klemmen I1 und I2 des Zählers und den Optokoppler.",
		"Bramka nie odbiera pełnych danych TIC. Sprawdź przewody na zaciskach I1 i I2 licznika oraz transoptor.",
	],
	"protocol.kmp": ["Kamstrup", "Kamstrup", "Kamstrup"],
	"protocol.mbus": ["M-Bus", "M-Bus", "M-Bus"],
	"protocol.amis": ["Siemens AMIS (Austria)", "Siemens AMIS (Österreich)", "Siemens AMIS, Austria"],
} as const satisfies Record<string, Translations>;
