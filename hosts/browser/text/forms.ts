/** Texts that explain the required form of a field. */
import type { Translations } from "./translations.js";

export const FORMS = {
	"form.rare": ["More settings", "Weitere Einstellungen", "Więcej ustawień"],
	"form.signs": [
		"Letters from A to Z, digits and signs, without accents or umlauts.",
		"Buchstaben von A bis Z, Ziffern und Zeichen, keine Umlaute.",
		"Litery od A do Z, cyfry i znaki, bez polskich znaków.",
	],
	"form.solid": [
		"Letters from A to Z, digits and signs, without spaces, accents or umlauts.",
		"Buchstaben von A bis Z, Ziffern und Zeichen, keine Leerzeichen und keine Umlaute.",
		"Litery od A do Z, cyfry i znaki, bez spacji i bez polskich znaków.",
	],
	"form.plain": [
		"Letters from A to Z, digits, spaces, # and / only.",
		"Nur Buchstaben von A bis Z, Ziffern, Leerzeichen, # und /.",
		"Tylko litery od A do Z, cyfry, spacje, # i /.",
	],
	"form.name": [
		"Letters from A to Z, digits, hyphens, dots, _ and ~ only.",
		"Nur Buchstaben von A bis Z, Ziffern, Bindestriche, Punkte, _ und ~.",
		"Tylko litery od A do Z, cyfry, łączniki, kropki, _ i ~.",
	],
	"form.digits": ["Digits only.", "Nur Ziffern.", "Tylko cyfry."],
	"form.address": ["Digits and dots only.", "Nur Ziffern und Punkte.", "Tylko cyfry i kropki."],
	"form.line": ["One line of text.", "Eine Zeile Text.", "Jeden wiersz tekstu."],
	"form.key": [
		"32 characters: digits 0–9 and letters A–F.",
		"32 Zeichen: Ziffern 0–9 und Buchstaben A–F.",
		"32 znaki: cyfry 0–9 i litery A–F.",
	],
	"form.host": [
		"Letters from A to Z, digits and hyphens; no hyphen at the beginning or at the end.",
		"Buchstaben von A bis Z, Ziffern und Bindestriche; kein Bindestrich am Anfang oder am Ende.",
		"Litery od A do Z, cyfry i łączniki; bez łącznika na początku i na końcu.",
	],
	"form.ipv4": [
		"Four numbers from 0 to 255, separated by dots, such as 192.168.178.50.",
		"Vier Zahlen von 0 bis 255 mit Punkten dazwischen, etwa 192.168.178.50.",
		"Cztery liczby od 0 do 255 rozdzielone kropkami, na przykład 192.168.178.50.",
	],
	"form.url": [
		"It begins with http:// or https://, followed by a name or an IP address; without a user name, “?” or “#”.",
		"Sie beginnt mit http:// oder https://, danach folgt ein Name oder eine IP-Adresse; ohne Benutzernamen, „?“ oder „#“.",
		"Zaczyna się od http:// lub https://, potem nazwa albo adres IP; bez nazwy użytkownika, „?” i „#”.",
	],
	"form.broker": [
		"It begins with mqtt:// or mqtts://, followed by a name or an IP address, and optionally a colon and the port.",
		"Sie beginnt mit mqtt:// oder mqtts://, danach folgt ein Name oder eine IP-Adresse, eventuell mit Doppelpunkt und Port.",
		"Zaczyna się od mqtt:// lub mqtts://, potem nazwa albo adres IP, ewentualnie dwukropek i port.",
	],
	"form.topic": [
		"A topic has no spaces, “#” or “+”.",
		"Ein Topic enthält keine Leerzeichen und kein „#“ oder „+“.",
		"Temat nie zawiera spacji ani znaków „#” i „+”.",
	],
	"form.pem": [
		"The line “-----BEGIN CERTIFICATE-----” is missing.",
		"Die Zeile „-----BEGIN CERTIFICATE-----“ fehlt.",
		"Brakuje wiersza „-----BEGIN CERTIFICATE-----”.",
	],
	"form.obis": [
		"A code looks like 1-0:1.8.0, or is six numbers: 1 0 1 8 0 255. Each number is at most 255.",
		"Ein Code sieht so aus: 1-0:1.8.0, oder er besteht aus sechs Zahlen: 1 0 1 8 0 255. Jede Zahl ist höchstens 255.",
		"Kod wygląda tak: 1-0:1.8.0, albo to sześć liczb: 1 0 1 8 0 255. Każda liczba to najwyżej 255.",
	],
	"refused.ssid": [
		"This name is too long: at most 32 bytes. A letter with an accent takes two, an emoji four.",
		"Dieser Name ist zu lang: höchstens 32 Byte. Ein Umlaut zählt zwei, ein Emoji vier.",
		"Ta nazwa jest za długa: najwyżej 32 bajty. Polska litera zajmuje dwa, emoji cztery.",
	],
	"refused.ip": [
		"No device can have this address in a network with this network mask: its first and last address are reserved.",
		"In einem Netz mit dieser Netzmaske kann kein Gerät diese Adresse haben: Die erste und die letzte sind vergeben.",
		"W sieci o tej masce żadne urządzenie nie może mieć tego adresu: pierwszy i ostatni są zastrzeżone.",
	],
	"refused.netmask": [
		"A network mask is one of 255.0.0.0 to 255.255.255.252, in most homes 255.255.255.0.",
		"Eine Netzmaske ist eine von 255.0.0.0 bis 255.255.255.252, in den meisten Haushalten 255.255.255.0.",
		"Maska sieci to jedna z masek od 255.0.0.0 do 255.255.255.252, w większości domów 255.255.255.0.",
	],
	"refused.gateway": [
		"The router is another device in the same network as the IP address.",
		"Der Router ist ein anderes Gerät im selben Netz wie die IP-Adresse.",
		"Router to inne urządzenie w tej samej sieci co adres IP.",
	],
	"refused.length": [
		"This length is too short for the two addresses; “Automatic” chooses the right one.",
		"Diese Länge ist zu kurz für die beiden Adressen; „Automatisch“ wählt die richtige.",
		"Ta długość jest za mała dla obu adresów; „Automatycznie” dobiera potrzebną.",
	],
	"refused.pem": [
		"PEM text of certificates and nothing else: no private key, nothing cut off.",
		"Nur PEM-Text von Zertifikaten: kein privater Schlüssel, nichts abgeschnitten.",
		"Tylko tekst PEM certyfikatów: bez klucza prywatnego, nic nie może być ucięte.",
	],
} as const satisfies Record<string, Translations>;
