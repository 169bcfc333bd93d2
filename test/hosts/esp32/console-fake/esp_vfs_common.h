#ifndef ESP_VFS_COMMON_H
#define ESP_VFS_COMMON_H

typedef enum { ESP_LINE_ENDINGS_CRLF, ESP_LINE_ENDINGS_CR, ESP_LINE_ENDINGS_LF } esp_line_endings_t;

#endif
