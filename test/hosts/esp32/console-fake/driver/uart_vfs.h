/* ESP-IDF's settings of line ends for stdin and stdout, implemented by console-peer.c. */
#ifndef UART_VFS_H
#define UART_VFS_H

typedef enum { ESP_LINE_ENDINGS_CRLF, ESP_LINE_ENDINGS_CR, ESP_LINE_ENDINGS_LF } esp_line_endings_t;

int uart_vfs_dev_port_set_rx_line_endings(int uart, esp_line_endings_t mode);
int uart_vfs_dev_port_set_tx_line_endings(int uart, esp_line_endings_t mode);

#endif
