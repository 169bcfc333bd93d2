/* The port that Espressif's QEMU emulates: OpenCores' 10/100 MAC with a PHY. It needs no pins. */
#include "ethernet-port.h"

#include "esp_eth_mac_openeth.h"

enum { NEGOTIATION_MS = 100 };

bool ethernet_port_make(const ethernet_pins *pins, ethernet_parts *parts)
{
	eth_mac_config_t mac = ETH_MAC_DEFAULT_CONFIG();
	eth_phy_config_t phy = ETH_PHY_DEFAULT_CONFIG();
	(void)pins;
	mac.rx_task_stack_size = ETHERNET_TASK_STACK;
	phy.phy_addr = 1;
	phy.reset_gpio_num = ETHERNET_NO_PIN;
	phy.autonego_timeout_ms = NEGOTIATION_MS;
	parts->mac = esp_eth_mac_new_openeth(&mac);
	parts->phy = esp_eth_phy_new_generic(&phy);
	return parts->mac && parts->phy;
}

void ethernet_port_end(const ethernet_pins *pins)
{
	(void)pins;
}

void ethernet_port_power_off(const ethernet_pins *pins)
{
	(void)pins;
}
