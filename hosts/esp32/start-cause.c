#include "start-cause.h"

#include <stddef.h>
#include <string.h>

const char START_ASKED_FOR[] = "it was asked for";

start_cause start_cause_of(esp_reset_reason_t reason, const char *kept)
{
	switch (reason) {
		case ESP_RST_POWERON: return (start_cause){ "power was switched on", false };
		case ESP_RST_EXT: return (start_cause){ "the reset pin", false };
		case ESP_RST_SW:
			if (kept == NULL) return (start_cause){ "the engine gave up, and could not say why", true };
			return (start_cause){ kept, strcmp(kept, START_ASKED_FOR) != 0 };
		case ESP_RST_PANIC: return (start_cause){ "panic; the core dump tells more", true };
		case ESP_RST_INT_WDT: return (start_cause){ "the watchdog of interrupts", true };
		case ESP_RST_TASK_WDT: return (start_cause){ "the watchdog of tasks", true };
		case ESP_RST_WDT: return (start_cause){ "a watchdog", true };
		case ESP_RST_DEEPSLEEP: return (start_cause){ "deep sleep has ended", false };
		case ESP_RST_BROWNOUT: return (start_cause){ "the voltage was too low", true };
		case ESP_RST_USB: return (start_cause){ "the USB port", false };
		case ESP_RST_JTAG: return (start_cause){ "JTAG", false };
		case ESP_RST_PWR_GLITCH: return (start_cause){ "a glitch of the voltage", true };
		case ESP_RST_CPU_LOCKUP: return (start_cause){ "the processor was locked up", true };
		default: return (start_cause){ "unknown", false };
	}
}

bool start_cause_is_low_voltage(esp_reset_reason_t reason)
{
	return reason == ESP_RST_BROWNOUT || reason == ESP_RST_PWR_GLITCH;
}
