/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* Case 40: a process that forks, as Python's multiprocessing does, before the
 * element has been used, after it, and while it plays.  CUDA does not survive
 * that: the child of a process that has used the GPU gets the CPU, or an error,
 * at once, and ends like any other; the parent goes on as if nothing had been.
 *
 * Each case has a process of its own, for a device stays open as long as its
 * process.  Frames are pushed by hand: threads do not survive a fork either,
 * nor do GStreamer's. */

#include <gst/check/gstharness.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu.h"
#include "gstcudagray.h"
#include "pipe.h"

#ifdef SIMULATED
#include "simulated.h"
#endif

#define WIDTH 320
#define HEIGHT 240
#define CAPS "video/x-raw,format=RGB,width=320,height=240,framerate=30/1"
#define SIZE (3 * WIDTH * HEIGHT)
/* A process that does not end is ended, in seconds. */
#define HANG 60

#define WAITED 3

static gboolean inherits;       /* CUDA, from a parent that has used it */

#define EXPECT(holds, ...) \
  do { \
    if (!(holds)) { \
      g_printerr ("%s:%d: %s: ", __FILE__, __LINE__, #holds); \
      g_printerr (__VA_ARGS__); \
      g_printerr ("\n"); \
      _exit (EXIT_FAILURE); \
    } \
  } while (0)

/* The linker puts it in the place of libc's.  At exit a process waits a moment
 * for its calls of CUDA that are under way; in a child nobody would end them. */
int __real_pthread_rwlock_timedwrlock (pthread_rwlock_t * lock,
    const struct timespec *until);
int __wrap_pthread_rwlock_timedwrlock (pthread_rwlock_t * lock,
    const struct timespec *until);

int
__wrap_pthread_rwlock_timedwrlock (pthread_rwlock_t * lock,
    const struct timespec *until)
{
  if (inherits)
    _exit (WAITED);
  return __real_pthread_rwlock_timedwrlock (lock, until);
}

static gboolean
has_gpu (void)
{
  return g_str_equal (pipe_backend (), "cuda");
}

/* One element. */
typedef struct
{
  GstElement *gray;
  GstHarness *harness;
  GstBus *bus;
  PipeWatch *watch;
} Line;

static void
line_init (Line * line, const gchar * backend)
{
  line->gray = gst_element_factory_make ("cudagray", NULL);
  gst_util_set_object_arg (G_OBJECT (line->gray), "backend", backend);
  line->bus = gst_bus_new ();
  gst_element_set_bus (line->gray, line->bus);
  line->watch = pipe_watch_element (line->gray);
}

static void
line_start (Line * line)
{
  line->harness = gst_harness_new_with_element (line->gray, "sink", "src");
  gst_harness_set_src_caps_str (line->harness, CAPS);
}

static void
line_free (Line * line)
{
  if (line->harness != NULL)
    gst_harness_teardown (line->harness);
  gst_element_set_bus (line->gray, NULL);
  gst_element_set_state (line->gray, GST_STATE_NULL);
  gst_object_unref (line->gray);
  gst_object_unref (line->bus);
  pipe_watch_end (line->watch);
}

/* From the element's own pool. */
static GstBuffer *
line_buffer (Line * line)
{
  return gst_harness_create_buffer (line->harness, SIZE);
}

/* Converts a frame into a right one. */
static void
line_run (Line * line, GstBuffer * buffer, guint8 value)
{
  gst_buffer_memset (buffer, 0, value, SIZE);
  gst_buffer_memset (buffer, SIZE / 2, value + 1, SIZE / 3);
  EXPECT (gst_harness_push (line->harness, buffer) == GST_FLOW_OK, "%u", value);
  buffer = gst_harness_try_pull (line->harness);
  EXPECT (buffer != NULL, "%u", value);
  gst_buffer_unref (buffer);
  EXPECT (line->watch->problem == NULL, "%s", line->watch->problem);
}

static void
line_run_some (Line * line)
{
  for (guint8 i = 0; i < 3; i++)
    line_run (line, line_buffer (line), 10 * i);
}

static void
line_expect_backend (Line * line, const gchar * backend)
{
  GstStructure *stats;
  const gchar *found;

  g_object_get (line->gray, "stats", &stats, NULL);
  found = gst_structure_get_string (stats, "backend");
  EXPECT (g_str_equal (found, backend), "%s, not %s", found, backend);
  gst_structure_free (stats);
}

/* One message that has the words, where there is a GPU to speak of. */
static void
line_expect_message (Line * line, GstMessageType type, const gchar * words)
{
  GstMessage *message = gst_bus_pop_filtered (line->bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  GError *error;

  if (!has_gpu ()) {
    EXPECT (message == NULL, "a message");
    return;
  }
  EXPECT (message != NULL && GST_MESSAGE_TYPE (message) == type, "no message");
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  EXPECT (strstr (error->message, words) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (line->bus,
      GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  EXPECT (message == NULL, "more messages");
}

/* In a child of its own, which ends by exit. */
static pid_t
start_child (void (*run) (Line * line), Line * line, gboolean used)
{
  pid_t child = fork ();

  EXPECT (child >= 0, "no fork");
  if (child == 0) {
    inherits = used;
    alarm (HANG);
    run (line);
    exit (EXIT_SUCCESS);
  }
  return child;
}

static gboolean
ended_well (pid_t child)
{
  int status;

  EXPECT (waitpid (child, &status, 0) == child, "no child");
  if (WIFSIGNALED (status))
    g_printerr ("ended by signal %d\n", WTERMSIG (status));
  else if (WEXITSTATUS (status) == WAITED)
    g_printerr ("waited for the parent's calls\n");
  return status == 0;
}

static void
use_new_element (Line * ignored)
{
  Line line = { NULL };

  line_init (&line, pipe_backend ());
  line_start (&line);
  line_run_some (&line);
  line_expect_backend (&line, pipe_backend ());
  line_free (&line);
}

static void
use_new_element_refused (Line * ignored)
{
  Line line = { NULL };

  line_init (&line, "auto");
  line_start (&line);
  line_expect_message (&line, GST_MESSAGE_WARNING, "forked");
  line_run_some (&line);
  line_expect_backend (&line, "cpu");
  line_free (&line);
  if (!has_gpu ())
    return;
  line = (Line) { NULL };
  line_init (&line, "cuda");
  EXPECT (gst_element_set_state (line.gray, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE, "started");
  line_expect_message (&line, GST_MESSAGE_ERROR, "forked");
  line_free (&line);
}

static void
use_inherited_auto (Line * line)
{
  line_run (line, line_buffer (line), 77);
  line_expect_message (line, GST_MESSAGE_WARNING, "converting on the CPU");
  line_run_some (line);
  line_expect_backend (line, "cpu");
  line_free (line);
}

static void
use_inherited_cuda (Line * line)
{
  GstBuffer *buffer = line_buffer (line);

  gst_buffer_memset (buffer, 0, 5, SIZE);
  EXPECT (gst_harness_push (line->harness, buffer) == GST_FLOW_ERROR, "done");
  line_expect_message (line, GST_MESSAGE_ERROR, "failed on the GPU");
  line_free (line);
}

static void
do_nothing (Line * line)
{
}

/* The parent has an element, and has not started it. */
static gboolean
fork_before_use (void)
{
  Line line = { NULL };
  gboolean well;

  line_init (&line, pipe_backend ());
  well = ended_well (start_child (use_new_element, NULL, FALSE));
  line_start (&line);
  line_run_some (&line);
  line_expect_backend (&line, pipe_backend ());
  line_free (&line);
  return well;
}

/* It has stopped it. */
static gboolean
fork_after_use (void)
{
  gboolean well;

  use_new_element (NULL);
  well = ended_well (start_child (use_new_element_refused, NULL, TRUE));
  use_new_element (NULL);
  return well;
}

/* It plays.  What it has of pinned memory goes on to be what the GPU sees,
 * though the child has the same pages. */
static gboolean
fork_while_playing (const gchar * backend, void (*run) (Line * line))
{
  Line line = { NULL };
  GstBuffer *before;
  pid_t child;

  line_init (&line, backend);
  line_start (&line);
  line_run_some (&line);
  before = line_buffer (&line);
  gst_buffer_memset (before, 0, 1, SIZE);
  child = start_child (run, &line, TRUE);
  line_run (&line, before, 99);
  line_run_some (&line);
  line_expect_backend (&line, pipe_backend ());
  line_free (&line);
  return ended_well (child);
}

static gboolean
fork_playing_auto (void)
{
  return fork_while_playing (has_gpu ()? "auto" : "cpu", use_inherited_auto);
}

static gboolean
fork_playing_cuda (void)
{
  return fork_while_playing (pipe_backend (), has_gpu ()? use_inherited_cuda :
      do_nothing);
}

static gboolean
fork_idle_child (void)
{
  return fork_while_playing (pipe_backend (), do_nothing);
}

/* For main: whether there is a GPU, which it must not open itself. */
static gboolean
open_gpu (void)
{
  GpuStatus status;
  LumaBackend *gpu = gpu_open (-1, &status);

  if (gpu == NULL)
    g_print ("skipped, no GPU: %s\n", status.text);
  else
    gpu->klass->close (gpu);
  return gpu != NULL;
}

static gboolean
run_case (gboolean (*run) (void))
{
  pid_t child = fork ();

  EXPECT (child >= 0, "no fork");
  if (child == 0) {
    alarm (HANG);
    exit (run ()? EXIT_SUCCESS : EXIT_FAILURE);
  }
  return ended_well (child);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const gchar *name;
    gboolean (*run) (void);
  } cases[] = {
    {"before use", fork_before_use}, {"after use", fork_after_use},
    {"while playing, auto", fork_playing_auto},
    {"while playing, as told", fork_playing_cuda},
    {"while playing, to do nothing", fork_idle_child},
  };
  guint failed = 0;

#ifdef SIMULATED
  simulated_install ();
  g_setenv ("CUDAGRAY_TEST_BACKEND", "cuda", TRUE);
#endif
  gst_init (&argc, &argv);
  GST_ELEMENT_REGISTER (cudagray, NULL);
  if (has_gpu () && !run_case (open_gpu))
    return 77;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (run_case (cases[i].run))
      continue;
    g_printerr ("%s: failed\n", cases[i].name);
    failed++;
  }
  g_print ("%u cases, %u failed\n", (guint) G_N_ELEMENTS (cases), failed);
  return failed != 0;
}
