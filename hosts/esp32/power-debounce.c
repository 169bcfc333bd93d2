#include "power-debounce.h"

bool power_debounce_sample(power_debounce *button, bool pressed)
{
	if (button->pressed == pressed) return false;
	button->pressed = pressed;
	if (button->unreported == DEBOUNCE_UNREPORTED) button->unreported -= 2;
	button->unreported++;
	if (button->posted) return false;
	button->posted = true;
	return true;
}

bool power_debounce_next(power_debounce *button, bool *pressed)
{
	if (button->unreported == 0) {
		button->posted = false;
		return false;
	}
	/*
	 * Presses and releases alternate, and the last change led to the current state. Therefore the number of unreported
	 * changes tells whether the oldest one is a press.
	 */
	*pressed = button->unreported % 2 == 1 ? button->pressed : !button->pressed;
	button->unreported--;
	return true;
}
