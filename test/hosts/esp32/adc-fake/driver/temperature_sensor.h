#include "../adc-fake.h"
