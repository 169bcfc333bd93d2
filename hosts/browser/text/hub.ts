/** Texts of the page "hub". */
import type { Translations } from "./translations.js";

export const HUB = {
	"hub.intro": [
		"Sends each reading to Home Assistant. If you have an MQTT broker, prefer MQTT: its entities survive a restart.",
		"Sendet jede Auslesung an Home Assistant. Mit einem MQTT-Broker besser MQTT wählen: Die Entitäten bleiben nach einem Neustart.",
		"Wysyła każdy odczyt do Home Assistanta. Masz brokera MQTT? Wybierz MQTT: encje przetrwają ponowne uruchomienie.",
	],
	"hub.token": ["Access token", "Zugangstoken", "Token dostępu"],
	"hub.why": [
		"For safety, enter address, token and certificate again each time you save.",
		"Zur Sicherheit Adresse, Token und Zertifikat bei jedem Speichern neu angeben.",
		"Dla bezpieczeństwa przy każdym zapisie podaj ponownie adres, token i certyfikat.",
	],
	"hub.enabled": [
		"Send readings to Home Assistant",
		"Auslesungen an Home Assistant senden",
		"Wysyłaj odczyty do Home Assistanta",
	],
	"hub.url": ["Address of Home Assistant", "Adresse von Home Assistant", "Adres Home Assistanta"],
	"hub.url.help": [
		"Such as http://homeassistant.local:8123",
		"Etwa http://homeassistant.local:8123",
		"Na przykład http://homeassistant.local:8123",
	],
	"hub.token.help": [
		"In Home Assistant, as an administrator: your profile, security, long-lived access tokens, create token.",
		"In Home Assistant als Administrator: Profil, Sicherheit, langlebige Zugangstoken, Token erstellen.",
		"W Home Assistant jako administrator: profil, bezpieczeństwo, tokeny dostępu o długim okresie ważności, utwórz token.",
	],
	"hub.cert.area": ["Certificate (PEM text)", "Zertifikat (PEM-Text)", "Certyfikat (tekst PEM)"],
	"hub.cert.help": [
		"An address with https:// needs it: the server's own, or that of its certificate authority. No private key.",
		"Eine Adresse mit https:// braucht es: das des Servers oder das seiner Zertifizierungsstelle. Kein privater Schlüssel.",
		"Adres z https:// wymaga go: certyfikat serwera albo jego urzędu certyfikacji. Bez klucza prywatnego.",
	],
	"hub.lang": ["Language of the names of values", "Sprache der Namen der Werte", "Język nazw wartości"],
	"hub.statistics": [
		"Statistics for the energy dashboard",
		"Statistik fürs Energie-Dashboard",
		"Statystyki dla panelu energii",
	],
	"hub.statistics.help": [
		"Also sends the hours of the history, so that the dashboard has no gaps. Needs an administrator's token. Off: only present states.",
		"Sendet auch die Stunden des Verlaufs, damit das Dashboard keine Lücken hat. Braucht das Token eines Administrators. Aus: nur die aktuellen Zustände.",
		"Wysyła też godziny z historii, żeby w panelu nie było luk. Wymaga tokenu administratora. Wyłączone: tylko bieżące stany.",
	],

	"mqtt.title": ["MQTT", "MQTT", "MQTT"],
	"mqtt.intro": [
		"Sends each reading to an MQTT broker. Home Assistant then discovers all values by itself; Node-RED, evcc, ioBroker and openHAB can read them too.",
		"Sendet jede Auslesung an einen MQTT-Broker. Home Assistant findet dann alle Werte von selbst; auch Node-RED, evcc, ioBroker und openHAB können sie lesen.",
		"Wysyła każdy odczyt do brokera MQTT. Home Assistant sam wykrywa wtedy wszystkie wartości; mogą je odczytywać także Node-RED, evcc, ioBroker i openHAB.",
	],
	"mqtt.base": ["Topics begin with", "Topics beginnen mit", "Tematy zaczynają się od"],
	"mqtt.enabled": [
		"Publish readings over MQTT",
		"Auslesungen über MQTT veröffentlichen",
		"Publikuj odczyty przez MQTT",
	],
	"mqtt.url": ["Address of the broker", "Adresse des Brokers", "Adres brokera"],
	"mqtt.url.help": [
		"Such as mqtt://homeassistant.local, or mqtts:// for an encrypted connection. Usual ports are 1883 and 8883.",
		"Etwa mqtt://homeassistant.local, oder mqtts:// für eine verschlüsselte Verbindung. Üblich sind die Ports 1883 und 8883.",
		"Na przykład mqtt://homeassistant.local, albo mqtts:// dla połączenia szyfrowanego. Zwykłe porty to 1883 i 8883.",
	],
	"mqtt.cert.help": [
		"An address with mqtts:// needs it once: the broker's own, or that of its certificate authority. No private key. Empty: the stored one stays.",
		"Eine Adresse mit mqtts:// braucht es einmal: das des Brokers oder das seiner Zertifizierungsstelle. Kein privater Schlüssel. Leer: Das gespeicherte bleibt.",
		"Adres z mqtts:// wymaga go raz: certyfikat brokera albo jego urzędu certyfikacji. Bez klucza prywatnego. Puste: zostaje zapisany.",
	],
	"mqtt.client_cert": [
		"Show the gateway's certificate to the broker",
		"Sich beim Broker mit dem Zertifikat des Gateways ausweisen",
		"Okazuj brokerowi certyfikat bramki",
	],
	"mqtt.client_cert.help": [
		"For a broker that wants a client certificate, with mqtts://. It must trust the certificate under Security.",
		"Für einen Broker, der ein Client-Zertifikat verlangt, mit mqtts://. Er muss dem Zertifikat unter „Sicherheit“ vertrauen.",
		"Dla brokera, który żąda certyfikatu klienta, z mqtts://. Musi on ufać certyfikatowi z zakładki „Bezpieczeństwo”.",
	],
	"mqtt.discovery": [
		"Announce the values to Home Assistant",
		"Die Werte bei Home Assistant anmelden",
		"Zgłoś wartości w Home Assistancie",
	],
	"mqtt.discovery.help": [
		"When this is turned off, Home Assistant removes them.",
		"Wird das ausgeschaltet, entfernt Home Assistant sie wieder.",
		"Po wyłączeniu Home Assistant je usunie.",
	],
	"mqtt.topics": ["What is published", "Was veröffentlicht wird", "Co jest publikowane"],
	"mqtt.topics.json": [
		"all values in one JSON text",
		"alle Werte in einem JSON-Text",
		"wszystkie wartości w jednym tekście JSON",
	],
	"mqtt.topics.values": ["a topic for each value", "ein Topic je Wert", "osobny temat dla każdej wartości"],
	"mqtt.topics.both": ["both", "beides", "jedno i drugie"],
	"mqtt.topic": ["Topic prefix", "Topic-Präfix", "Prefiks tematów"],

	"out.sent": ["Last sent", "Zuletzt gesendet", "Ostatnio wysłano"],
	"out.never": ["not since the start", "seit dem Start noch nicht", "nie od uruchomienia"],
	"out.waiting": ["waiting for a reading", "wartet auf eine Auslesung", "czeka na odczyt"],
	"out.test": ["Send a test", "Testwerte senden", "Wyślij testowo"],
	"out.testing": ["Sending …", "Wird gesendet …", "Wysyłanie …"],
	"out.ok": ["Delivered.", "Angekommen.", "Dostarczono."],
	"out.other": [
		"Sending failed ({error}). The gateway will retry.",
		"Das Senden ist gescheitert ({error}). Es wird erneut versucht.",
		"Wysyłanie nie powiodło się ({error}). Nastąpi kolejna próba.",
	],
	"out.closed": [
		"The other side closed the connection. Check the port, and whether the address must begin with https:// or mqtts:// there.",
		"Die Gegenseite hat die Verbindung geschlossen. Prüfen Sie den Port und ob die Adresse dort mit https:// oder mqtts:// beginnen muss.",
		"Druga strona zamknęła połączenie. Sprawdź port i to, czy adres powinien tam zaczynać się od https:// lub mqtts://.",
	],
	"out.connection_lost": [
		"The connection was lost. The gateway will retry; if it happens again, check the network and the server.",
		"Die Verbindung ist abgebrochen. Es wird erneut versucht; bleibt es so, prüfen Sie Netz und Server.",
		"Połączenie zostało przerwane. Nastąpi kolejna próba; jeśli to się powtarza, sprawdź sieć i serwer.",
	],
	"out.no_such_name": [
		"This name is not known in the network. Check it, or use the IP address.",
		"Dieser Name ist im Netz nicht bekannt. Prüfen Sie ihn, oder nehmen Sie die IP-Adresse.",
		"Ta nazwa nie jest znana w sieci. Sprawdź ją albo użyj adresu IP.",
	],
	"out.unreachable": [
		"No answer from that address and port. Check both, and that the server is running.",
		"Keine Antwort von dieser Adresse und diesem Port. Prüfen Sie beides und ob der Server läuft.",
		"Brak odpowiedzi spod tego adresu i portu. Sprawdź jedno i drugie oraz czy serwer działa.",
	],
	"out.timeout": [
		"No answer came in time. Check address and port, and whether the server is in the same network.",
		"Es kam keine rechtzeitige Antwort. Prüfen Sie Adresse und Port und ob der Server im selben Netz ist.",
		"Odpowiedź nie nadeszła na czas. Sprawdź adres i port oraz czy serwer jest w tej samej sieci.",
	],
	"out.no_memory": [
		"There is not enough memory for a secure connection at the moment. The gateway will retry.",
		"Für eine sichere Verbindung ist im Moment zu wenig Speicher frei. Es wird erneut versucht.",
		"Brakuje chwilowo pamięci na bezpieczne połączenie. Nastąpi kolejna próba.",
	],
	"out.no_network": [
		"The gateway is not connected to a network. See the network page.",
		"Das Gateway ist mit keinem Netz verbunden. Sehen Sie auf der Seite Netzwerk nach.",
		"Bramka nie jest w żadnej sieci. Zajrzyj na stronę sieci.",
	],
	"out.tls_failed": [
		"A secure connection could not be made. Check that the server offers TLS 1.2 at this port.",
		"Es kam keine sichere Verbindung zustande. Prüfen Sie, ob der Server an diesem Port TLS 1.2 spricht.",
		"Nie udało się bezpieczne połączenie. Sprawdź, czy serwer używa na tym porcie TLS 1.2.",
	],
	"out.certificate_untrusted": [
		"The server shows another certificate than the stored one. If that is intended, store its certificate or that of its authority.",
		"Der Server zeigt ein anderes Zertifikat als das gespeicherte. Hat das seine Richtigkeit, speichern Sie sein Zertifikat oder das seiner Zertifizierungsstelle.",
		"Serwer pokazuje inny certyfikat niż zapisany. Jeśli to prawidłowe, zapisz jego certyfikat lub certyfikat jego urzędu.",
	],
	"out.certificate_wrong_name": [
		"The server's certificate is for another name. Use the name in the certificate as the address.",
		"Das Zertifikat des Servers gilt für einen anderen Namen. Nehmen Sie als Adresse den Namen, der darin steht.",
		"Certyfikat serwera jest na inną nazwę. Użyj jako adresu nazwy z certyfikatu.",
	],
	"out.certificate_expired": [
		"The server's certificate has expired or is not valid yet. Renew it, and check the gateway's clock.",
		"Das Zertifikat des Servers ist abgelaufen oder noch nicht gültig. Erneuern Sie es, und prüfen Sie die Uhr des Gateways.",
		"Certyfikat serwera wygasł albo jeszcze nie jest ważny. Odnów go i sprawdź zegar bramki.",
	],
	"out.client_certificate": [
		"The server admits only clients with a certificate that it trusts. For MQTT, show the gateway's (under Security), and let the broker trust it.",
		"Der Server lässt nur Clients mit einem Zertifikat zu, dem er vertraut. Weisen Sie sich bei MQTT mit dem des Gateways aus (unter „Sicherheit“), und lassen Sie den Broker ihm vertrauen.",
		"Serwer wpuszcza tylko klientów z certyfikatem, któremu ufa. W MQTT okazuj certyfikat bramki (strona „Bezpieczeństwo”) i dodaj go w brokerze do zaufanych.",
	],
	"out.certificate_missing": [
		"An address with https:// or mqtts:// needs the server's certificate. Store it below.",
		"Eine Adresse mit https:// oder mqtts:// braucht das Zertifikat des Servers. Speichern Sie es unten.",
		"Adres z https:// lub mqtts:// wymaga certyfikatu serwera. Zapisz go poniżej.",
	],
	"out.bad_url": [
		"The stored address is not usable. Enter and save it again.",
		"Die gespeicherte Adresse ist ungültig. Bitte geben Sie sie neu ein.",
		"Zapisany adres jest nieprawidłowy. Wprowadź go ponownie.",
	],
	"out.no_reply": [
		"The server accepted the connection but did not answer. Check the port.",
		"Der Server hat die Verbindung angenommen, aber nicht geantwortet. Prüfen Sie den Port.",
		"Serwer przyjął połączenie, ale nie odpowiedział. Sprawdź port.",
	],
	"out.no_http": [
		"The server there is not a web server. Check the port, and whether http:// or https:// is right.",
		"Der Server dort ist kein Webserver. Prüfen Sie den Port und ob http:// oder https:// richtig ist.",
		"Serwer pod tym adresem nie jest serwerem WWW. Sprawdź port i to, czy właściwe jest http:// czy https://.",
	],
	"out.token_rejected": [
		"Home Assistant rejects the token. Create a long-lived access token as an administrator there, and save it here.",
		"Home Assistant lehnt das Token ab. Erstellen Sie dort als Administrator ein langlebiges Zugangstoken, und speichern Sie es hier.",
		"Home Assistant odrzuca token. Utwórz tam jako administrator token dostępu o długim okresie ważności i zapisz go tutaj.",
	],
	"out.forbidden": [
		"Home Assistant has banned the gateway's address. Remove it from ip_bans.yaml there, and restart Home Assistant.",
		"Home Assistant hat die Adresse des Gateways gesperrt. Nehmen Sie sie dort aus ip_bans.yaml, und starten Sie Home Assistant neu.",
		"Home Assistant zablokował adres bramki. Usuń go tam z pliku ip_bans.yaml i uruchom Home Assistanta ponownie.",
	],
	"out.redirected": [
		"The server redirects to another address, and the token is sent to no other. Enter the address of Home Assistant itself.",
		"Der Server verweist auf eine andere Adresse, und das Token geht an keine andere. Geben Sie die Adresse ein, unter der Home Assistant selbst zu finden ist.",
		"Serwer odsyła pod inny adres, a token nigdzie indziej nie trafi. Podaj adres, pod którym jest sam Home Assistant.",
	],
	"out.not_found": [
		"There is no Home Assistant at this address. Check name and port; a path is rarely needed.",
		"Unter dieser Adresse ist kein Home Assistant. Prüfen Sie Name und Port; ein Pfad ist selten nötig.",
		"Pod tym adresem nie ma Home Assistanta. Sprawdź nazwę i port; ścieżka jest rzadko potrzebna.",
	],
	"out.hub_unavailable": [
		"Home Assistant is not ready; it may be starting. The gateway will retry.",
		"Home Assistant ist nicht bereit, etwa weil es gerade startet. Es wird erneut versucht.",
		"Home Assistant nie jest gotowy, na przykład dopiero startuje. Nastąpi kolejna próba.",
	],
	"out.rejected": [
		"The server does not accept values. Check that Home Assistant is at this address.",
		"Der Server nimmt keine Werte an. Prüfen Sie, ob unter dieser Adresse Home Assistant ist.",
		"Serwer nie przyjmuje wartości. Sprawdź, czy pod tym adresem jest Home Assistant.",
	],
	"out.unsupported": [
		"In safe mode nothing is sent. Restart the gateway to leave it.",
		"Im abgesicherten Betrieb wird nichts gesendet. Ein Neustart des Gateways beendet ihn.",
		"W trybie awaryjnym nic nie jest wysyłane. Ponowne uruchomienie bramki go kończy.",
	],
	"out.broker_closed": [
		"The broker has closed the connection. Check its log: it may be stopping, or this user may not publish to these topics.",
		"Der Broker hat die Verbindung geschlossen. Sehen Sie in sein Protokoll: Vielleicht wird er beendet, oder dieser Benutzer darf diese Topics nicht beschreiben.",
		"Broker zamknął połączenie. Zajrzyj do jego dziennika: może kończy pracę albo ten użytkownik nie może publikować w tych tematach.",
	],
	"out.refused_version": [
		"The broker does not accept MQTT 3.1.1. Allow that version there.",
		"Der Broker nimmt MQTT 3.1.1 nicht an. Erlauben Sie dort diese Version.",
		"Broker nie przyjmuje MQTT 3.1.1. Zezwól tam na tę wersję.",
	],
	"out.refused_id": [
		"The broker refuses this client. Allow its identifier (the serial number) there, and a keep-alive of 60 seconds.",
		"Der Broker lehnt diesen Client ab. Erlauben Sie dort seine Kennung (die Seriennummer) und ein Keep-alive von 60 Sekunden.",
		"Broker odrzuca tego klienta. Zezwól tam na jego identyfikator (numer seryjny) i keep-alive 60 sekund.",
	],
	"out.refused_busy": [
		"The broker is not available at the moment. The gateway will retry.",
		"Der Broker ist im Moment nicht verfügbar. Es wird erneut versucht.",
		"Broker jest chwilowo niedostępny. Nastąpi kolejna próba.",
	],
	"out.refused_login": [
		"The broker refuses the user name or password. Enter both again.",
		"Der Broker lehnt Benutzer oder Passwort ab. Geben Sie beides neu ein.",
		"Broker odrzuca użytkownika lub hasło. Ustaw jedno i drugie ponownie.",
	],
	"out.refused_access": [
		"The broker does not let this user in. Check user and password, and the permissions of that user.",
		"Der Broker lässt diesen Benutzer nicht zu. Prüfen Sie Benutzer und Passwort und die Rechte dieses Benutzers.",
		"Broker nie wpuszcza tego użytkownika. Sprawdź użytkownika i hasło oraz jego uprawnienia w brokerze.",
	],
	"out.no_mqtt": [
		"The server there does not speak MQTT 3.1.1. Check the port: usually 1883, or 8883 with mqtts://.",
		"Der Server dort spricht kein MQTT 3.1.1. Prüfen Sie den Port: Üblich ist 1883, mit mqtts:// 8883.",
		"Serwer pod tym adresem nie używa MQTT 3.1.1. Sprawdź port: zwykle 1883, a z mqtts:// 8883.",
	],
	"out.silent": [
		"The broker does not answer. The gateway will retry; check the port.",
		"Der Broker antwortet nicht. Es wird erneut versucht; prüfen Sie den Port.",
		"Broker nie odpowiada. Nastąpi kolejna próba; sprawdź port.",
	],
	"out.closed_unanswered": [
		"The broker closed the connection without an answer. A TLS port needs mqtts://, any other mqtt://. If the broker wants a client certificate, show the gateway's.",
		"Der Broker hat die Verbindung ohne Antwort geschlossen. Ein TLS-Port verlangt mqtts://, jeder andere mqtt://. Verlangt der Broker ein Client-Zertifikat, weisen Sie sich mit dem des Gateways aus.",
		"Broker zamknął połączenie bez odpowiedzi. Port TLS wymaga mqtts://, inny mqtt://. Jeśli broker żąda certyfikatu klienta, okazuj certyfikat bramki.",
	],
} as const satisfies Record<string, Translations>;
