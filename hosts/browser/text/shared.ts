/** Texts of later pages that the first scripts use too. */
import type { Translations } from "./translations.js";

export const SHARED = {
	"protocol.title": ["Kind of meter", "Art des Zählers", "Rodzaj licznika"],
	"protocol.label": ["Protocol", "Protokoll", "Protokół"],
	"protocol.help": [
		"Nearly all meters with a round optical port use the standard one. Most German household meters send SML. Choose DLMS/COSEM only if the grid operator or the meter's manual says so.",
		"Fast alle Zähler mit runder optischer Schnittstelle benutzen das Standardprotokoll. Die meisten deutschen Haushaltszähler senden SML. Wählen Sie DLMS/COSEM nur, wenn Netzbetreiber oder Anleitung des Zählers es verlangen.",
		"Prawie wszystkie liczniki z okrągłym portem optycznym używają protokołu standardowego. Większość niemieckich liczników domowych wysyła SML. DLMS/COSEM wybierz tylko wtedy, gdy tak podaje operator sieci lub instrukcja licznika.",
	],
	"protocol.iec62056": ["Standard (IEC 62056-21)", "Standard (IEC 62056-21)", "Standardowy (IEC 62056-21)"],
	"protocol.dlms": ["DLMS/COSEM", "DLMS/COSEM", "DLMS/COSEM"],
	"protocol.sml": ["SML", "SML", "SML"],
	"protocol.tic": ["TIC (Linky, France)", "TIC (Linky, Frankreich)", "TIC (Linky, Francja)"],
	"protocol.kmp": ["Kamstrup", "Kamstrup", "Kamstrup"],
	"protocol.mbus": ["M-Bus", "M-Bus", "M-Bus"],
	"protocol.amis": ["Siemens AMIS (Austria)", "Siemens AMIS (Österreich)", "Siemens AMIS, Austria"],
	"protocol.unasked": ["Listening", "Mithören", "Nasłuch"],
	"align.stop": ["Stop", "Anhalten", "Zatrzymaj"],
	"pin.title": ["Enter PIN of the meter", "PIN des Zählers eingeben", "Wprowadź PIN licznika"],
	"cable.title": ["Ethernet", "Ethernet", "Ethernet"],
	"readings.csv": ["Download as CSV", "Als CSV herunterladen", "Pobierz jako CSV"],
	"readings.time": ["Time", "Zeit", "Czas"],
	"readings.code": ["Code", "Code", "Kod"],
	"missing.object_undefined": ["the meter does not have it", "hat der Zähler nicht", "licznik tego nie ma"],
	"missing.object_unavailable": ["not available", "nicht verfügbar", "niedostępne"],
	"missing.object_class_inconsistent": ["has another class", "hat eine andere Klasse", "ma inną klasę"],
	"missing.read_write_denied": [
		"this client may not read it",
		"darf dieser Client nicht lesen",
		"ten klient nie może tego czytać",
	],
	"missing.scope_of_access_violated": [
		"this client has no right to it",
		"darauf hat dieser Client kein Recht",
		"ten klient nie ma do tego prawa",
	],
	"missing.temporary_failure": ["not available at the moment", "im Moment nicht verfügbar", "chwilowo niedostępne"],
	"missing.no_value": ["is there, but empty", "ist da, aber leer", "jest, ale puste"],
	"missing.no_scaler": ["its scale is not known", "die Skalierung ist nicht bekannt", "skala nie jest znana"],
	"sessions.since": ["since {time}", "seit {time}", "od {time}"],
	"restart.certificate": [
		"The gateway restarts with the other certificate. If this page does not come back within half a minute, open the address again: the browser may ask about the certificate.",
		"Das Gateway startet mit dem anderen Zertifikat neu. Kommt diese Seite nicht in einer halben Minute zurück, öffnen Sie die Adresse neu: Vielleicht fragt der Browser nach dem Zertifikat.",
		"Bramka uruchamia się ponownie z innym certyfikatem. Jeśli ta strona nie wróci w ciągu pół minuty, otwórz adres jeszcze raz: przeglądarka może zapytać o certyfikat.",
	],
	"update.leave": ["Cancel the update?", "Update abbrechen?", "Anulować aktualizację?"],
	"update.unchanged": [
		"The gateway stays as it was.",
		"Das Gateway bleibt, wie es war.",
		"Bramka pozostaje bez zmian.",
	],
} as const satisfies Record<string, Translations>;
