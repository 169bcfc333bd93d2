/* ESP-IDF's settings of line ends on UART 0, implemented by console-peer.c. */
#ifndef UART_VFS_H
#define UART_VFS_H

#include "esp_vfs_common.h"

int uart_vfs_dev_port_set_rx_line_endings(int uart, esp_line_endings_t mode);
int uart_vfs_dev_port_set_tx_line_endings(int uart, esp_line_endings_t mode);

#endif
