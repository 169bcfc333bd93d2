#include "binding-fake.h"
