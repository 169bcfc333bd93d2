#include "power-debounce.h"

bool power_debounce_see(power_debounce *button, bool pressed)
{
	if (button->pressed == pressed) return false;
	button->pressed = pressed;
	if (button->untold == DEBOUNCE_UNTOLD) button->untold -= 2;
	button->untold++;
	if (button->posted) return false;
	button->posted = true;
	return true;
}

bool power_debounce_tell(power_debounce *button, bool *pressed)
{
	if (button->untold == 0) {
		button->posted = false;
		return false;
	}
	/* Presses and releases alternate, and the last change led to the present state. */
	*pressed = button->untold % 2 == 1 ? button->pressed : !button->pressed;
	button->untold--;
	return true;
}
