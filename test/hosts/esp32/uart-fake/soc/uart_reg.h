#include "uart-fake.h"
