/*
 * A PHY on RMII with the ESP32's own MAC. ESP-IDF's generic driver only needs the registers of IEEE 802.3, clause 22.
 * Order of `pins`: PHY address (not a pin), MDC, MDIO, power or ETHERNET_NO_PIN, clock.
 *
 * ESP-IDF's driver treats the power pin as a reset pin: it sets the pin low for 10 ms and then high. This restarts the
 * PHY and its oscillator, whose clock the MAC needs for its own reset. At other times the pin is low: an oscillator at
 * GPIO 0 must be silent while the chip samples that pin to choose its boot mode.
 */
#include "ethernet-port.h"

#include "driver/gpio.h"
#include "esp_eth_mac_esp.h"

enum { PHY_ADDRESS, MDC, MDIO, POWER, CLOCK };

/*
 * POWERED_MS: time from power-on to the first register access. A LAN8720 needs up to 25 ms, an oscillator 10 ms.
 * NEGOTIATION_MS: ESP-IDF checks the link once after this time. By default it would wait up to 4 s. A timer detects a
 * later link.
 */
enum { POWERED_MS = 100, NEGOTIATION_MS = 100 };

bool ethernet_port_make(const ethernet_pins *pins, ethernet_parts *parts)
{
	eth_mac_config_t mac = ETH_MAC_DEFAULT_CONFIG();
	eth_esp32_emac_config_t emac = ETH_ESP32_EMAC_DEFAULT_CONFIG();
	eth_phy_config_t phy = ETH_PHY_DEFAULT_CONFIG();
	mac.rx_task_stack_size = ETHERNET_TASK_STACK;
	emac.smi_gpio.mdc_num = pins->pins[MDC];
	emac.smi_gpio.mdio_num = pins->pins[MDIO];
	emac.clock_config.rmii.clock_mode = pins->pins[CLOCK] == 0 ? EMAC_CLK_EXT_IN : EMAC_CLK_OUT;
	emac.clock_config.rmii.clock_gpio = pins->pins[CLOCK];
	phy.phy_addr = pins->pins[PHY_ADDRESS];
	phy.reset_gpio_num = pins->pins[POWER];
	phy.post_hw_reset_delay_ms = POWERED_MS;
	phy.autonego_timeout_ms = NEGOTIATION_MS;
	parts->mac = esp_eth_mac_new_esp32(&emac, &mac);
	parts->phy = esp_eth_phy_new_generic(&phy);
	return parts->mac && parts->phy;
}

void ethernet_port_power_off(const ethernet_pins *pins)
{
	if (pins->pins[POWER] != ETHERNET_NO_PIN) gpio_set_level((gpio_num_t)pins->pins[POWER], 0);
}

void ethernet_port_end(const ethernet_pins *pins)
{
	ethernet_port_power_off(pins);
}
