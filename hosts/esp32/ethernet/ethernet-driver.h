/*
 * The Ethernet port as ethernet-core.c drives it: a thin layer of ESP-IDF's calls (ethernet-driver.c), a fake in the
 * tests. There is one port. Everything is called in the machine's thread; events come in any.
 * Addresses are in the byte order of the network.
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
	/* Static address; all zeros: DHCP. */
	ethernet_address address;
	uint32_t dns;
} ethernet_settings;

typedef enum { ETHERNET_LINK_UP, ETHERNET_LINK_LOST, ETHERNET_ADDRESSED, ETHERNET_ADDRESS_LOST } ethernet_event_kind;

typedef struct {
	ethernet_event_kind kind;
	/* Speed in Mbit/s, for ETHERNET_LINK_UP. */
	uint16_t speed;
	/* Address, for ETHERNET_ADDRESSED. */
	ethernet_address address;
} ethernet_event;

/* GPIOs, in the order that the kind of port has (ethernet-port.h). */
enum { ETHERNET_PIN_LIMIT = 6, ETHERNET_NO_PIN = -1 };
typedef struct {
	int pins[ETHERNET_PIN_LIMIT];
} ethernet_pins;

/* Claims the pins without powering anything. Returns false if a port is open already. */
bool ethernet_driver_open(const ethernet_pins *pins, void (*notify)(void *context, const ethernet_event *event),
			  void *context);

/* Turns the port off. notify is called no more. */
void ethernet_driver_close(void);

/*
 * The first time it powers the PHY and takes all memory that the port needs, in up to half a second. While the port is on
 * it sets host name and address anew, and the link stays. False: there is no PHY that answers, or no memory; the port is
 * off.
 */
bool ethernet_driver_start(const ethernet_settings *settings);

/* Gives all memory back, and takes the PHY's power. */
void ethernet_driver_stop(void);

#endif
