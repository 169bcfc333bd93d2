#include "../binding-fake.h"
