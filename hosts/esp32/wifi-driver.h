/*
 * The radio for Wi-Fi as wifi-core.c drives it: a thin layer of ESP-IDF's calls (wifi-driver.c), a fake in the tests.
 * There is one radio. Everything is called in the machine's thread; events come in any.
 * Addresses are in the byte order of the network.
 */
#ifndef WIFI_DRIVER_H
#define WIFI_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* RADIO_SCAN_LIMIT: SCAN_LIMIT of the host contract. The other limits are bytes of ESP-IDF. */
enum {
	RADIO_SCAN_LIMIT = 20,
	RADIO_SSID_LIMIT = 32,
	RADIO_PASSWORD_MINIMUM = 8,
	RADIO_PASSWORD_LIMIT = 63,
	RADIO_HOSTNAME_LIMIT = 31,
	RADIO_MAC_SIZE = 6,
};

/* Reasons of ESP-IDF (wifi_err_reason_t): no other fits; the station has left by itself. */
enum { RADIO_REASON_UNSPECIFIED = 1, RADIO_REASON_LEFT = 8 };

typedef struct {
	uint8_t ssid[RADIO_SSID_LIMIT];
	uint8_t ssid_length;
	/* Empty: an open network. */
	char password[RADIO_PASSWORD_LIMIT + 1];
} radio_credentials;

typedef struct {
	uint32_t ip, netmask, gateway;
} radio_address;

typedef struct {
	radio_credentials credentials;
	/* Only this one, when it is not all zeros. */
	uint8_t bssid[RADIO_MAC_SIZE];
	/* Channel to search first; 0: any. */
	uint8_t channel;
	char hostname[RADIO_HOSTNAME_LIMIT + 1];
	/* Static address; all zeros: DHCP. */
	radio_address address;
	uint32_t dns;
} radio_station;

typedef struct {
	uint8_t ssid[RADIO_SSID_LIMIT];
	uint8_t ssid_length;
	uint8_t bssid[RADIO_MAC_SIZE];
	uint8_t channel;
	int8_t rssi;
	uint8_t authmode;
} radio_network;

/* The access point never is without the station: that one can scan then, and join. */
typedef enum { RADIO_OFF, RADIO_STATION, RADIO_BOTH } radio_mode;

typedef enum {
	/* No event; asks the machine's thread to look for notices. */
	RADIO_NUDGE,
	/* The station is in the network, and has no address yet. */
	RADIO_ASSOCIATED,
	/* End of what radio_driver_join began, with a reason. */
	RADIO_ENDED,
	RADIO_ADDRESSED,
	RADIO_ADDRESS_LOST,
	RADIO_SCANNED,
	/* Clients of the access point have come or gone. */
	RADIO_CLIENTS,
} radio_event_kind;

typedef struct {
	radio_event_kind kind;
	/* Reason, for RADIO_ENDED. */
	uint8_t reason;
	/* True if the scan succeeded, for RADIO_SCANNED. */
	bool well;
	/* Address, for RADIO_ADDRESSED. */
	radio_address address;
} radio_event;

/* `country`: two letters, or "01" for what is allowed everywhere. False: out of memory, or there is one that is open. */
bool radio_driver_open(const char *country, void (*notify)(void *context, const radio_event *event), void *context);

/* Turns the radio off, and gives its memory back; it can be opened again. notify is called no more. */
void radio_driver_close(void);

bool radio_driver_set_mode(radio_mode mode);

/*
 * Joins a network; none may be joined or being left. If it returns true, exactly one RADIO_ENDED follows at some time,
 * after other events.
 */
bool radio_driver_join(const radio_station *station);

/* Ends what radio_driver_join began. */
void radio_driver_leave(void);

/* In RADIO_BOTH. */
bool radio_driver_set_access_point(const radio_credentials *credentials);

/* True: RADIO_SCANNED follows. */
bool radio_driver_scan(void);

/* Stops the scan. RADIO_SCANNED follows and reports failure. */
void radio_driver_stop_scan(void);

/* Takes the next network of the last scan, in any order; false if there is no more. Take all of them. */
bool radio_driver_take_network(radio_network *network);

/* The network that the station is in, as it is now. */
bool radio_driver_get_network(radio_network *network);

/* Channel of station and access point; 0: the radio is off. */
unsigned radio_driver_get_channel(void);

unsigned radio_driver_count_clients(void);

void radio_driver_set_power_save(bool on);

#endif
