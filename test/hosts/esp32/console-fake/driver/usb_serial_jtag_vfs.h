/* ESP-IDF's settings of line ends on the chip's own USB port, implemented by console-peer.c. */
#ifndef USB_SERIAL_JTAG_VFS_H
#define USB_SERIAL_JTAG_VFS_H

#include "esp_vfs_common.h"

void usb_serial_jtag_vfs_set_rx_line_endings(esp_line_endings_t mode);
void usb_serial_jtag_vfs_set_tx_line_endings(esp_line_endings_t mode);

#endif
