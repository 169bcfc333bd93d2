/* The chip's ROM has tinfl of miniz, of which ESP-IDF has the header. */
#include "miniz.h"
