#include "../face-fake.h"
