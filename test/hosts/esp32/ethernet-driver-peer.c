/*
 * Runs hosts/esp32/ethernet/ethernet-driver.c, with one kind of port, on a fake of ESP-IDF (ethernet-idf-fake), for
 * ethernet-driver.test.ts. Prints each step, its ESP-IDF calls, and the resulting events. Arguments: the pins.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../../hosts/esp32/ethernet/ethernet-driver.h"
#include "ethernet-idf-fake/ethernet-idf-fake.h"

static int context;
static const ethernet_settings BY_DHCP = { .hostname = "gateway" };
static const ethernet_settings FIXED = { .hostname = "other", .address = { 0xA1, 0xFF, 0xA2 }, .dns = 0xA3 };

static void hear(void *given, const ethernet_event *event)
{
	static const char *const NAMES[] = { "link up", "link lost", "addressed", "address lost" };
	printf("event %s %u %x%s\n", NAMES[event->kind], event->speed, event->address.ip, given == &context ? "" : " of another");
}

static void step(const char *what, bool done)
{
	printf("-- %s%s, %u things\n", what, done ? "" : " failed", idf_things());
}

static void happen(void)
{
	idf_speed = ETH_SPEED_100M;
	idf_post(ETH_EVENT, ETHERNET_EVENT_CONNECTED);
	idf_speed = ETH_SPEED_10M;
	idf_post(ETH_EVENT, ETHERNET_EVENT_CONNECTED);
	idf_address.ip.addr = 0xA1;
	idf_post(IP_EVENT, IP_EVENT_ETH_GOT_IP);
	idf_address.ip.addr = 0;
	/* An event from before the change of settings: its address is no longer valid. */
	idf_post(IP_EVENT, IP_EVENT_ETH_GOT_IP);
	idf_post(IP_EVENT, IP_EVENT_ETH_LOST_IP);
	idf_post(ETH_EVENT, ETHERNET_EVENT_START);
	idf_post(ETH_EVENT, ETHERNET_EVENT_DISCONNECTED);
}

static void refuse_each(void)
{
	static const char *const CALLS[] = {
		"netif_init", "event_loop", "netif_new", "isr_service", "spi_bus", "mac_esp32", "mac_w5500", "mac_openeth",
		"phy_generic", "phy_w5500", "install", "read_mac", "set_mac", "glue", "netif_attach", "register",
		"set_hostname", "dhcpc_start", "start",
	};
	for (size_t i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++) {
		idf_refused = CALLS[i];
		bool done = ethernet_driver_start(&BY_DHCP);
		if (done) ethernet_driver_stop();
		step(CALLS[i], done);
	}
	idf_refused = "";
}

int main(int count, char **arguments)
{
	ethernet_pins pins;
	for (int i = 0; i < ETHERNET_PIN_LIMIT; i++) pins.pins[i] = i + 1 < count ? atoi(arguments[i + 1]) : ETHERNET_NO_PIN;
	step("start unopened", ethernet_driver_start(&BY_DHCP));
	ethernet_driver_stop();
	step("open", ethernet_driver_open(&pins, hear, &context));
	step("open twice", ethernet_driver_open(&pins, hear, NULL));
	step("start", ethernet_driver_start(&BY_DHCP));
	happen();
	step("events", true);
	step("start fixed", ethernet_driver_start(&FIXED));
	step("start by DHCP again", ethernet_driver_start(&BY_DHCP));
	idf_shut_down();
	step("shut down", true);
	ethernet_driver_stop();
	step("stop", true);
	idf_shut_down();
	happen();
	ethernet_driver_stop();
	step("nothing", true);
	refuse_each();
	step("start after all", ethernet_driver_start(&FIXED));
	idf_refused = "set_dns_info";
	step("settings in vain", ethernet_driver_start(&FIXED));
	idf_refused = "";
	step("start at last", ethernet_driver_start(&BY_DHCP));
	ethernet_driver_close();
	ethernet_driver_close();
	step("close", true);
	step("start closed", ethernet_driver_start(&BY_DHCP));
	step("open again", ethernet_driver_open(&pins, hear, &context));
	return 0;
}
