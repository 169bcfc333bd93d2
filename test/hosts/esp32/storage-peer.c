/* Tests of hosts/esp32/storage-nvs.c on a fake of NVS, for storage.test.ts. The argument names the part. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../hosts/esp32/storage-nvs.h"
#include "../must.h"
#include "storage-fake.h"

static char message[STORAGE_MESSAGE_SIZE];
static uint8_t value[STORAGE_VALUE_LIMIT + 1], got[STORAGE_VALUE_LIMIT + 1];

static void fill(uint8_t seed)
{
	for (size_t i = 0; i < sizeof(value); i++) value[i] = (uint8_t)(seed + i * 7);
}

static void expect_value(const char *key, size_t length)
{
	memset(got, 0xEE, sizeof(got));
	MUST(storage_nvs_size(key, message) == (int)length);
	MUST(storage_nvs_get(key, got, length, message));
	MUST(memcmp(got, value, length) == 0 && got[length] == 0xEE);
}

static void restart(void)
{
	fake_cut_power();
	MUST(storage_nvs_start());
}

static void keep(void)
{
	MUST(storage_nvs_start());
	MUST(storage_nvs_size("unknown", message) == STORAGE_ABSENT);
	MUST(storage_nvs_delete("unknown", message));
	fill(1);
	MUST(storage_nvs_set("key", value, 300, message));
	expect_value("key", 300);
	restart();
	expect_value("key", 300);
	fill(2);
	MUST(storage_nvs_set("key", value, STORAGE_VALUE_LIMIT, message));
	MUST(storage_nvs_set("empty", value, 0, message));
	restart();
	expect_value("key", STORAGE_VALUE_LIMIT);
	expect_value("empty", 0);
	MUST(storage_nvs_delete("key", message) && storage_nvs_delete("key", message));
	restart();
	MUST(storage_nvs_size("key", message) == STORAGE_ABSENT);
	expect_value("empty", 0);
}

static void know_keys(void)
{
	MUST(storage_nvs_is_key("a") && storage_nvs_is_key("abc_xyz_0123456"));
	MUST(!storage_nvs_is_key("") && !storage_nvs_is_key("abc_xyz_01234567"));
	MUST(!storage_nvs_is_key("A") && !storage_nvs_is_key("a-b"));
	MUST(!storage_nvs_is_key("a.b") && !storage_nvs_is_key("\xc3\xa4"));
}

static void expect_either(const char *key, bool is_new, uint8_t seed)
{
	fill(is_new ? seed + 1 : seed);
	expect_value(key, 100);
}

/*
 * Each call fails once, with the value in either place. A refused change leaves the old value, and no handle is left
 * open (the fake checks that).
 */
static void fail(void)
{
	MUST(storage_nvs_start());
	uint8_t seed = 3;
	for (int round = 0; round < 4; round++) {
		for (fake_call call = FAKE_OPEN; call < FAKE_CALLS; call++) {
			fill(seed);
			MUST(storage_nvs_set("key", value, 100, message));
			for (int i = 0; i < round % 2; i++) MUST(storage_nvs_set("key", value, 100, message));
			fake_errors[call] = ESP_FAIL;
			bool reading = call == FAKE_OPEN || call == FAKE_GET;
			MUST((storage_nvs_size("key", message) == STORAGE_FAILED) == reading);
			MUST(storage_nvs_get("key", got, 100, message) == !reading);
			fill(seed + 1);
			bool is_set = storage_nvs_set("key", value, 100, message);
			MUST(!is_set || call == FAKE_DELETE);
			if (!is_set) MUST(strcmp(message, "the value can't be stored: error 0xffffffff") == 0);
			fake_errors[call] = ESP_OK;
			/* Uncommitted changes remain until the restart. */
			if (call != FAKE_COMMIT) expect_either("key", is_set, seed);
			restart();
			expect_either("key", is_set, seed);
			fake_errors[call] = ESP_FAIL;
			bool is_deleted = storage_nvs_delete("key", message);
			MUST(is_deleted == (call == FAKE_GET || call == FAKE_SET));
			if (!is_deleted) MUST(strcmp(message, "the value can't be deleted: error 0xffffffff") == 0);
			fake_errors[call] = ESP_OK;
			restart();
			if (is_deleted) MUST(storage_nvs_size("key", message) == STORAGE_ABSENT);
			else expect_either("key", is_set, seed);
			seed++;
		}
	}
	MUST(storage_nvs_delete("key", message));
	restart();
	MUST(storage_nvs_size("key", message) == STORAGE_ABSENT);
}

/* The old value remains at a cut within a blob, in each of its two places. */
static void cut(void)
{
	MUST(storage_nvs_start());
	for (uint8_t seed = 1; seed < 6; seed++) {
		fill(seed);
		MUST(storage_nvs_set("key", value, 100, message));
		for (int i = 0; i < 2; i++) {
			fake_is_cut = true;
			MUST(!storage_nvs_set("key", got, 100, message));
			fake_is_cut = false;
			restart();
			expect_value("key", 100);
		}
	}
	MUST(storage_nvs_delete("key", message));
	restart();
	MUST(storage_nvs_size("key", message) == STORAGE_ABSENT);
}

static void fill_up(void)
{
	MUST(storage_nvs_start());
	fill(4);
	MUST(storage_nvs_set("a", value, STORAGE_VALUE_LIMIT, message));
	MUST(storage_nvs_set("b", value, STORAGE_VALUE_LIMIT, message));
	MUST(storage_nvs_set("c", value, 100, message));
	MUST(!storage_nvs_set("c", value, STORAGE_VALUE_LIMIT, message));
	MUST(strcmp(message, "the flash is full: the value can't be stored") == 0);
	expect_value("c", 100);
	fake_put("long", STORAGE_VALUE_LIMIT + 1);
	MUST(storage_nvs_size("long", message) == STORAGE_FAILED);
	MUST(strncmp(message, "the value can't be read: ", 25) == 0);
}

/* Unreadable NVS is erased; with other errors it is kept. */
static void mend(void)
{
	const esp_err_t hopeless[] = { ESP_ERR_NVS_NO_FREE_PAGES, ESP_ERR_NVS_NEW_VERSION_FOUND };
	const esp_err_t passing[] = { ESP_ERR_NO_MEM, ESP_FAIL, ESP_ERR_NVS_NOT_FOUND, ESP_ERR_NVS_NOT_ENOUGH_SPACE };
	fill(5);
	MUST(storage_nvs_start() && !storage_nvs_was_erased() && fake_counts[FAKE_ERASE] == 0);
	MUST(storage_nvs_set("key", value, 100, message));
	for (int i = 0; i < 4; i++) {
		fake_cut_power();
		fake_damage = passing[i];
		MUST(!storage_nvs_start() && fake_counts[FAKE_ERASE] == 0 && !storage_nvs_was_erased());
		fake_damage = ESP_OK;
		MUST(storage_nvs_start());
		expect_value("key", 100);
	}
	for (int i = 0; i < 2; i++) {
		fake_cut_power();
		fake_damage = hopeless[i];
		MUST(storage_nvs_start() && fake_counts[FAKE_ERASE] == 1 && storage_nvs_was_erased());
		MUST(storage_nvs_size("key", message) == STORAGE_ABSENT);
		MUST(storage_nvs_set("key", value, 100, message));
		expect_value("key", 100);
	}
	fake_cut_power();
	fake_damage = ESP_ERR_NVS_NO_FREE_PAGES;
	fake_errors[FAKE_ERASE] = ESP_FAIL;
	MUST(!storage_nvs_start() && fake_counts[FAKE_INIT] == 1);
}

int main(int count, char **arguments)
{
	static const test_case cases[] = {
		{ "keep", keep },   { "keys", know_keys }, { "fail", fail }, { "cut", cut },
		{ "full", fill_up }, { "mend", mend },      { NULL, NULL },
	};
	MUST(count == 2);
	run_case(arguments[1], cases);
	return 0;
}
