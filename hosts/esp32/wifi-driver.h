/*
 * Driver of the only Wi-Fi radio: a thin layer over ESP-IDF, which a fake replaces in tests. Events may arrive in any
 * thread. Call the functions in the thread of the XS machine. Addresses are in network byte order.
 */
#ifndef WIFI_DRIVER_H
#define WIFI_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* RADIO_SCAN_LIMIT equals SCAN_LIMIT of the host contract. The other limits are ESP-IDF's, in bytes. */
enum {
	RADIO_SCAN_LIMIT = 20,
	RADIO_SSID_LIMIT = 32,
	RADIO_PASSWORD_MINIMUM = 8,
	RADIO_PASSWORD_LIMIT = 63,
	RADIO_HOSTNAME_LIMIT = 31,
	RADIO_MAC_SIZE = 6,
};

/* Two of ESP-IDF's reasons for a disconnection (wifi_err_reason_t): unspecified, and "the station itself has left". */
enum { RADIO_REASON_UNSPECIFIED = 1, RADIO_REASON_LEFT = 8 };

typedef struct {
	uint8_t ssid[RADIO_SSID_LIMIT];
	uint8_t ssid_length;
	char password[RADIO_PASSWORD_LIMIT + 1];
} radio_credentials;

typedef struct {
	uint32_t ip, netmask, gateway;
} radio_address;

typedef struct {
	radio_credentials credentials;
	uint8_t bssid[RADIO_MAC_SIZE];
	/* Channel to search first, or 0 for no preference. */
	uint8_t channel;
	char hostname[RADIO_HOSTNAME_LIMIT + 1];
	/* Static address; all zeros for DHCP. */
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

/* The access point runs only together with the station, so that the station can scan and join at any time. */
typedef enum { RADIO_OFF, RADIO_STATION, RADIO_BOTH } radio_mode;

typedef enum {
	/* Not an event from the radio. It makes the machine's thread check for notices. */
	RADIO_NUDGE,
	/* The station is associated with a network but has no address yet. */
	RADIO_ASSOCIATED,
	/* The attempt of radio_driver_join has ended. */
	RADIO_ENDED,
	RADIO_ADDRESSED,
	RADIO_ADDRESS_LOST,
	RADIO_SCANNED,
	RADIO_CLIENTS,
} radio_event_kind;

typedef struct {
	radio_event_kind kind;
	uint8_t reason;
	bool succeeded;
	radio_address address;
} radio_event;

/*
 * Opens the radio. `country` has two letters, or is "01" for the channels that are allowed everywhere. Returns false if
 * memory is short or a radio is already open.
 */
bool radio_driver_open(const char *country, void (*notify)(void *context, const radio_event *event), void *context);

/* Releases the radio's memory. `notify` is not called afterwards. The radio can be opened again. */
void radio_driver_close(void);

bool radio_driver_set_mode(radio_mode mode);

/*
 * Joins a network. The previous attempt must have ended. If the function returns true, exactly one RADIO_ENDED follows,
 * after all other events of the attempt.
 */
bool radio_driver_join(const radio_station *station);

void radio_driver_leave(void);

/* Sets name and password of the access point. Call it only in the mode RADIO_BOTH. */
bool radio_driver_set_access_point(const radio_credentials *credentials);

bool radio_driver_scan(void);

/* Stops a scan. The event RADIO_SCANNED follows and reports a failure. */
void radio_driver_stop_scan(void);

/*
 * Gets one of the found networks, in no particular order. Returns false if there are no more. Get all networks, because
 * ESP-IDF keeps them in memory until then.
 */
bool radio_driver_take_network(radio_network *network);

bool radio_driver_get_network(radio_network *network);

unsigned radio_driver_get_channel(void);

unsigned radio_driver_count_clients(void);

/* Limits the transmit power, in quarters of a dBm. */
void radio_driver_set_transmit_power(int8_t quarters);

#endif
