/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* rows [--seconds=S] [--width=W] [--height=H]: one thread's rate for each set
 * of rows, beside GStreamer's converter, which videoconvert runs, and memcpy
 * of the same input bytes.
 *
 * The ways take turns in short slots, so that a machine that slows down for a
 * while slows all of them.  Time is the process's own, so that another process
 * on its CPU does not count.  Frames rotate, and together they are larger than
 * most caches. */

#include <gst/video/video.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rows.h"
#include "videoplan.h"

#define ROTATION_BYTES ((gsize) 128 << 20)
#define SLOTS 20
#define MAX_WAYS 8

static double seconds = 1;
static int width = 1920, height = 1080;

static const GOptionEntry options[] = {
  {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "For each way", "S"},
  {"width", 0, 0, G_OPTION_ARG_INT, &width, "Of the frames", "W"},
  {"height", 0, 0, G_OPTION_ARG_INT, &height, "Of the frames", "H"},
  {NULL}
};

/* What frames of one format are converted from and to. */
typedef struct
{
  GstVideoInfo in_info, gray_info;
  guint n;
  GstVideoFrame *in, *gray;
  guint8 **copy;
  LumaPlan plan;
  GstVideoConverter *converter;
} Frames;

typedef struct _Way Way;
struct _Way
{
  const char *name;
  void (*run) (const Way * way, Frames * frames, guint i);
  const LumaRows *rows;
  gsize bytes;                  /* read and written for a frame */
  guint next;                   /* frame of the rotation */
  GArray *ms;
};

static void
run_rows (const Way * way, Frames * frames, guint i)
{
  LumaSource src = { 0 };
  LumaTarget dst = { GST_VIDEO_FRAME_PLANE_DATA (&frames->gray[i], 0),
    GST_VIDEO_FRAME_PLANE_STRIDE (&frames->gray[i], 0)
  };

  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&frames->in[i]); p++) {
    src.data[p] = GST_VIDEO_FRAME_PLANE_DATA (&frames->in[i], p);
    src.stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE (&frames->in[i], p);
  }
  luma_rows_convert (way->rows, &frames->plan, &src, &dst);
}

static void
run_converter (const Way * way, Frames * frames, guint i)
{
  gst_video_converter_frame (frames->converter, &frames->in[i],
      &frames->gray[i]);
}

static void
run_memcpy (const Way * way, Frames * frames, guint i)
{
  memcpy (frames->copy[i], GST_VIDEO_FRAME_PLANE_DATA (&frames->in[i], 0),
      GST_VIDEO_INFO_SIZE (&frames->in_info));
}

static void
map_frame (GstVideoFrame * frame, GstVideoInfo * info, int fill)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    g_error ("no memory");
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) (i * 2654435761u >> 13) + fill;
  gst_buffer_unmap (buffer, &map);
  if (!gst_video_frame_map (frame, info, buffer, GST_MAP_READWRITE))
    g_error ("no frame");
  gst_buffer_unref (buffer);
}

static void
frames_init (Frames * frames, GstVideoFormat format)
{
  GstStructure *config = gst_structure_new ("config",
      GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT, 1, NULL);
  gsize size;

  gst_video_info_set_format (&frames->in_info, format, width, height);
  gst_video_info_set_format (&frames->gray_info, GST_VIDEO_FORMAT_GRAY8, width,
      height);
  if (GST_VIDEO_INFO_IS_YUV (&frames->in_info))
    frames->gray_info.colorimetry.matrix =
        frames->in_info.colorimetry.matrix;
  if (!cuda_gray_plan_init (&frames->plan, &frames->in_info,
          &frames->gray_info))
    g_error ("no plan for %s", frames->in_info.finfo->name);
  frames->converter = gst_video_converter_new (&frames->in_info,
      &frames->gray_info, config);

  size = GST_VIDEO_INFO_SIZE (&frames->in_info);
  frames->n = ROTATION_BYTES / size + 2;
  frames->in = g_new (GstVideoFrame, frames->n);
  frames->gray = g_new (GstVideoFrame, frames->n);
  frames->copy = g_new (guint8 *, frames->n);
  for (guint i = 0; i < frames->n; i++) {
    map_frame (&frames->in[i], &frames->in_info, i);
    map_frame (&frames->gray[i], &frames->gray_info, i);
    frames->copy[i] = g_malloc0 (size);
  }
}

static void
frames_clear (Frames * frames)
{
  for (guint i = 0; i < frames->n; i++) {
    gst_video_frame_unmap (&frames->in[i]);
    gst_video_frame_unmap (&frames->gray[i]);
    g_free (frames->copy[i]);
  }
  g_free (frames->in);
  g_free (frames->gray);
  g_free (frames->copy);
  gst_video_converter_free (frames->converter);
}

static guint
make_ways (const Frames * frames, Way ways[MAX_WAYS])
{
  gsize in = GST_VIDEO_INFO_SIZE (&frames->in_info);
  gsize both = in + GST_VIDEO_INFO_SIZE (&frames->gray_info);
  guint n = 0;

  ways[n++] = (Way) {
  "memcpy", run_memcpy, NULL, 2 * in};
  ways[n++] = (Way) {
  "videoconvert", run_converter, NULL, both};
  /* The first rows are the specification, which is not made to be fast. */
  for (guint i = 1; luma_rows_nth (i) != NULL && n < MAX_WAYS; i++)
    ways[n++] = (Way) {
    luma_rows_nth (i)->name, run_rows, luma_rows_nth (i), both};
  for (guint i = 0; i < n; i++)
    ways[i].ms = g_array_new (FALSE, FALSE, sizeof (double));
  return n;
}

static double
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* The first frame of a slot, which finds the other ways' bytes in the caches,
 * does not count. */
static void
run_slot (Way * way, Frames * frames)
{
  double start = now_ms (), now = start, end = start + seconds * 1e3 / SLOTS;

  for (guint n = 0; now < end || n < 2; n++) {
    double ms;

    way->run (way, frames, way->next);
    way->next = (way->next + 1) % frames->n;
    now = now_ms ();
    ms = now - start;
    start = now;
    if (n != 0)
      g_array_append_val (way->ms, ms);
  }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
quantile (const Way * way, double q)
{
  return g_array_index (way->ms, double, (guint) (q * (way->ms->len - 1)));
}

static void
bench (GstVideoFormat format)
{
  Frames frames;
  Way ways[MAX_WAYS];
  guint n;

  frames_init (&frames, format);
  n = make_ways (&frames, ways);
  /* Slot 0 warms up. */
  for (int slot = 0; slot <= SLOTS; slot++) {
    for (guint i = 0; i < n; i++) {
      run_slot (&ways[i], &frames);
      if (slot == 0)
        g_array_set_size (ways[i].ms, 0);
    }
  }
  for (guint i = 0; i < n; i++)
    g_array_sort (ways[i].ms, compare);
  for (guint i = 0; i < n; i++) {
    double ms = quantile (&ways[i], 0.5);

    g_print ("%-12s %-9s %8.3f %8.3f - %6.3f %7.2f %9.2f %9.2f\n",
        ways[i].name, gst_video_format_to_string (format), ms,
        quantile (&ways[i], 0.25), quantile (&ways[i], 0.75),
        ways[i].bytes / ms / 1e6, quantile (&ways[1], 0.5) / ms,
        quantile (&ways[0], 0.5) / ms);
  }
  for (guint i = 0; i < n; i++)
    g_array_unref (ways[i].ms);
  frames_clear (&frames);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || width < 1 ||
      height < 1) {
    g_printerr ("%s\n", error != NULL ? error->message : "no such size");
    return 2;
  }
  g_option_context_free (context);
  g_print ("%d x %d, one thread, more than %d MB of input in rotation\n",
      width, height, (int) (ROTATION_BYTES / 1000000));
  g_print ("%-12s %-9s %8s %17s %7s %9s %9s\n", "name", "from", "ms/frame",
      "quartiles", "GB/s", "x vconv.", "x memcpy");
  bench (GST_VIDEO_FORMAT_RGB);
  bench (GST_VIDEO_FORMAT_BGRx);
  bench (GST_VIDEO_FORMAT_GBR);
  bench (GST_VIDEO_FORMAT_NV12);
  bench (GST_VIDEO_FORMAT_YUY2);
  bench (GST_VIDEO_FORMAT_P010_10LE);
  bench (GST_VIDEO_FORMAT_ARGB64);
  bench (GST_VIDEO_FORMAT_GBR_10LE);
  return EXIT_SUCCESS;
}
