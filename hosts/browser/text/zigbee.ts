/** Texts of the page "zigbee", and of the mapping on the page "readings". */
import type { Translations } from "./translations.js";

export const ZIGBEE = {
	"target.import": ["Energy drawn from the grid", "Energie aus dem Netz", "Energia pobrana z sieci"],
	"target.export": ["Energy fed into the grid", "Energie ins Netz", "Energia oddana do sieci"],
	"target.none": ["not sent", "nicht gesendet", "nie jest wysyłana"],

	"zigbee.is.absent": [
		"This gateway has no Zigbee radio. The table of values is stored anyway.",
		"Dieses Gateway hat kein Zigbee-Funkteil. Die Tabelle der Werte bleibt trotzdem gespeichert.",
		"Ta bramka nie ma modułu Zigbee. Tabela wartości mimo to zostanie zachowana.",
	],
	"zigbee.enabled": ["Send values over Zigbee", "Werte über Zigbee senden", "Wysyłaj wartości przez Zigbee"],
	"zigbee.enabled.help": [
		"The gateway restarts when this is changed.",
		"Beim Umschalten startet das Gateway neu.",
		"Po zmianie bramka uruchamia się ponownie.",
	],
	"zigbee.is.silent": [
		"The Zigbee radio does not answer. Check its power and wiring; the gateway keeps trying.",
		"Das Zigbee-Funkteil antwortet nicht. Prüfen Sie Stromversorgung und Kabel; das Gateway versucht es weiter.",
		"Moduł Zigbee nie odpowiada. Sprawdź zasilanie i przewody; bramka próbuje dalej.",
	],
	"zigbee.is.foreign": [
		"The firmware of the Zigbee radio is not supported. It needs Z-Stack 3.x.0 for coordinators; the gateway's documentation explains how to install it.",
		"Die Firmware des Zigbee-Funkteils wird nicht unterstützt. Es braucht Z-Stack 3.x.0 für Koordinatoren; wie man sie aufspielt, steht in der Dokumentation des Gateways.",
		"Oprogramowanie modułu Zigbee nie jest obsługiwane. Moduł wymaga Z-Stack 3.x.0 dla koordynatorów; sposób instalacji opisuje dokumentacja bramki.",
	],
	"zigbee.is.not_joined": [
		"Nothing is sent over Zigbee until the gateway has joined a network.",
		"Über Zigbee wird nichts gesendet, bis das Gateway einem Netz beigetreten ist.",
		"Przez Zigbee nic nie jest wysyłane, dopóki bramka nie dołączy do sieci.",
	],
	"zigbee.is.joining": [
		"The gateway keeps looking for a network that accepts new devices. Leave the controller open for them.",
		"Das Gateway sucht immer wieder ein Netz, das neue Geräte aufnimmt. Lassen Sie die Zentrale dafür offen.",
		"Bramka wciąż szuka sieci, która przyjmuje nowe urządzenia. Zostaw kontroler na nie otwarty.",
	],
	"zigbee.is.parent_lost": [
		"The gateway has lost its Zigbee network and keeps looking for it. Check the controller; a Zigbee device on mains power between the two helps.",
		"Das Gateway hat sein Zigbee-Netz verloren und sucht es weiter. Prüfen Sie die Zentrale; ein Zigbee-Gerät am Stromnetz dazwischen hilft.",
		"Bramka utraciła swoją sieć Zigbee i wciąż jej szuka. Sprawdź kontroler; pomaga urządzenie Zigbee zasilane z sieci pomiędzy nimi.",
	],
	"zigbee.joined": [
		"The gateway is in network {pan} on channel {n}. The controller shows it as “{name}”; if not, this is a neighbour's network: join again.",
		"Das Gateway ist im Netz {pan} auf Kanal {n}. Die Zentrale zeigt es als „{name}“; wenn nicht, ist es ein Netz der Nachbarn: Treten Sie neu bei.",
		"Bramka jest w sieci {pan} na kanale {n}. Kontroler pokazuje ją jako „{name}”; jeśli nie, to jest sieć sąsiadów: dołącz ponownie.",
	],
	"zigbee.failed": [
		"No network accepted the gateway. Was the controller open for new devices all the time? If so, bring it closer; a Zigbee device on mains power between the two helps.",
		"Kein Netz nahm das Gateway auf. War die Zentrale die ganze Zeit für neue Geräte offen? Wenn ja, bringen Sie sie näher; ein Zigbee-Gerät am Stromnetz dazwischen hilft.",
		"Żadna sieć nie przyjęła bramki. Czy kontroler był cały czas otwarty na nowe urządzenia? Jeśli tak, przysuń go bliżej; pomaga urządzenie Zigbee zasilane z sieci pomiędzy nimi.",
	],
	"zigbee.join": ["Join a network", "Netz beitreten", "Dołącz do sieci"],
	"zigbee.rejoin": ["Join another network", "Anderem Netz beitreten", "Dołącz do innej sieci"],
	"zigbee.leaves": [
		"The gateway then leaves its Zigbee network, and the controller gets no values.",
		"Das Gateway verlässt dann sein Zigbee-Netz, und die Zentrale bekommt keine Werte.",
		"Bramka opuści wtedy swoją sieć Zigbee, a kontroler nie dostanie wartości.",
	],
	"zigbee.open": [
		"First let the controller accept new devices: in Zigbee2MQTT “Permit join (All)”, in Home Assistant (ZHA) “Add device”, elsewhere by its search for devices.",
		"Lassen Sie erst die Zentrale neue Geräte aufnehmen: in Zigbee2MQTT „Beitritt erlauben (Alle)“, in Home Assistant (ZHA) „Gerät hinzufügen“, sonst mit ihrer Gerätesuche.",
		"Najpierw pozwól kontrolerowi przyjmować nowe urządzenia: w Zigbee2MQTT „Zezwól na dołączenie (Wszystkie)”, w Home Assistant (ZHA) „Dodaj urządzenie”, gdzie indziej wyszukiwaniem urządzeń.",
	],
	"zigbee.channel": ["Channel", "Kanal", "Kanał"],
	"zigbee.pan": ["Network number (PAN)", "Netznummer (PAN)", "Numer sieci (PAN)"],
	"zigbee.epan": ["Long network number", "Lange Netznummer", "Długi numer sieci"],
	"zigbee.short": ["Address in the network", "Adresse im Netz", "Adres w sieci"],
	"zigbee.ieee": ["IEEE address", "IEEE-Adresse", "Adres IEEE"],
	"zigbee.role": ["Role", "Rolle", "Rola"],
	"zigbee.router": ["Router", "Router", "Router"],
	"zigbee.end": ["End device", "Endgerät", "Urządzenie końcowe"],
	"zigbee.firmware": ["Firmware of the radio", "Firmware des Funkteils", "Oprogramowanie modułu"],

	"map.title": ["Value mapping", "Zuordnung der Werte", "Przypisanie wartości"],
	"map.intro": [
		"Each line sends one value of the meter over Zigbee; its code chooses it. All codes are here:",
		"Jede Zeile sendet einen Wert des Zählers über Zigbee; der Code wählt ihn aus. Alle Codes stehen hier:",
		"Każdy wiersz wysyła przez Zigbee jedną wartość licznika; wybiera ją kod. Wszystkie kody są tutaj:",
	],
	"map.entry": ["Line {n}", "Zeile {n}", "Wiersz {n}"],
	"map.target": ["Is sent as", "Wird gesendet als", "Wysyłana jako"],
	"map.code": ["Code of the value", "Code des Werts", "Kod wartości"],
	"map.mode": ["Applies to", "Gilt für", "Dotyczy"],
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
	"map.interview": [
		"The set of reported values changed: in Zigbee2MQTT press “Interview”, then “Reconfigure”; elsewhere let the gateway join again.",
		"Die gemeldeten Werte haben sich geändert: Drücken Sie in Zigbee2MQTT „Interview“, dann „Neu konfigurieren“; sonst lassen Sie das Gateway neu beitreten.",
		"Zestaw zgłaszanych wartości zmienił się: w Zigbee2MQTT naciśnij „Wywiad”, potem „Reconfigure”; gdzie indziej dołącz bramkę na nowo.",
	],
	"map.empty": [
		"No value is sent. Add a line for each value to send.",
		"Kein Wert wird gesendet. Fügen Sie für jeden gewünschten eine Zeile hinzu.",
		"Żadna wartość nie jest wysyłana. Dodaj wiersz dla każdej, która ma być wysyłana.",
	],
	"map.add": ["Add a line", "Zeile hinzufügen", "Dodaj wiersz"],
	"map.remove": ["Remove line {n}", "Zeile {n} entfernen", "Usuń wiersz {n}"],
	"map.full.help": [
		"No more lines fit ({n}).",
		"Mehr Zeilen passen nicht hinein ({n}).",
		"Więcej wierszy się nie zmieści ({n}).",
	],
} as const satisfies Record<string, Translations>;
