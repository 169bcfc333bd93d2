/*
 * Driver of the only Ethernet port: a thin layer over ESP-IDF. Events may arrive in any thread; call the functions in
 * the thread of the XS machine. Addresses are in network byte order.
 */
#ifndef ETHERNET_DRIVER_H
#define ETHERNET_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

enum { ETHERNET_HOSTNAME_LIMIT = 31, ETHERNET_MAC_SIZE = 6 };

typedef struct {
	uint32_t ip, netmask, gateway;
} ethernet_address;

typedef struct {
	char hostname[ETHERNET_HOSTNAME_LIMIT + 1];
	/* Static address; all zeros for DHCP. */
	ethernet_address address;
	uint32_t dns;
} ethernet_settings;

typedef enum { ETHERNET_LINK_UP, ETHERNET_LINK_LOST, ETHERNET_ADDRESSED, ETHERNET_ADDRESS_LOST } ethernet_event_kind;

typedef struct {
	ethernet_event_kind kind;
	/* Mbit/s. Only valid for ETHERNET_LINK_UP. */
	uint16_t speed;
	/* Only valid for ETHERNET_ADDRESSED. */
	ethernet_address address;
} ethernet_event;

/* The order of the pins depends on the kind of port; enums in ethernet-rmii.c and ethernet-w5500.c define it. */
enum { ETHERNET_PIN_LIMIT = 6, ETHERNET_NO_PIN = -1 };
typedef struct {
	int pins[ETHERNET_PIN_LIMIT];
} ethernet_pins;

/* Prepares the port but does not power the PHY. Returns false if a port is already open. */
bool ethernet_driver_open(const ethernet_pins *pins, void (*notify)(void *context, const ethernet_event *event),
			  void *context);

/* Closes the port. `notify` is not called afterwards. */
void ethernet_driver_close(void);

/*
 * Turns the port on. The first call powers the PHY and allocates all memory, which takes up to half a second. Later
 * calls only change host name and address, and the link stays. Returns false if the PHY does not answer or memory is
 * short; the port is off then.
 */
bool ethernet_driver_start(const ethernet_settings *settings);

void ethernet_driver_stop(void);

#endif
