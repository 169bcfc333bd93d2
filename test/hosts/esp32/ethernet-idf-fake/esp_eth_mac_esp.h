#include "ethernet-idf-fake.h"
