/* Implements machine-post.h on Linux. Calls are posted to the GLib main loop, which runs in the machine's thread. */
#include <glib.h>
#include <stdlib.h>

#include "machine-post.h"

typedef struct {
	void (*deliver)(void *context);
	void *context;
} post;

static gboolean run(gpointer data)
{
	post once = *(post *)data;
	g_free(data);
	once.deliver(once.context);
	return G_SOURCE_REMOVE;
}

void machine_post(xsMachine *the, void (*deliver)(void *context), void *context)
{
	(void)the;
	post *once = g_new(post, 1);
	*once = (post){.deliver = deliver, .context = context};
	g_idle_add_full(G_PRIORITY_DEFAULT, run, once, NULL);
}
