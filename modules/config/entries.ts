/**
 * Numbers of the entries in flash (schema.ts), which are their places in the gateway's list of settings. Each number stands
 * for one entry in every firmware that was ever released: a new entry takes the number after the last one, and the number
 * of an entry that has gone is never used again. A test fails if two entries of the parts have the same number.
 */
export const ENTRY_METER = 0;
export const ENTRY_IEC62056 = 1;
export const ENTRY_CONTROL = 2;
export const ENTRY_ACCESS = 3;
export const ENTRY_IEC_SPEED = 4;
export const ENTRY_POWER = 5;
export const ENTRY_TOKENS = 6;
export const ENTRY_SYSTEM = 7;
export const ENTRY_SCHEDULE = 8;
export const ENTRY_DLMS = 9;
export const ENTRY_DLMS_SECRETS = 10;
export const ENTRY_DLMS_OBIS = 11;
export const ENTRY_ZIGBEE_MAP = 12;
export const ENTRY_HUB = 13;
export const ENTRY_TLS = 14;
export const ENTRY_WIFI = 15;
export const ENTRY_NETWORK = 16;
export const ENTRY_MQTT = 17;
export const ENTRY_MQTT_ANNOUNCED = 18;
export const ENTRY_UPGRADE = 19;
export const ENTRY_UPGRADE_FOUND = 20;
export const ENTRY_ZIGBEE = 21;
export const ENTRY_ETHERNET = 22;
export const ENTRY_PRICES = 23;
export const ENTRY_LIVE_METER = 24;
export const ENTRY_PEAKS = 25;
export const ENTRY_BACKFILL = 26;
export const ENTRY_MBUS = 27;
export const ENTRY_HAWKBIT = 28;
export const ENTRY_PROVISION = 29;
