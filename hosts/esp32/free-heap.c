#include "free-heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "esp_heap_caps.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

size_t free_heap(void)
{
	return heap_caps_get_free_size(MALLOC_CAP_8BIT);
}

size_t free_heap_piece(void)
{
	return heap_caps_get_largest_free_block(MALLOC_CAP_8BIT);
}

static volatile size_t least_heap = SIZE_MAX;

/*
 * ESP-IDF calls this after each allocation, in any task. If two tasks run it at the same time, the figure that was
 * written last remains. It is the minimum or close to it.
 */
void esp_heap_trace_alloc_hook(void *memory, size_t size, uint32_t kind)
{
	size_t free = free_heap();
	(void)memory;
	(void)size;
	(void)kind;
	if (free < least_heap) least_heap = free;
}

void esp_heap_trace_free_hook(void *memory)
{
	(void)memory;
}

size_t least_free_heap(void)
{
	size_t free = free_heap();
	return free < least_heap ? free : least_heap;
}

static bool least_of_name(const TaskStatus_t *tasks, UBaseType_t count, UBaseType_t index, unsigned *least)
{
	*least = (unsigned)tasks[index].usStackHighWaterMark;
	for (UBaseType_t i = 0; i < count; i++) {
		if (i == index || strcmp(tasks[i].pcTaskName, tasks[index].pcTaskName) != 0) continue;
		if (i < index) return false;
		if (tasks[i].usStackHighWaterMark < *least) *least = (unsigned)tasks[i].usStackHighWaterMark;
	}
	return true;
}

size_t task_stacks(char *text, size_t size)
{
	UBaseType_t count = uxTaskGetNumberOfTasks();
	TaskStatus_t *tasks = calloc(count, sizeof(TaskStatus_t));
	size_t length = 0;
	if (!tasks) return 0;
	/* uxTaskGetSystemState returns 0 if a task was created after the tasks were counted. */
	count = uxTaskGetSystemState(tasks, count, NULL);
	for (UBaseType_t i = 0; i < count; i++) {
		unsigned least;
		/* ESP-IDF gives all POSIX threads the same name, but each metric needs a unique name. */
		if (!least_of_name(tasks, count, i, &least)) continue;
		int line = snprintf(text + length, size - length, "%s %u\n", tasks[i].pcTaskName, least);
		if (line < 0 || (size_t)line >= size - length) break;
		length += (size_t)line;
	}
	free(tasks);
	return length;
}
