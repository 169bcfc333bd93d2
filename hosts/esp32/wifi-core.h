/*
 * State machine of the Wi-Fi radio, between wifi-xs.c and the driver. Call all functions in the thread of the XS
 * machine.
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
 * Notices to JavaScript. Some have a value: DISCONNECTED has ESP-IDF's reason, SCANNED has 1 if the scan succeeded, and
 * CLIENTS has the number of clients.
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
	/* True if an attempt to join was given up before the radio reported its end. */
	bool overdue;
	bool station_on;
	/* True if `station` will be joined as soon as the previous network has been left. */
	bool join_waits;
	radio_station station;
	radio_address address;
	bool access_point_on;
	radio_credentials access_point;
	unsigned clients;
	/* True if a scan will begin as soon as the network has been left. */
	bool scan_waits;
	bool scanning;
	/* True if a stopped scan may still report its end. The report can come even after the next scan has begun. */
	bool scan_stopped;
	unsigned network_count;
	radio_network networks[RADIO_SCAN_LIMIT];
	radio_mode mode;
	/* The latest pending notice of each kind. */
	wifi_notice station_notice, scan_notice;
	bool clients_notice;
} wifi_core;

/*
 * If wifi_core_connect or wifi_core_disconnect returns true, the previous network is being left, and the caller must
 * call wifi_core_leave_overdue if leaving it takes too long.
 */
bool wifi_core_connect(wifi_core *core, const radio_station *station);
bool wifi_core_disconnect(wifi_core *core);

/* Stops waiting for the end of an attempt. Before the call, pass all pending events to wifi_core_event. */
void wifi_core_leave_overdue(wifi_core *core);

bool wifi_core_start_access_point(wifi_core *core, const radio_credentials *credentials);
void wifi_core_stop_access_point(wifi_core *core);

/*
 * Starts a scan. Returns false if a scan is impossible now. Before the call, pass all pending events to
 * wifi_core_event.
 */
bool wifi_core_scan(wifi_core *core);

void wifi_core_event(wifi_core *core, const radio_event *event);

/* Returns the next notice. Before the next call, any other function may be called. */
wifi_notice wifi_core_next(wifi_core *core);

bool wifi_core_has_notice(const wifi_core *core);

#endif
