/** Texts for failed readouts. Each text begins with the most likely cause. */
import type { Translations } from "./translations.js";

export const FAILURES = {
	"failure.silence": [
		"Nothing came back from the meter. Check that the head sits on the meter's port, the right way round. A meter with a battery must be woken: there is a setting for that, or a button.",
		"Vom Zähler kam nichts zurück. Prüfen Sie, ob der Kopf richtig herum auf der Schnittstelle sitzt. Ein Zähler mit Batterie muss erst geweckt werden (Einstellung, Taste).",
		"Licznik nie odpowiedział. Sprawdź, czy głowica jest na porcie licznika i właściwie obrócona. Licznik na baterii trzeba budzić: ustawieniem albo przyciskiem.",
	],
	"failure.addressed": [
		"Nothing came back from the meter. Check the address that is set for it, or leave it empty; then the head. A meter with a battery must be woken: there is a setting for that, or a button.",
		"Vom Zähler kam nichts zurück. Prüfen Sie die eingestellte Adresse oder lassen Sie sie leer; dann den Kopf. Wecken Sie einen Zähler mit Batterie (Einstellung, Taste).",
		"Licznik nie odpowiedział. Sprawdź ustawiony adres licznika albo zostaw to pole puste; potem głowicę. Licznik na baterii trzeba budzić: ustawieniem albo przyciskiem.",
	],
	"failure.unheard": [
		"No complete telegram arrived from the meter. Check the speed, that the meter sends on its own, and that the head sits on the port the right way round.",
		"Vom Zähler kam kein vollständiges Telegramm. Prüfen Sie die Geschwindigkeit, ob der Zähler von selbst sendet und ob der Kopf richtig herum auf der Schnittstelle sitzt.",
		"Z licznika nie nadszedł kompletny telegram. Sprawdź prędkość, czy licznik sam wysyła dane i czy głowica jest dobrze ułożona na porcie licznika.",
	],
	"failure.stopped": [
		"The meter has stopped sending. Check that the head or the cable sits where it should, and that the meter has power.",
		"Der Zähler sendet nicht mehr. Prüfen Sie, ob der Kopf oder das Kabel richtig sitzt und ob der Zähler Strom hat.",
		"Licznik przestał wysyłać. Sprawdź, czy głowica lub kabel jest na swoim miejscu i czy licznik ma zasilanie.",
	],
	"failure.echo": [
		"Only the gateway's own light came back: the head works, the meter is silent. Move the head; then check address and battery of the meter in its settings.",
		"Nur das eigene Licht des Gateways kam zurück: Der Kopf arbeitet, der Zähler schweigt. Verschieben Sie den Kopf; prüfen Sie dann Adresse und Batterie in den Einstellungen des Zählers.",
		"Wróciło tylko światło samej bramki: głowica działa, licznik milczy. Przesuń głowicę; potem sprawdź adres i baterię w ustawieniach licznika.",
	],
	"failure.noise": [
		"The answer was damaged. Turn the head and shade it from light; if that does not help, lower the speed.",
		"Die Antwort war beschädigt. Drehen Sie den Kopf und schirmen Sie ihn vor Licht ab; hilft das nicht, verringern Sie die Geschwindigkeit.",
		"Odpowiedź była uszkodzona. Obróć głowicę i osłoń ją przed światłem; jeśli to nie pomoże, zmniejsz prędkość.",
	],
	"failure.broken": [
		"The meter stopped in the middle of the readout. Check that the head sits firmly; otherwise lower the speed or wait longer for answers.",
		"Der Zähler brach mitten in der Auslesung ab. Prüfen Sie, ob der Kopf fest sitzt; sonst verringern Sie die Geschwindigkeit oder warten Sie länger auf Antworten.",
		"Licznik przerwał w połowie odczytu. Sprawdź, czy głowica dobrze przylega; jeśli tak, zmniejsz prędkość lub wydłuż czas oczekiwania.",
	],
	"failure.direct": [
		"The meter does not answer in DLMS/COSEM. “Find my meter” on the page “Meter” finds out whether it answers in another way. If not, check the head and the speed; then how the connection begins, the address of the meter and the client address.",
		"Der Zähler antwortet nicht in DLMS/COSEM. „Zähler suchen“ auf der Seite „Zähler“ findet heraus, ob er anders antwortet. Wenn nicht, prüfen Sie Kopf und Geschwindigkeit; dann Beginn der Verbindung, Adresse des Zählers und Client-Adresse.",
		"Licznik nie odpowiada w DLMS/COSEM. „Szukaj licznika” na stronie „Licznik” wykryje, czy odpowiada inaczej. Jeśli nie, sprawdź głowicę i prędkość; potem początek połączenia, adres licznika i adres klienta.",
	],
	"failure.address": [
		"These addresses do not fit the meter. Check its address (logical, physical, length), then the client address.",
		"Diese Adressen passen nicht zum Zähler. Prüfen Sie seine Adresse (logisch, physisch, Länge), dann die Client-Adresse.",
		"Te adresy nie pasują do licznika. Sprawdź jego adres (logiczny, fizyczny, długość), potem adres klienta.",
	],
	"failure.protocol": [
		"The meter identified itself, but does not go on in DLMS/COSEM. Choose the standard protocol, or let the connection begin directly.",
		"Der Zähler hat sich gemeldet, fährt aber nicht in DLMS/COSEM fort. Wählen Sie das Standardprotokoll oder lassen Sie die Verbindung direkt beginnen.",
		"Licznik podał identyfikator, ale nie przechodzi na DLMS/COSEM. Wybierz protokół standardowy albo połączenie bezpośrednie.",
	],
	"failure.refused": [
		"The meter refuses the connection. Perhaps another device is reading it: wait two minutes. Then check the client address and the address of the meter.",
		"Der Zähler lehnt die Verbindung ab. Vielleicht liest ihn gerade ein anderes Gerät: Warten Sie zwei Minuten. Prüfen Sie dann Client-Adresse und Adresse des Zählers.",
		"Licznik odmawia połączenia. Może odczytuje go inne urządzenie: odczekaj dwie minuty. Potem sprawdź adres klienta i adres licznika.",
	],
	"failure.absent": [
		"This firmware was built without the protocol that is set. Choose another one, or install a firmware that has it.",
		"Diese Firmware wurde ohne das eingestellte Protokoll gebaut. Wählen Sie ein anderes oder installieren Sie eine Firmware, die es enthält.",
		"To oprogramowanie zbudowano bez ustawionego protokołu. Wybierz inny lub zainstaluj oprogramowanie, które go obsługuje.",
	],
	"failure.unasked": [
		"The meter sends data that the gateway has not requested. “Find my meter” on the page “Meter” identifies it.",
		"Der Zähler sendet Daten, die das Gateway nicht angefordert hat. „Zähler suchen“ auf der Seite „Zähler“ stellt fest, welche es sind.",
		"Licznik wysyła dane, o które bramka nie prosiła. „Szukaj licznika” na stronie „Licznik” rozpozna je.",
	],
	"finding.later": [
		"This gateway can't read such data yet.",
		"Solche Daten kann dieses Gateway noch nicht lesen.",
		"Takich danych ta bramka jeszcze nie odczytuje.",
	],
	"finding.noise": [
		"Data arrives unasked and makes no sense at any usual speed: probably stray light. Shade the head and turn it.",
		"Es kommen ungefragt Daten an, die bei keiner üblichen Geschwindigkeit Sinn ergeben: vermutlich Fremdlicht. Schirmen Sie den Kopf ab und drehen Sie ihn.",
		"Docierają niezamówione dane, które przy żadnej zwykłej prędkości nie mają sensu: zapewne to obce światło. Osłoń głowicę i obróć ją.",
	],
	"finding.asked": [
		"The meter answers in another way: {what}.",
		"Der Zähler antwortet anders: {what}.",
		"Licznik odpowiada inaczej: {what}.",
	],
	"finding.deviation": [
		"The meter's clock is wrong by exactly twice its offset from UTC: it seems to send the offset with the opposite sign.",
		"Die Uhr des Zählers geht um genau das Doppelte ihres Unterschieds zu UTC falsch: Vermutlich sendet sie ihn mit umgekehrtem Vorzeichen.",
		"Zegar licznika różni się dokładnie o podwójne przesunięcie od UTC: zapewne podaje je z przeciwnym znakiem.",
	],
	"finding.set": ["Use this", "Übernehmen", "Zastosuj"],
	"finding.done": [
		"The gateway is now set up for this meter.",
		"Das Gateway ist für diesen Zähler eingerichtet.",
		"Bramka jest skonfigurowana do tego licznika.",
	],
	"failure.level": [
		"The client address does not fit this kind of access: it is usually 16 without access data, 32 with a password, 1 with keys. Change it first, then “Authentication” or “Encryption”.",
		"Die Client-Adresse passt nicht zu dieser Art von Zugang: Meist ist sie 16 ohne Zugangsdaten, 32 mit Passwort, 1 mit Schlüsseln. Ändern Sie zuerst die Adresse, dann „Authentifizierung“ oder „Verschlüsselung“.",
		"Adres klienta nie pasuje do tego rodzaju dostępu: zwykle jest to 16 bez danych dostępu, 32 z hasłem, 1 z kluczami. Zmień najpierw adres, potem „Uwierzytelnianie” lub „Szyfrowanie”.",
	],
	"failure.mechanism": [
		"The meter wants a login that this gateway does not know (HLS {what}). Ask your grid operator for access with a password or with two keys (GMAC).",
		"Der Zähler verlangt eine Anmeldung, die dieses Gateway nicht kennt (HLS {what}). Bitten Sie den Netzbetreiber um einen Zugang mit Passwort oder mit zwei Schlüsseln (GMAC).",
		"Licznik wymaga logowania, którego ta bramka nie zna (HLS {what}). Poproś operatora sieci o dostęp z hasłem albo z dwoma kluczami (GMAC).",
	],
	"failure.suite": [
		"The meter encrypts by security suite {what}, this gateway by suites 0 and 1. Ask your grid operator for a client with one of these.",
		"Der Zähler verschlüsselt nach Security Suite {what}, dieses Gateway nach Suite 0 und 1. Bitten Sie den Netzbetreiber um einen Client mit einer davon.",
		"Licznik szyfruje według security suite {what}, ta bramka według suite 0 i 1. Poproś operatora sieci o klienta z jedną z nich.",
	],
	"failure.short": [
		"The meter uses DLMS short-name referencing, which is not supported. Choose the standard protocol, then another client.",
		"Der Zähler verwendet DLMS-Kurznamen (short names), die nicht unterstützt werden. Wählen Sie das Standardprotokoll, dann einen anderen Client.",
		"Licznik używa nazw skróconych DLMS (short names), które nie są obsługiwane. Wybierz protokół standardowy, potem innego klienta.",
	],
	"failure.password": [
		"The meter refuses access. Check the password or the keys, then the client address.",
		"Der Zähler verweigert den Zugang. Prüfen Sie Passwort oder Schlüssel, dann die Client-Adresse.",
		"Licznik odmawia dostępu. Sprawdź hasło lub klucze, potem adres klienta.",
	],
	"failure.keys": [
		"The keys do not fit this meter. Compare both with the operator's letter, character by character, then the client address.",
		"Die Schlüssel passen nicht zu diesem Zähler. Vergleichen Sie beide Zeichen für Zeichen mit dem Brief des Netzbetreibers, dann die Client-Adresse.",
		"Klucze nie pasują do tego licznika. Porównaj oba znak po znaku z pismem operatora sieci, potem adres klienta.",
	],
	"failure.push.no-key": [
		"The meter encrypts its values. The grid operator has the key to them; you find it in its customer portal on the internet, or get it on request.",
		"Der Zähler verschlüsselt seine Werte. Den Schlüssel dazu hat der Netzbetreiber: Er steht in dessen Kundenportal im Internet, oder Sie bekommen ihn auf Anfrage.",
		"Licznik szyfruje swoje wartości. Klucz do nich ma operator sieci: znajdziesz go w jego portalu klienta w internecie albo otrzymasz na prośbę.",
	],
	"failure.push.key": [
		"The encryption key does not fit this meter. Compare it with the one that the grid operator has given, digit by digit.",
		"Der Schlüssel (GUEK) passt nicht zu diesem Zähler. Vergleichen Sie ihn Ziffer für Ziffer mit dem des Netzbetreibers.",
		"Klucz szyfrujący nie pasuje do tego licznika. Porównaj go cyfra po cyfrze z kluczem od operatora sieci.",
	],
	"failure.push.broadcast": [
		"The meter encrypts its values with its broadcast key, and the one here is another. Ask the grid operator for the broadcast key.",
		"Der Zähler verschlüsselt seine Werte mit seinem Broadcast-Schlüssel, hier steht ein anderer. Fragen Sie den Netzbetreiber nach dem Broadcast-Schlüssel.",
		"Licznik szyfruje swoje wartości kluczem rozgłoszeniowym (broadcast), a tu jest inny. Poproś operatora sieci o klucz rozgłoszeniowy.",
	],
	"failure.push.no-tag": [
		"This meter sends nothing that the authentication key (AK) could check. Delete that key.",
		"Dieser Zähler sendet nichts, was der Authentifizierungsschlüssel (AK) prüfen könnte. Löschen Sie diesen Schlüssel.",
		"Ten licznik nie wysyła niczego, co klucz uwierzytelniający (AK) mógłby sprawdzić. Usuń ten klucz.",
	],
	"failure.push.open": [
		"The meter does not encrypt its values, but a key is set for it. Delete the key.",
		"Der Zähler verschlüsselt seine Werte nicht, es ist aber ein Schlüssel eingetragen. Löschen Sie den Schlüssel.",
		"Licznik nie szyfruje swoich wartości, a ustawiono klucz. Usuń ten klucz.",
	],
	"failure.push.again": [
		"This telegram was sent before, or by another meter; it may be a recording. If the meter was exchanged or restarted, change the speed under “The meter sends on its own”, save, and change it back.",
		"Dieses Telegramm wurde schon einmal oder von einem anderen Zähler gesendet; es kann eine Aufzeichnung sein. Wurde der Zähler getauscht oder neu gestartet, ändern Sie die Geschwindigkeit unter „Der Zähler sendet von selbst“, speichern Sie und stellen Sie sie zurück.",
		"Ten telegram był już wysłany albo pochodzi z innego licznika; może to być nagranie. Jeśli licznik wymieniono lub uruchomiono ponownie, zmień prędkość w „Licznik wysyła dane sam”, zapisz i przywróć poprzednią.",
	],
	"failure.port": [
		"The serial port of the optical head could not be used. Check its cable; then restart the gateway.",
		"Der serielle Anschluss des optischen Kopfs war nicht nutzbar. Prüfen Sie das Kabel; starten Sie dann das Gateway neu.",
		"Nie można było użyć portu szeregowego głowicy. Sprawdź kabel; potem uruchom bramkę ponownie.",
	],
	"failure.counter": [
		"With these keys the meter has already seen a higher message number, for example from another device. Ask your grid operator for new keys, or for a client that may read that number.",
		"Der Zähler hat mit diesen Schlüsseln schon eine höhere Nachrichtennummer gesehen, etwa von einem anderen Gerät. Bitten Sie den Netzbetreiber um neue Schlüssel oder um einen Client, der diese Nummer lesen darf.",
		"Przy tych kluczach licznik widział już wyższy numer wiadomości, na przykład od innego urządzenia. Poproś operatora sieci o nowe klucze albo o klienta, który może ten numer odczytać.",
	],
	"failure.untrusted": [
		"The meter could not prove that it is the right one. Check “Authentication key (AK)”; do not trust the meter until that succeeds.",
		"Der Zähler konnte nicht beweisen, dass er der richtige ist. Prüfen Sie „Authentifizierungsschlüssel (AK)“; bis das gelingt, ist ihm nicht zu trauen.",
		"Licznik nie udowodnił, że jest właściwy. Sprawdź „Klucz uwierzytelniający (AK)”; do tego czasu nie ufaj temu licznikowi.",
	],
} as const satisfies Record<string, Translations>;
