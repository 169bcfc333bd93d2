/*
 * State machine of the Wi-Fi radio, between wifi-xs.c and the driver. Call everything in the machine's thread.
 *
 * ESP-IDF's events do not identify the attempt to join that caused them, but each attempt ends with exactly one
 * RADIO_ENDED.
 *
 * IDLE -- connect --> JOINING -- associated --> ASSOCIATED -- address --> ONLINE
 *     ^                    |                          |                        |
 *     |<------ ended ------+--------------------------+------------------------+
 *     |                    |  connect, disconnect, the address is lost         |
 *     +-- ended, overdue -- LEAVING <------------------------------------------+
 */
#ifndef WIFI_CORE_H
#define WIFI_CORE_H

#include "wifi-driver.h"

typedef enum { WIFI_IDLE, WIFI_JOINING, WIFI_ASSOCIATED, WIFI_ONLINE, WIFI_LEAVING } wifi_link;

/*
 * Notices to JavaScript, with their values. DISCONNECTED: ESP-IDF's reason. SCANNED: 1 if the scan succeeded. CLIENTS:
 * the number of clients.
 */
typedef enum {
	WIFI_NOTICE_NONE,
	WIFI_NOTICE_CONNECTED,
	WIFI_NOTICE_DISCONNECTED,
	WIFI_NOTICE_SCANNED,
	WIFI_NOTICE_CLIENTS,
} wifi_notice_kind;

typedef struct {
	wifi_notice_kind kind;
	unsigned value;
} wifi_notice;

/* Must be zeroed initially. */
typedef struct {
	wifi_link link;
	/* An attempt was given up before its end was reported. */
	bool overdue;
	bool station_on;
	/* `station` will be joined once the previous network is left. */
	bool join_waits;
	radio_station station;
	radio_address address;
	bool access_point_on;
	radio_credentials access_point;
	unsigned clients;
	/* A scan begins once the network is left. */
	bool scan_waits;
	bool scanning;
	/* A stopped scan may still report its end, even after the next has begun. */
	bool scan_stopped;
	unsigned network_count;
	radio_network networks[RADIO_SCAN_LIMIT];
	radio_mode mode;
	/* The latest pending notice of each kind. */
	wifi_notice station_notice, scan_notice;
	bool clients_notice;
} wifi_core;

/*
 * If `connect` or `disconnect` returns true, the previous network is being left, and the caller must call
 * wifi_core_leave_overdue if leaving it takes too long.
 */
bool wifi_core_connect(wifi_core *core, const radio_station *station);
bool wifi_core_disconnect(wifi_core *core);

/* Stops waiting for the end of an attempt. Before the call, pass all pending events to wifi_core_event. */
void wifi_core_leave_overdue(wifi_core *core);

bool wifi_core_start_access_point(wifi_core *core, const radio_credentials *credentials);
void wifi_core_stop_access_point(wifi_core *core);

/* False if a scan is impossible now. Before the call, pass all pending events to wifi_core_event. */
bool wifi_core_scan(wifi_core *core);

void wifi_core_event(wifi_core *core, const radio_event *event);

/* Returns the next notice. Any function may be called before the following notice is taken. */
wifi_notice wifi_core_next(wifi_core *core);

bool wifi_core_has_notice(const wifi_core *core);

#endif
