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

/* `parts` holds what was made, also after a failure; nothing else is taken then. */
bool ethernet_port_make(const ethernet_pins *pins, ethernet_parts *parts);

/* After both drivers are deleted: takes what is left, above all the PHY's power. */
void ethernet_port_end(const ethernet_pins *pins);

/* The shutdown of the chip before a restart, with the drivers as they are. Any task. */
void ethernet_port_power_off(const ethernet_pins *pins);

#endif
