/**
 * Routes of the API text ("Smart-Meter Gateway Device: HTTP/JSON API Specification", Endpoints). They are listed by hand:
 * no firmware may lack them, so the list must not follow the code.
 */
export const API_TEXT: readonly string[] = `
GET system/challenge
POST system/login
POST system/logout
POST system/password
GET system/tokens
POST system/tokens
DELETE system/tokens/{id}
GET system/version
GET system/status
GET system/clock
POST system/clock
GET system/timezone
POST system/timezone
GET system/power_mode
POST system/power_mode
POST system/reboot
POST system/factory_reset
POST system/ota
GET system/certificate
POST system/certificate
POST system/certificate/reset
GET system/diagnostic
GET network/status
GET network/scan
POST network/wifi
POST network/ap
GET network/fallback-ap
POST network/fallback-ap
GET network/wifi-enabled
POST network/wifi-enabled
GET meter/protocol
POST meter/protocol
GET iec62056/read
GET iec62056/last
GET iec62056/config
POST iec62056/config
GET iec62056/schedule
POST iec62056/schedule
GET iec62056/control
POST iec62056/control
GET dlms/config
POST dlms/config
GET dlms/obis
POST dlms/obis
GET zigbee/config
POST zigbee/config
POST zigbee/reset
GET zigbee/map
POST zigbee/map
GET hub
POST hub
GET hub/send
`
	.trim()
	.split("\n");
