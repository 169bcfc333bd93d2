/** Texts of the page "zigbee", and of what feeds Zigbee on the page "readings". */
import type { Translations } from "./translations.js";

export const ZIGBEE = {
	"target.import": ["Energy drawn from the grid", "Energie aus dem Netz", "Energia pobrana z sieci"],
	"target.export": ["Energy fed into the grid", "Energie ins Netz", "Energia oddana do sieci"],
	"target.power": ["Power now", "Aktuelle Leistung", "Aktualna moc"],
	"target.voltage": ["Voltage", "Spannung", "Napięcie"],
	"target.current": ["Current", "Strom", "Natężenie prądu"],
	"target.none": ["not sent", "nicht gesendet", "nie jest wysyłana"],

	"zigbee.state": ["State", "Zustand", "Stan"],
	"zigbee.absent": [
		"This gateway has no Zigbee radio that works with this firmware. The table of values can be set up all the same; it is kept.",
		"Dieses Gateway hat kein Zigbee-Funkteil, das mit dieser Firmware arbeitet. Die Tabelle der Werte lässt sich trotzdem einstellen; sie bleibt gespeichert.",
		"Ta bramka nie ma modułu Zigbee działającego z tym oprogramowaniem. Tabelę wartości można mimo to ustawić; zostanie zachowana.",
	],
	"zigbee.enabled": ["Send values over Zigbee", "Werte über Zigbee senden", "Wysyłaj wartości przez Zigbee"],
	"zigbee.enabled.help": [
		"The gateway restarts when this is changed.",
		"Beim Umschalten startet das Gateway neu.",
		"Po zmianie bramka uruchamia się ponownie.",
	],
	"zigbee.joined": ["Network", "Netz", "Sieć"],
	"zigbee.joined.yes": ["joined", "beigetreten", "połączono"],
	"zigbee.joined.no": ["not joined", "nicht beigetreten", "brak połączenia"],
	"zigbee.join.help": [
		"Let the Zigbee controller look for new devices, then press “Join again”.",
		"Lassen Sie die Zigbee-Zentrale nach neuen Geräten suchen und drücken Sie dann „Neu beitreten“.",
		"Włącz w kontrolerze Zigbee wyszukiwanie nowych urządzeń, a potem naciśnij „Połącz od nowa”.",
	],
	"zigbee.channel": ["Channel", "Kanal", "Kanał"],
	"zigbee.pan": ["Network number (PAN)", "Netznummer (PAN)", "Numer sieci (PAN)"],
	"zigbee.epan": ["Long network number", "Lange Netznummer", "Długi numer sieci"],
	"zigbee.short": ["Address in the network", "Adresse im Netz", "Adres w sieci"],
	"zigbee.reset": ["Join again", "Neu beitreten", "Połącz od nowa"],
	"zigbee.reset.warn": [
		"The gateway leaves its Zigbee network and looks for one that takes new devices. Until it has joined, the controller gets no values.",
		"Das Gateway verlässt sein Zigbee-Netz und sucht eines, das neue Geräte aufnimmt. Bis dahin bekommt die Zentrale keine Werte.",
		"Bramka opuści swoją sieć Zigbee i poszuka takiej, która przyjmuje nowe urządzenia. Do tego czasu kontroler nie dostanie wartości.",
	],
	"zigbee.reset.done": [
		"The gateway looks for a Zigbee network now.",
		"Das Gateway sucht jetzt ein Zigbee-Netz.",
		"Bramka szuka teraz sieci Zigbee.",
	],

	"map.title": ["Which value is sent as what", "Welcher Wert wird als was gesendet", "Co jest wysyłane jako co"],
	"map.intro": [
		"Each line takes one value of the meter, named by its code, and sends it over Zigbee. The codes are on the page with the readings.",
		"Jede Zeile nimmt einen Wert des Zählers, benannt durch seinen Code, und sendet ihn über Zigbee. Die Codes stehen auf der Seite mit den Messwerten.",
		"Każdy wiersz bierze jedną wartość licznika, wskazaną kodem, i wysyła ją przez Zigbee. Kody są na stronie odczytów.",
	],
	"map.entry": ["Line {n}", "Zeile {n}", "Wiersz {n}"],
	"map.target": ["Is sent as", "Wird gesendet als", "Wysyłana jako"],
	"map.code": ["Code of the value", "Code des Werts", "Kod wartości"],
	"map.mode": ["Holds for", "Gilt für", "Dotyczy"],
	"map.short": ["this code of any channel", "diesen Code auf jedem Kanal", "tego kodu na każdym kanale"],
	"map.full": ["this channel of the meter only", "nur diesen Kanal des Zählers", "tylko tego kanału licznika"],
	"map.now": ["Now: {value}", "Jetzt: {value}", "Teraz: {value}"],
	"map.missing": [
		"The last readout has no such value.",
		"Die letzte Auslesung hat keinen solchen Wert.",
		"Ostatni odczyt nie ma takiej wartości.",
	],
	"map.unit": ["The unit {unit} does not fit.", "Die Einheit {unit} passt nicht dazu.", "Jednostka {unit} nie pasuje."],
	"map.bad": [
		"A code looks like 1.8.0 or 1-0:1.8.0.",
		"Ein Code sieht so aus: 1.8.0 oder 1-0:1.8.0.",
		"Kod wygląda tak: 1.8.0 albo 1-0:1.8.0.",
	],
	"map.twice": [
		"“{what}” has more than one line: only the lowest of them counts.",
		"„{what}“ hat mehrere Zeilen: Nur die unterste davon gilt.",
		"„{what}” ma kilka wierszy: liczy się tylko najniższy z nich.",
	],
	"map.twice.code": [
		"The code {what} has more than one line: only the lowest of them counts.",
		"Der Code {what} hat mehrere Zeilen: Nur die unterste davon gilt.",
		"Kod {what} ma kilka wierszy: liczy się tylko najniższy z nich.",
	],
	"map.empty": [
		"No value is sent. Add a line for each that should be.",
		"Kein Wert wird gesendet. Fügen Sie für jeden gewünschten eine Zeile hinzu.",
		"Żadna wartość nie jest wysyłana. Dodaj wiersz dla każdej, która ma być wysyłana.",
	],
	"map.add": ["Add a line", "Zeile hinzufügen", "Dodaj wiersz"],
	"map.remove": ["Remove line {n}", "Zeile {n} entfernen", "Usuń wiersz {n}"],
	"map.full.help": [
		"There are as many lines as fit ({n}).",
		"Mehr Zeilen passen nicht hinein ({n}).",
		"Więcej wierszy się nie zmieści ({n}).",
	],
} as const satisfies Record<string, Translations>;
