/*
 * Interface between ethernet-driver.c and the drivers of a MAC and its PHY. Each kind of port has its own
 * implementation. A firmware contains one of ethernet-rmii.c, ethernet-w5500.c and ethernet-openeth.c, as the board's
 * row in boards.ts requires (tools/sdk/esp32.ts).
 */
#ifndef ETHERNET_PORT_H
#define ETHERNET_PORT_H

#include "esp_eth_mac.h"
#include "esp_eth_phy.h"

#include "ethernet-driver.h"

/*
 * Stack of ESP-IDF's task that takes frames from the MAC, bytes. On an emulated ESP32 at most 1000 were used. ESP-IDF's
 * default is 4096.
 */
enum { ETHERNET_TASK_STACK = 2560 };

typedef struct {
	esp_eth_mac_t *mac;
	esp_eth_phy_t *phy;
} ethernet_parts;

/*
 * Creates the drivers of MAC and PHY. On failure `parts` contains the drivers that were already created; everything
 * else is released.
 */
bool ethernet_port_make(const ethernet_pins *pins, ethernet_parts *parts);

void ethernet_port_end(const ethernet_pins *pins);

/* Removes the PHY's power. The drivers stay, for a restart. May be called in any task. */
void ethernet_port_power_off(const ethernet_pins *pins);

#endif
