/* Prints an M-Bus frame, given in hex as the argument, as libmbus's normalised XML. Exit code 1 if libmbus refuses it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mbus.h"

int main(int count, char **arguments)
{
	unsigned char bytes[512];
	if (count != 2) return 2;
	size_t length = strlen(arguments[1]) / 2;
	if (length > sizeof bytes) return 2;
	for (size_t i = 0; i < length; i++) {
		unsigned byte;
		if (sscanf(arguments[1] + 2 * i, "%2x", &byte) != 1) return 2;
		bytes[i] = (unsigned char)byte;
	}
	mbus_frame frame;
	mbus_frame_data data;
	memset(&frame, 0, sizeof frame);
	memset(&data, 0, sizeof data);
	if (mbus_parse(&frame, bytes, length) != 0 || mbus_frame_data_parse(&frame, &data) != 0) return 1;
	char *text = mbus_frame_data_xml_normalized(&data);
	if (!text) return 1;
	fputs(text, stdout);
	free(text);
	return 0;
}
