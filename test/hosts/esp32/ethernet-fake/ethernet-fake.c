#include "ethernet-fake.h"

#include <assert.h>

fake_port fake;

void fake_happens(ethernet_event event)
{
	if (fake.open) fake.notify(fake.context, &event);
}

bool ethernet_driver_open(const ethernet_pins *pins, void (*notify)(void *context, const ethernet_event *event),
			  void *context)
{
	if (fake.open || fake.fails_open) return false;
	fake.open = true;
	fake.pins = *pins;
	fake.notify = notify;
	fake.context = context;
	return true;
}

void ethernet_driver_close(void)
{
	assert(fake.open);
	fake.open = fake.on = false;
}

bool ethernet_driver_start(const ethernet_settings *settings)
{
	fake.starts++;
	fake.settings = *settings;
	fake.on = !fake.fails_start;
	if (fake.on && fake.reports_at_once)
		fake_happens((ethernet_event){ .kind = ETHERNET_ADDRESSED, .address = settings->address });
	return fake.on;
}

void ethernet_driver_stop(void)
{
	fake.on = false;
}
