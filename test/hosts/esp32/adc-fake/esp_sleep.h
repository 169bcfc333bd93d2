#include "adc-fake.h"
