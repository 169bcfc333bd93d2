#include "ethernet-idf-fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLERS = 8 };

struct esp_netif {
	int route_prio;
};
struct esp_eth_netif_glue_t {
	int driver;
};

const char *idf_refused = "";
eth_speed_t idf_speed = ETH_SPEED_100M;
esp_netif_ip_info_t idf_address;
esp_event_base_t const ETH_EVENT = "ETH_EVENT", IP_EVENT = "IP_EVENT";

/* Existing objects. */
static bool mac, phy, interface, driver, glue, bus, runs, dhcp_stopped;
static void (*shutdown_handler)(void);
static struct {
	esp_event_base_t base;
	int32_t id;
	esp_event_handler_t handler;
} handlers[HANDLERS];

static void must(bool condition, const char *what)
{
	if (condition) return;
	fflush(stdout);
	fprintf(stderr, "failed: %s\n", what);
	abort();
}

static esp_err_t answer(const char *call)
{
	return strcmp(call, idf_refused) == 0 ? ESP_FAIL : ESP_OK;
}

/* Prints the call, with its arguments, as a line. */
#define CALL(name, ...) (printf(name " " __VA_ARGS__), puts(""), answer(name))

/* At most one object of a kind may exist. */
static bool make(bool *thing, esp_err_t result)
{
	must(!*thing, "one of each is made");
	*thing = result == ESP_OK;
	return *thing;
}

static void drop(bool *thing)
{
	must(*thing, "what is deleted is there");
	*thing = false;
}

unsigned idf_things(void)
{
	unsigned count = 0;
	for (int i = 0; i < HANDLERS; i++) count += handlers[i].handler != NULL;
	return count + mac + phy + interface + driver + glue + bus + runs;
}

esp_err_t esp_event_loop_create_default(void)
{
	return CALL("event_loop", "") == ESP_OK ? ESP_ERR_INVALID_STATE : ESP_FAIL;
}

esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *context)
{
	int i = 0;
	must(context == NULL && glue, "handlers come after those of the glue");
	while (handlers[i].handler) i++;
	if (i == 3 && answer("register") != ESP_OK) return ESP_FAIL;
	handlers[i].base = base;
	handlers[i].id = id;
	handlers[i].handler = handler;
	return ESP_OK;
}

esp_err_t esp_event_handler_unregister(esp_event_base_t base, int32_t id, esp_event_handler_t handler)
{
	for (int i = 0; i < HANDLERS; i++)
		if (handlers[i].base == base && handlers[i].id == id && handlers[i].handler == handler) handlers[i].handler = NULL;
	return ESP_OK;
}

void idf_post(esp_event_base_t base, int32_t id)
{
	for (int i = 0; i < HANDLERS; i++)
		if (handlers[i].handler && handlers[i].base == base && handlers[i].id == id)
			handlers[i].handler(NULL, base, id, NULL);
}

esp_err_t esp_netif_init(void)
{
	return CALL("netif_init", "");
}

esp_netif_t *esp_netif_new(const esp_netif_config_t *config)
{
	static esp_netif_t only;
	only.route_prio = config->base->route_prio;
	return make(&interface, CALL("netif_new", "%s %d", config->base->if_key, config->base->route_prio)) ? &only : NULL;
}

void esp_netif_destroy(esp_netif_t *netif)
{
	must(!glue && netif, "the interface is left by its driver");
	drop(&interface);
	CALL("netif_destroy", "");
}

esp_err_t esp_netif_attach(esp_netif_t *netif, void *with)
{
	must(netif && with && glue, "the glue is attached");
	return CALL("netif_attach", "");
}

esp_err_t esp_netif_dhcpc_stop(esp_netif_t *netif)
{
	must(netif && interface, "there is an interface");
	dhcp_stopped = true;
	return CALL("dhcpc_stop", "");
}

esp_err_t esp_netif_dhcpc_start(esp_netif_t *netif)
{
	must(netif && dhcp_stopped, "a client that runs is stopped before");
	dhcp_stopped = false;
	return CALL("dhcpc_start", "");
}

esp_err_t esp_netif_get_ip_info(esp_netif_t *netif, esp_netif_ip_info_t *info)
{
	must(netif && interface, "there is an interface");
	*info = idf_address;
	return ESP_OK;
}

esp_err_t esp_netif_set_ip_info(esp_netif_t *netif, const esp_netif_ip_info_t *info)
{
	must(netif && dhcp_stopped, "DHCP is stopped");
	return CALL("set_ip_info", "%x %x %x", info->ip.addr, info->netmask.addr, info->gw.addr);
}

esp_err_t esp_netif_set_dns_info(esp_netif_t *netif, int type, esp_netif_dns_info_t *dns)
{
	must(netif && dns->ip.type == ESP_IPADDR_TYPE_V4, "an address of IPv4");
	return CALL("set_dns_info", "%d %x", type, dns->ip.u_addr.ip4.addr);
}

esp_err_t esp_netif_set_hostname(esp_netif_t *netif, const char *hostname)
{
	must(netif && interface, "there is an interface");
	return CALL("set_hostname", "%s", hostname);
}

esp_err_t esp_read_mac(uint8_t *address, int type)
{
	must(type == ESP_MAC_ETH, "the address of Ethernet");
	for (int i = 0; i < 6; i++) address[i] = (uint8_t)(0xA0 + i);
	return answer("read_mac");
}

esp_err_t esp_register_shutdown_handler(void (*handler)(void))
{
	must(!shutdown_handler, "it is registered once");
	shutdown_handler = handler;
	return CALL("shutdown_handler", "");
}

void idf_shut_down(void)
{
	if (shutdown_handler) shutdown_handler();
}

static esp_err_t delete_mac(esp_eth_mac_t *which)
{
	must(which && !driver, "the driver is uninstalled before its MAC goes");
	drop(&mac);
	return CALL("delete_mac", "");
}

static esp_err_t delete_phy(esp_eth_phy_t *which)
{
	must(which && !driver, "the driver is uninstalled before its PHY goes");
	drop(&phy);
	return CALL("delete_phy", "");
}

static esp_eth_mac_t *new_mac(esp_err_t result)
{
	static esp_eth_mac_t only = { .del = delete_mac };
	return make(&mac, result) ? &only : NULL;
}

static esp_eth_phy_t *new_phy(esp_err_t result)
{
	static esp_eth_phy_t only = { .del = delete_phy };
	return make(&phy, result) ? &only : NULL;
}

esp_eth_phy_t *esp_eth_phy_new_generic(const eth_phy_config_t *config)
{
	return new_phy(CALL("phy_generic", "%d, reset %d then %d ms, negotiation %u ms", config->phy_addr, config->reset_gpio_num,
			    config->post_hw_reset_delay_ms, config->autonego_timeout_ms));
}

esp_eth_mac_t *esp_eth_mac_new_esp32(const eth_esp32_emac_config_t *emac, const eth_mac_config_t *config)
{
	(void)config;
	return new_mac(CALL("mac_esp32", "MDC %d MDIO %d clock %s %d", emac->smi_gpio.mdc_num, emac->smi_gpio.mdio_num,
			    emac->clock_config.rmii.clock_mode == EMAC_CLK_OUT ? "to" : "from",
			    emac->clock_config.rmii.clock_gpio));
}

esp_eth_mac_t *esp_eth_mac_new_openeth(const eth_mac_config_t *config)
{
	(void)config;
	return new_mac(CALL("mac_openeth", ""));
}

esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level)
{
	return CALL("gpio", "%d %u", pin, level);
}

esp_err_t gpio_install_isr_service(int flags)
{
	must(flags == 0, "the service of the button's flags");
	return answer("isr_service") == ESP_OK ? ESP_ERR_INVALID_STATE : ESP_FAIL;
}

esp_err_t spi_bus_initialize(spi_host_device_t host, const spi_bus_config_t *config, int dma)
{
	esp_err_t result = CALL("spi_bus", "%d MISO %d MOSI %d SCLK %d dma %d", host, config->miso_io_num, config->mosi_io_num,
				config->sclk_io_num, dma);
	must(config->quadwp_io_num == -1 && config->quadhd_io_num == -1, "GPIO 0 is not a line of the bus");
	make(&bus, result);
	return result;
}

esp_err_t spi_bus_free(spi_host_device_t host)
{
	must(host == SPI2_HOST && !mac, "the MAC leaves the bus before that goes");
	if (!bus) return ESP_ERR_INVALID_STATE;
	drop(&bus);
	return CALL("spi_bus_free", "");
}

esp_eth_mac_t *esp_eth_mac_new_w5500(const eth_w5500_config_t *w5500, const eth_mac_config_t *config)
{
	const spi_device_interface_config_t *device = w5500->spi_devcfg;
	(void)config;
	must(bus && device->mode == 0, "the device is on a bus");
	return new_mac(CALL("mac_w5500", "INT %d CS %d %d Hz", w5500->int_gpio_num, device->spics_io_num, device->clock_speed_hz));
}

esp_eth_phy_t *esp_eth_phy_new_w5500(const eth_phy_config_t *config)
{
	return new_phy(CALL("phy_w5500", "%d, reset %d for %d us then %d ms", config->phy_addr, config->reset_gpio_num,
			    config->hw_reset_assert_time_us, config->post_hw_reset_delay_ms));
}

esp_err_t esp_eth_driver_install(const esp_eth_config_t *config, esp_eth_handle_t *into)
{
	must(config->mac && config->phy, "there are a MAC and a PHY");
	*into = &driver;
	return make(&driver, CALL("install", "")) ? ESP_OK : ESP_FAIL;
}

esp_err_t esp_eth_driver_uninstall(esp_eth_handle_t which)
{
	must(which == &driver && !runs && !glue, "the driver is stopped, and nobody refers to it");
	drop(&driver);
	return CALL("uninstall", "");
}

esp_err_t esp_eth_start(esp_eth_handle_t which)
{
	must(which == &driver && driver && glue && !runs, "the driver is ready");
	/* esp_eth.c sets this even if the call fails. */
	runs = true;
	return CALL("start", "");
}

esp_err_t esp_eth_stop(esp_eth_handle_t which)
{
	must(which == &driver && runs, "the driver runs");
	runs = false;
	return CALL("stop", "");
}

esp_err_t esp_eth_ioctl(esp_eth_handle_t which, esp_eth_io_cmd_t command, void *data)
{
	const uint8_t *bytes = data;
	must(which == &driver && driver, "the driver is there");
	if (command == ETH_CMD_S_MAC_ADDR) return CALL("set_mac", "%02x..%02x", bytes[0], bytes[5]);
	*(eth_speed_t *)data = idf_speed;
	return ESP_OK;
}

esp_eth_netif_glue_handle_t esp_eth_new_netif_glue(esp_eth_handle_t which)
{
	static struct esp_eth_netif_glue_t only;
	must(which == &driver && driver, "the driver is there");
	return make(&glue, CALL("glue", "")) ? &only : NULL;
}

esp_err_t esp_eth_del_netif_glue(esp_eth_netif_glue_handle_t which)
{
	must(which != NULL, "there is a glue");
	drop(&glue);
	return CALL("delete_glue", "");
}
