/*
 * A W5500 on SPI, with the driver espressif/w5500 from ESP-IDF's component registry. Order of `pins`: MISO, MOSI, SCLK,
 * CS, INT, RST. The W5500 has no power switch; it is in reset while the port is off.
 */
#include "ethernet-port.h"

#include "driver/gpio.h"
#include "driver/spi_master.h"
#include "esp_eth_mac_w5500.h"
#include "esp_eth_phy_w5500.h"

enum { MISO, MOSI, SCLK, CS, INT, RST };

/*
 * CLOCK_HZ: clock of the SPI bus. The W5500 allows 80 MHz. 20 MHz are safe even on pins that are not native to SPI, and
 * are enough for over 10 Mbit/s of payload.
 */
enum { CLOCK_HZ = 20000000, QUEUE = 20 };

/* Times of a reset. The PLL needs 1 ms before the first register access (data sheet 1.0.9, 5.5.1). */
enum { RESET_US = 1000, POWERED_MS = 10 };

#define HOST SPI2_HOST

/* Opens the SPI bus and ESP-IDF's GPIO service, which the button may already have installed. */
static bool open_bus(const int *pins)
{
	const spi_bus_config_t bus = {
		.miso_io_num = pins[MISO],
		.mosi_io_num = pins[MOSI],
		.sclk_io_num = pins[SCLK],
		.quadwp_io_num = -1,
		.quadhd_io_num = -1,
	};
	esp_err_t service = gpio_install_isr_service(0);
	if (service != ESP_OK && service != ESP_ERR_INVALID_STATE) return false;
	return spi_bus_initialize(HOST, &bus, SPI_DMA_CH_AUTO) == ESP_OK;
}

bool ethernet_port_make(const ethernet_pins *pins, ethernet_parts *parts)
{
	const eth_mac_config_t mac = ETH_MAC_DEFAULT_CONFIG();
	/* The driver copies this structure. */
	spi_device_interface_config_t device = {
		.mode = 0,
		.clock_speed_hz = CLOCK_HZ,
		.spics_io_num = pins->pins[CS],
		.queue_size = QUEUE,
	};
	eth_w5500_config_t w5500 = ETH_W5500_DEFAULT_CONFIG(HOST, &device);
	eth_phy_config_t phy = ETH_PHY_DEFAULT_CONFIG();
	w5500.int_gpio_num = pins->pins[INT];
	phy.phy_addr = 1;
	phy.reset_gpio_num = pins->pins[RST];
	phy.hw_reset_assert_time_us = RESET_US;
	phy.post_hw_reset_delay_ms = POWERED_MS;
	if (!open_bus(pins->pins)) return false;
	parts->mac = esp_eth_mac_new_w5500(&w5500, &mac);
	parts->phy = esp_eth_phy_new_w5500(&phy);
	return parts->mac && parts->phy;
}

void ethernet_port_power_off(const ethernet_pins *pins)
{
	gpio_set_level((gpio_num_t)pins->pins[RST], 0);
}

void ethernet_port_end(const ethernet_pins *pins)
{
	ethernet_port_power_off(pins);
	spi_bus_free(HOST);
}
