/*
 * Interface between ethernet-driver.c and a kind of port: the drivers of its MAC and PHY. A firmware contains one of
 * ethernet-rmii.c, ethernet-w5500.c and ethernet-openeth.c, chosen by the board's row (tools/sdk/esp32.ts).
 */
#ifndef ETHERNET_PORT_H
#define ETHERNET_PORT_H

#include "esp_eth_mac.h"
#include "esp_eth_phy.h"

#include "ethernet-driver.h"

typedef struct {
	esp_eth_mac_t *mac;
	esp_eth_phy_t *phy;
} ethernet_parts;

/* `parts` contains what was made, also after a failure, when everything else is already released. */
bool ethernet_port_make(const ethernet_pins *pins, ethernet_parts *parts);

/* Releases the rest after both drivers were deleted, above all the PHY's power. */
void ethernet_port_end(const ethernet_pins *pins);

/* Powers off before a restart of the chip, without deleting the drivers. Any task. */
void ethernet_port_power_off(const ethernet_pins *pins);

#endif
