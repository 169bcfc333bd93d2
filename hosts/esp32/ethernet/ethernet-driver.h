/*
 * Driver of the only Ethernet port: a thin layer over ESP-IDF, replaced by a fake in tests. Events may arrive in any
 * thread; call everything else in the machine's thread. Addresses are in network byte order.
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
	/* Hostname sent to the DHCP server. */
	char hostname[ETHERNET_HOSTNAME_LIMIT + 1];
	/* Static address; all zeros for DHCP. */
	ethernet_address address;
	uint32_t dns;
} ethernet_settings;

typedef enum { ETHERNET_LINK_UP, ETHERNET_LINK_LOST, ETHERNET_ADDRESSED, ETHERNET_ADDRESS_LOST } ethernet_event_kind;

typedef struct {
	ethernet_event_kind kind;
	/* Mbit/s, for ETHERNET_LINK_UP. */
	uint16_t speed;
	/* Address, for ETHERNET_ADDRESSED. */
	ethernet_address address;
} ethernet_event;

/* The order depends on the kind of port (ethernet-port.h). */
enum { ETHERNET_PIN_LIMIT = 6, ETHERNET_NO_PIN = -1 };
typedef struct {
	int pins[ETHERNET_PIN_LIMIT];
} ethernet_pins;

/* Claims the pins without powering anything. False if a port is already open. */
bool ethernet_driver_open(const ethernet_pins *pins, void (*notify)(void *context, const ethernet_event *event),
			  void *context);

/* Turns the port off. notify is not called any more. */
void ethernet_driver_close(void);

/*
 * Turns the port on. The first call powers the PHY and allocates all memory of the port, which takes up to half a
 * second. While the port is on, a call only changes host name and address, and the link stays. Returns false if the PHY
 * does not answer or memory is short; the port is then off.
 */
bool ethernet_driver_start(const ethernet_settings *settings);

/* Releases all memory and powers the PHY off. */
void ethernet_driver_stop(void);

#endif
