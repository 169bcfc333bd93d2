/*
 * The part of ESP-IDF's Ethernet that hosts/esp32/ethernet needs, for ethernet-driver-peer.c. Each call is a line of
 * the output; calls named in idf_refused fail. Objects are counted, and a use that violates ESP-IDF's order ends the
 * program.
 */
#ifndef ETHERNET_IDF_FAKE_H
#define ETHERNET_IDF_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int esp_err_t;
enum { ESP_OK = 0, ESP_FAIL = -1, ESP_ERR_INVALID_STATE = 0x103 };

/* esp_event.h */
typedef const char *esp_event_base_t;
typedef void (*esp_event_handler_t)(void *context, esp_event_base_t base, int32_t id, void *data);
extern esp_event_base_t const ETH_EVENT, IP_EVENT;
enum { ETHERNET_EVENT_START, ETHERNET_EVENT_STOP, ETHERNET_EVENT_CONNECTED, ETHERNET_EVENT_DISCONNECTED };
enum { IP_EVENT_ETH_GOT_IP = 4, IP_EVENT_ETH_LOST_IP = 5 };
esp_err_t esp_event_loop_create_default(void);
esp_err_t esp_event_handler_register(esp_event_base_t base, int32_t id, esp_event_handler_t handler, void *context);
esp_err_t esp_event_handler_unregister(esp_event_base_t base, int32_t id, esp_event_handler_t handler);

/* esp_netif.h, esp_netif_defaults.h */
typedef struct esp_netif esp_netif_t;
typedef struct {
	uint32_t addr;
} esp_ip4_addr_t;
typedef struct {
	esp_ip4_addr_t ip, netmask, gw;
} esp_netif_ip_info_t;
typedef struct {
	struct {
		union {
			esp_ip4_addr_t ip4;
		} u_addr;
		uint8_t type;
	} ip;
} esp_netif_dns_info_t;
enum { ESP_IPADDR_TYPE_V4 = 0, ESP_NETIF_DNS_MAIN = 0 };
typedef struct {
	const char *if_key;
	int route_prio;
} esp_netif_inherent_config_t;
typedef struct {
	const esp_netif_inherent_config_t *base;
	const void *stack;
} esp_netif_config_t;
#define ESP_NETIF_INHERENT_DEFAULT_ETH() { .if_key = "ETH_DEF", .route_prio = 50 }
#define ESP_NETIF_NETSTACK_DEFAULT_ETH NULL
esp_err_t esp_netif_init(void);
esp_netif_t *esp_netif_new(const esp_netif_config_t *config);
void esp_netif_destroy(esp_netif_t *netif);
esp_err_t esp_netif_attach(esp_netif_t *netif, void *driver);
esp_err_t esp_netif_dhcpc_stop(esp_netif_t *netif);
esp_err_t esp_netif_dhcpc_start(esp_netif_t *netif);
esp_err_t esp_netif_get_ip_info(esp_netif_t *netif, esp_netif_ip_info_t *info);
esp_err_t esp_netif_set_ip_info(esp_netif_t *netif, const esp_netif_ip_info_t *info);
esp_err_t esp_netif_set_dns_info(esp_netif_t *netif, int type, esp_netif_dns_info_t *dns);
esp_err_t esp_netif_set_hostname(esp_netif_t *netif, const char *hostname);

/* esp_mac.h, esp_system.h */
enum { ESP_MAC_ETH = 3 };
esp_err_t esp_read_mac(uint8_t *mac, int type);
esp_err_t esp_register_shutdown_handler(void (*handler)(void));

/* esp_eth_mac.h, esp_eth_phy.h */
typedef struct esp_eth_mac_s esp_eth_mac_t;
struct esp_eth_mac_s {
	esp_err_t (*del)(esp_eth_mac_t *mac);
};
typedef struct esp_eth_phy_s esp_eth_phy_t;
struct esp_eth_phy_s {
	esp_err_t (*del)(esp_eth_phy_t *phy);
};
typedef struct {
	uint32_t rx_task_stack_size;
} eth_mac_config_t;
#define ETH_MAC_DEFAULT_CONFIG() { .rx_task_stack_size = 4096 }
typedef struct {
	int32_t phy_addr;
	uint32_t autonego_timeout_ms;
	int reset_gpio_num;
	int32_t hw_reset_assert_time_us, post_hw_reset_delay_ms;
} eth_phy_config_t;
#define ETH_PHY_DEFAULT_CONFIG() { .phy_addr = -1, .autonego_timeout_ms = 4000, .reset_gpio_num = 5 }
esp_eth_phy_t *esp_eth_phy_new_generic(const eth_phy_config_t *config);

/* esp_eth_mac_esp.h, esp_eth_mac_openeth.h */
typedef enum { EMAC_CLK_EXT_IN, EMAC_CLK_OUT } emac_rmii_clock_mode_t;
typedef struct {
	struct {
		int mdc_num, mdio_num;
	} smi_gpio;
	union {
		struct {
			emac_rmii_clock_mode_t clock_mode;
			int clock_gpio;
		} rmii;
	} clock_config;
} eth_esp32_emac_config_t;
#define ETH_ESP32_EMAC_DEFAULT_CONFIG() { .smi_gpio = { 23, 18 }, .clock_config.rmii = { EMAC_CLK_EXT_IN, 0 } }
esp_eth_mac_t *esp_eth_mac_new_esp32(const eth_esp32_emac_config_t *emac, const eth_mac_config_t *config);
esp_eth_mac_t *esp_eth_mac_new_openeth(const eth_mac_config_t *config);

/* driver/gpio.h, driver/spi_master.h, esp_eth_mac_w5500.h, esp_eth_phy_w5500.h */
typedef int gpio_num_t;
esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level);
esp_err_t gpio_install_isr_service(int flags);
typedef enum { SPI2_HOST = 1 } spi_host_device_t;
enum { SPI_DMA_CH_AUTO = 3 };
typedef struct {
	int miso_io_num, mosi_io_num, sclk_io_num, quadwp_io_num, quadhd_io_num;
} spi_bus_config_t;
typedef struct {
	uint8_t mode;
	int clock_speed_hz, spics_io_num, queue_size;
} spi_device_interface_config_t;
esp_err_t spi_bus_initialize(spi_host_device_t host, const spi_bus_config_t *config, int dma);
esp_err_t spi_bus_free(spi_host_device_t host);
typedef struct {
	int int_gpio_num;
	spi_host_device_t spi_host_id;
	spi_device_interface_config_t *spi_devcfg;
} eth_w5500_config_t;
#define ETH_W5500_DEFAULT_CONFIG(host, device) { .int_gpio_num = 4, .spi_host_id = (host), .spi_devcfg = (device) }
esp_eth_mac_t *esp_eth_mac_new_w5500(const eth_w5500_config_t *w5500, const eth_mac_config_t *config);
esp_eth_phy_t *esp_eth_phy_new_w5500(const eth_phy_config_t *config);

/* esp_eth_driver.h, esp_eth_netif_glue.h */
typedef void *esp_eth_handle_t;
typedef struct esp_eth_netif_glue_t *esp_eth_netif_glue_handle_t;
typedef struct {
	esp_eth_mac_t *mac;
	esp_eth_phy_t *phy;
} esp_eth_config_t;
#define ETH_DEFAULT_CONFIG(emac, ephy) { .mac = (emac), .phy = (ephy) }
typedef enum { ETH_SPEED_10M, ETH_SPEED_100M } eth_speed_t;
typedef enum { ETH_CMD_S_MAC_ADDR = 1, ETH_CMD_G_SPEED = 7 } esp_eth_io_cmd_t;
esp_err_t esp_eth_driver_install(const esp_eth_config_t *config, esp_eth_handle_t *driver);
esp_err_t esp_eth_driver_uninstall(esp_eth_handle_t driver);
esp_err_t esp_eth_start(esp_eth_handle_t driver);
esp_err_t esp_eth_stop(esp_eth_handle_t driver);
esp_err_t esp_eth_ioctl(esp_eth_handle_t driver, esp_eth_io_cmd_t command, void *data);
esp_eth_netif_glue_handle_t esp_eth_new_netif_glue(esp_eth_handle_t driver);
esp_err_t esp_eth_del_netif_glue(esp_eth_netif_glue_handle_t glue);

/* ---- For the test ---- */

extern const char *idf_refused;
extern eth_speed_t idf_speed;
extern esp_netif_ip_info_t idf_address;
/* Calls the registered handlers. */
void idf_post(esp_event_base_t base, int32_t id);
/* Number of objects, handlers and buses that are not deleted. */
unsigned idf_things(void);
/* Does what esp_restart does. */
void idf_shut_down(void);

#endif
