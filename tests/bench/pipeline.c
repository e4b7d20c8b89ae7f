/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* pipeline: a source that hands out recycled buffers ! the converter !
 * fakesink, RGB to GRAY8, with cudagray and with GStreamer's videoconvert on
 * one thread and on all.  The source draws each buffer of its pool once and
 * hands it out again as it is, so that the converter is what is timed.  CPU
 * time is the whole process's, for a frame. */

#include <gst/base/gstpushsrc.h>
#include <gst/gst.h>

#include "bench.h"
#include "gstcudagray.h"

/* A source whose buffers come from the pool that downstream proposes. */
typedef GstPushSrc BenchSrc;
typedef GstPushSrcClass BenchSrcClass;
static GType bench_src_get_type (void);
G_DEFINE_TYPE (BenchSrc, bench_src, GST_TYPE_PUSH_SRC);

static GstFlowReturn
bench_src_fill (GstPushSrc * src, GstBuffer * buffer)
{
  static GQuark drawn;
  GstMemory *memory = gst_buffer_peek_memory (buffer, 0);
  GstMapInfo map;

  if (drawn == 0)
    drawn = g_quark_from_static_string ("bench-drawn");
  if (gst_mini_object_get_qdata (GST_MINI_OBJECT (memory), drawn) != NULL)
    return GST_FLOW_OK;
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) (i * 2654435761u >> 13);
  gst_buffer_unmap (buffer, &map);
  gst_mini_object_set_qdata (GST_MINI_OBJECT (memory), drawn, &drawn, NULL);
  return GST_FLOW_OK;
}

static void
bench_src_class_init (BenchSrcClass * klass)
{
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src",
      GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));

  gst_element_class_add_static_pad_template (GST_ELEMENT_CLASS (klass), &src);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "source",
      "Source", "Recycled buffers", "cudagray");
  klass->fill = bench_src_fill;
}

static void
bench_src_init (BenchSrc * src)
{
  gst_base_src_set_format (GST_BASE_SRC (src), GST_FORMAT_TIME);
}

static void
measure (const gchar * converter, const gchar * name, BenchSize size,
    guint frames)
{
  gchar *text = g_strdup_printf ("benchsrc name=src num-buffers=%u ! "
      "video/x-raw,format=RGB,width=%" G_GSIZE_FORMAT ",height=%"
      G_GSIZE_FORMAT ",framerate=30/1 ! %s ! video/x-raw,format=GRAY8 ! "
      "fakesink name=sink", BENCH_WARM_UP + frames + 1, size.width,
      size.height, converter);

  bench_pipeline ("pipeline", name, "RGB", size, text, frames,
      3.0 * size.width * size.height);
  g_free (text);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  gst_element_register (NULL, "benchsrc", GST_RANK_NONE, bench_src_get_type ());
  GST_ELEMENT_REGISTER (cudagray, NULL);
  if (!bench_find_gpu ())
    return 77;
  bench_print_header ();
  for (guint s = BENCH_FIRST_VGA; s < BENCH_N_SIZES; s++) {
    guint fast = bench_sizes[s].height > 4000 ? 200 :
        bench_sizes[s].height > 1000 ? 500 : 2000;

    measure ("cudagray", "cudagray", bench_sizes[s], fast);
    measure ("cudagray backend=cpu", "cudagray-cpu", bench_sizes[s], fast / 4);
    measure ("videoconvert n-threads=1", "videoconvert-1", bench_sizes[s],
        fast / 10);
    measure ("videoconvert n-threads=0", "videoconvert-all", bench_sizes[s],
        fast / 5);
  }
  return 0;
}
