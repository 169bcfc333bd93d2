#include "face-fake.h"
