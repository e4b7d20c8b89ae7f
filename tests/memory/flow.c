/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

#include "flow.h"

#include <gst/cuda/gstcudautils.h>
#include <string.h>

#include "util.h"

/* Rows without padding in system memory, and with it in the GPU's. */
#define WIDTH 52
#define HEIGHT 7

static GstBusSyncReply
note_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Flow *flow = data;
  const gchar *type = NULL;
  GstContext *context = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_NEED_CONTEXT:
      gst_message_parse_context_type (message, &type);
      if (g_strcmp0 (type, GST_CUDA_CONTEXT_TYPE) != 0)
        break;
      flow->needed++;
      if (flow->answer != NULL)
        flow_give_context (GST_ELEMENT (GST_MESSAGE_SRC (message)),
            flow->answer);
      break;
    case GST_MESSAGE_HAVE_CONTEXT:
      gst_message_parse_have_context (message, &context);
      flow->had++;
      gst_clear_object (&flow->made);
      gst_structure_get (gst_context_get_structure (context),
          GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &flow->made, NULL);
      gst_context_unref (context);
      break;
    default:
      break;
  }
  return GST_BUS_PASS;
}

Flow *
flow_new (const gchar * backend, gint device_id)
{
  Flow *flow = g_new0 (Flow, 1);

  flow->element = gst_element_factory_make ("cudagray", NULL);
  gst_object_ref_sink (flow->element);
  gst_util_set_object_arg (G_OBJECT (flow->element), "backend", backend);
  g_object_set (flow->element, "cuda-device-id", device_id, NULL);
  flow->bus = gst_bus_new ();
  gst_bus_set_sync_handler (flow->bus, note_message, flow, NULL);
  gst_element_set_bus (flow->element, flow->bus);
  return flow;
}

static GstCaps *
caps_for (gboolean cuda, const gchar * format)
{
  return frames_caps (cuda ? "(memory:CUDAMemory)" : "", format, WIDTH, HEIGHT);
}

void
flow_set_caps (Flow * flow, FlowMemory memory)
{
  gst_harness_set_src_caps (flow->harness, caps_for (memory & FLOW_CUDA_IN,
          "RGB"));
}

void
flow_play (Flow * flow, FlowMemory memory)
{
  flow->harness = gst_harness_new_with_element (flow->element, "sink", "src");
  gst_harness_set_sink_caps (flow->harness, caps_for (memory & FLOW_CUDA_OUT,
          "GRAY8"));
}

void
flow_start (Flow * flow, FlowMemory memory)
{
  flow_play (flow, memory);
  flow_set_caps (flow, memory);
}

Flow *
flow_new_started (const gchar * backend, gint device_id, FlowMemory memory)
{
  Flow *flow = flow_new (backend, device_id);

  flow_start (flow, memory);
  return flow;
}

void
flow_restart (Flow * flow, FlowMemory memory)
{
  gst_element_set_state (flow->element, GST_STATE_NULL);
  fail_unless_equals_int (gst_element_set_state (flow->element,
          GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event (flow->harness, gst_event_new_stream_start ("again"));
  flow_set_caps (flow, memory);
}

void
flow_free (Flow * flow)
{
  flow_expect_nothing (flow);
  if (flow->harness != NULL)
    gst_harness_teardown (flow->harness);
  gst_element_set_state (flow->element, GST_STATE_NULL);
  gst_element_set_bus (flow->element, NULL);
  /* Messages know who posted them. */
  gst_bus_set_flushing (flow->bus, TRUE);
  fail_unless_equals_int (GST_OBJECT_REFCOUNT_VALUE (flow->element), 1);
  gst_object_unref (flow->element);
  gst_bus_set_sync_handler (flow->bus, NULL, NULL, NULL);
  gst_object_unref (flow->bus);
  gst_clear_object (&flow->made);
  g_free (flow);
}

/* To where the device has the frame, past what GStreamer keeps of it for the
 * CPU. */
static void
upload (GstBuffer * buffer, const guint8 * bytes, gsize row_bytes)
{
  CUresult (*copy_2d) (const CUDA_MEMCPY2D *) = rig_driver ("cuMemcpy2D_v2");
  GstCudaMemory *memory = frames_memory (buffer);
  gint stride = gst_buffer_get_video_meta (buffer)->stride[0];
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_HOST,
    .srcHost = bytes,
    .srcPitch = stride,
    .dstMemoryType = CU_MEMORYTYPE_DEVICE,
    .dstPitch = stride,
    .WidthInBytes = row_bytes,
    .Height = HEIGHT,
  };
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE | GST_MAP_CUDA));
  copy.dstDevice = (CUdeviceptr) (guintptr) map.data;
  fail_unless (gst_cuda_context_push (memory->context));
  fail_unless_equals_int (copy_2d (&copy), CUDA_SUCCESS);
  fail_unless (gst_cuda_context_pop (NULL));
  gst_buffer_unmap (buffer, &map);
}

static GstBuffer *
cuda_buffer (GstCudaContext * context)
{
  GstCaps *caps = caps_for (TRUE, "RGB");
  GstBufferPool *pool = frames_pool (context, caps);
  GstBuffer *buffer = frames_acquire (pool);

  frames_pool_free (pool);
  gst_caps_unref (caps);
  return buffer;
}

GstBuffer *
flow_frame (GstCudaContext * context, guint n)
{
  const Pixels *pixels = pixels_find ("RGB");
  Picture *picture = picture_new_random (WIDTH, HEIGHT, n);
  GstBuffer *buffer;

  if (context == NULL) {
    buffer = picture_plain_buffer (picture, pixels);
  } else {
    Layout layout = layout_default (pixels, WIDTH, HEIGHT);
    guint8 *bytes;

    buffer = cuda_buffer (context);
    layout.stride[0] = gst_buffer_get_video_meta (buffer)->stride[0];
    layout.size = gst_buffer_get_size (buffer);
    bytes = picture_draw (picture, pixels, &layout);
    upload (buffer, bytes, 3 * WIDTH);
    g_free (bytes);
  }
  picture_free (picture);
  return buffer;
}

gboolean
flow_has_rows (const guint8 * data, gint stride, guint n)
{
  Picture *picture = picture_new_random (WIDTH, HEIGHT, n);
  const guint8 *rgb = picture->rgb;
  gboolean has = TRUE;

  for (guint y = 0; y < HEIGHT; y++) {
    for (guint x = 0; x < WIDTH; x++, rgb += 3)
      has = has && data[(gssize) y * stride + x] == rule_apply (&rule_default,
          rgb);
  }
  picture_free (picture);
  return has;
}

gboolean
flow_is_gray (GstBuffer * buffer, guint n)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gint stride = meta != NULL ? meta->stride[0] : WIDTH;
  gsize offset = meta != NULL ? meta->offset[0] : 0;
  gboolean is;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  is = offset + (gsize) (HEIGHT - 1) * stride + WIDTH <= map.size &&
      flow_has_rows (map.data + offset, stride, n);
  gst_buffer_unmap (buffer, &map);
  return is;
}

void
flow_check (GstBuffer * buffer, guint n)
{
  Picture *picture = picture_new_random (WIDTH, HEIGHT, n);
  GstCaps *caps = caps_for (FALSE, "GRAY8");
  guint8 *rows = g_malloc (WIDTH * HEIGHT);
  GBytes *expected = g_bytes_new_take (rows, WIDTH * HEIGHT);

  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    rows[i] = rule_apply (&rule_default, picture->rgb + 3 * i);
  frames_check (buffer, caps, expected);
  g_bytes_unref (expected);
  gst_caps_unref (caps);
  picture_free (picture);
}

GstBuffer *
flow_run (Flow * flow, GstBuffer * buffer, guint n)
{
  GstBuffer *out;

  fail_unless_equals_int (gst_harness_push (flow->harness, buffer),
      GST_FLOW_OK);
  out = gst_harness_try_pull (flow->harness);
  fail_unless (out != NULL, "nothing came out");
  flow_check (out, n);
  return out;
}

void
flow_run_in (Flow * flow, GstCudaContext * context, guint n)
{
  gst_buffer_unref (flow_run (flow, flow_frame (context, n), n));
}

GstCudaContext *
flow_ask (GstElement * element, const gchar * pad_name)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstCudaContext *found = NULL;
  GstContext *context = NULL;

  if (gst_pad_query (pad, query))
    gst_query_parse_context (query, &context);
  if (context != NULL)
    gst_structure_get (gst_context_get_structure (context),
        GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &found, NULL);
  gst_query_unref (query);
  gst_object_unref (pad);
  if (found != NULL)
    gst_object_unref (found);
  return found;
}

void
flow_give_context (GstElement * element, GstCudaContext * context)
{
  GstContext *offer = gst_context_new_cuda_context (context);

  gst_element_set_context (element, offer);
  gst_context_unref (offer);
}

/* The next such message as one text; NULL if there is none. */
static gchar *
pop_text (GstBus * bus, GstMessageType types)
{
  GstMessage *message = gst_bus_pop_filtered (bus, types);
  gchar *debug = NULL, *text;
  GError *error = NULL;

  if (message == NULL)
    return NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  text = g_strdup_printf ("%s (%s)", error->message, debug ? debug : "");
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
  return text;
}

void
flow_expect_nothing (Flow * flow)
{
  gchar *text = pop_text (flow->bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

  fail_unless (text == NULL, "unexpected message: %s", text);
}

void
flow_expect (Flow * flow, GstMessageType type, const gchar * words)
{
  gchar *text = pop_text (flow->bus, type);

  fail_unless (text != NULL, "no %s", gst_message_type_get_name (type));
  fail_unless (strstr (text, words) != NULL, "no '%s' in: %s", words, text);
  g_free (text);
  flow_expect_nothing (flow);
}

guint
flow_take_messages (Flow * flow, GstMessageType type)
{
  guint n = 0;
  gchar *text;

  for (; (text = pop_text (flow->bus, type)) != NULL; n++)
    g_free (text);
  return n;
}

void
flow_expect_refusal (Flow * flow, GstCaps * caps)
{
  GstBuffer *in = gst_buffer_new_allocate (NULL, 16, NULL);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (flow->harness, gst_event_new_caps (caps));
  gst_harness_push_event (flow->harness, gst_event_new_segment (&segment));
  fail_unless (gst_harness_push (flow->harness, in) <= GST_FLOW_NOT_NEGOTIATED);
  fail_unless (flow_take_messages (flow, GST_MESSAGE_ERROR) >= 1);
  flow_take_messages (flow, GST_MESSAGE_WARNING);
  gst_caps_unref (caps);
}

guint64
flow_stat (Flow * flow, const gchar * field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (flow->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

gint
flow_device (GstElement * element)
{
  GstStructure *stats;
  gint device;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int (stats, "device", &device));
  gst_structure_free (stats);
  return device;
}
