/* tinfl of miniz is in the chip's ROM; ESP-IDF has the header. */
#include "miniz.h"
