/* SPDX-License-Identifier: MIT
 * SPDX-FileCopyrightText: 2026 the cudagray authors */

/* What downstream answers to an ALLOCATION query: nothing, a plain pool, or a
 * pool that lays its frames out as it likes, which need not be able to hold
 * them. */

#include <string.h>

#include "shot.h"
#include "world.h"

/* What is wrong with the frames of a pool. */
typedef enum
{
  POOL_GOOD,
  POOL_UPSIDE_DOWN,
  POOL_LAST_GOOD = POOL_UPSIDE_DOWN,
  POOL_SHORT,
  POOL_OVERLAPS,
  POOL_ELSEWHERE,
  POOL_EMPTY,
  POOL_NOT_MAPPABLE,
  POOL_READONLY,
  POOL_OTHER_FORMAT,
  POOL_FAILS,
  N_POOL_KINDS
} PoolKind;

typedef struct
{
  GstBufferPool parent;
  GstVideoInfo info;
  PoolKind kind;
  guint pad;
} FuzzPool;

typedef GstBufferPoolClass FuzzPoolClass;

GType fuzz_pool_get_type (void);
G_DEFINE_TYPE (FuzzPool, fuzz_pool, GST_TYPE_BUFFER_POOL);

typedef enum
{
  ANSWER_OF_HARNESS,
  ANSWER_NONE,
  ANSWER_WITHOUT_POOL,
  ANSWER_PLAIN_POOL,
  ANSWER_FUZZ_POOL,
  N_ANSWERS
} Answer;

static struct
{
  Answer answer;
  PoolKind kind;
  guint pad, min, size;
  gboolean video_meta, other_metas;
  gboolean params, too_much;    /* more memory than there is */
} now;

static gboolean
fuzz_pool_set_config (GstBufferPool * pool, GstStructure * config)
{
  FuzzPool *self = (FuzzPool *) pool;
  GstCaps *caps = NULL;

  return gst_buffer_pool_config_get_params (config, &caps, NULL, NULL, NULL) &&
      caps != NULL && gst_video_info_from_caps (&self->info, caps) &&
      GST_BUFFER_POOL_CLASS (fuzz_pool_parent_class)->set_config (pool, config);
}

/* Bytes of the one plane that gray has, but for the last row's padding. */
static gsize
padded_size (const GstVideoInfo * info, guint pad)
{
  gsize row = (gsize) GST_VIDEO_INFO_WIDTH (info) *
      GST_VIDEO_INFO_COMP_PSTRIDE (info, 0);

  return pad + (gsize) (GST_VIDEO_INFO_HEIGHT (info) - 1) * (row + pad) + row;
}

static GstFlowReturn
fuzz_pool_alloc_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  FuzzPool *self = (FuzzPool *) pool;
  GstVideoInfo *info = &self->info;
  gint row = GST_VIDEO_INFO_WIDTH (info) * GST_VIDEO_INFO_COMP_PSTRIDE (info,
      0);
  gint stride[GST_VIDEO_MAX_PLANES] = { row + self->pad };
  gsize above = (gsize) (GST_VIDEO_INFO_HEIGHT (info) - 1) * stride[0];
  gsize offset[GST_VIDEO_MAX_PLANES] = { self->pad };
  gsize size = padded_size (info, self->pad);
  guint8 *data;

  if (self->kind == POOL_FAILS || size > DOWNSTREAM_MAX_SIZE)
    return GST_FLOW_ERROR;
  if (self->kind == POOL_UPSIDE_DOWN) {
    offset[0] += above;
    stride[0] = -stride[0];
  } else if (self->kind == POOL_OVERLAPS) {
    stride[0] = row - 1 - MIN ((gint) self->pad, row - 1);
  } else if (self->kind == POOL_ELSEWHERE) {
    offset[0] = (gsize) 1 << (self->pad % 64);
  } else if (self->kind == POOL_SHORT) {
    size -= MIN (size, self->pad + 1);
  }
  data = g_malloc0 (MAX (size, 1));
  *buffer = gst_buffer_new ();
  if (self->kind != POOL_EMPTY)
    gst_buffer_append_memory (*buffer, shot_memory (data, size,
            self->kind == POOL_NOT_MAPPABLE ? GST_MEMORY_FLAG_NOT_MAPPABLE :
            self->kind == POOL_READONLY ? GST_MEMORY_FLAG_READONLY : 0));
  g_free (data);
  gst_buffer_add_video_meta_full (*buffer, 0, self->kind == POOL_OTHER_FORMAT ?
      GST_VIDEO_FORMAT_I420 : GST_VIDEO_INFO_FORMAT (info),
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), 1, offset,
      stride);
  return GST_FLOW_OK;
}

static void
fuzz_pool_class_init (FuzzPoolClass * klass)
{
  klass->set_config = fuzz_pool_set_config;
  klass->alloc_buffer = fuzz_pool_alloc_buffer;
}

static void
fuzz_pool_init (FuzzPool * self)
{
  self->kind = now.kind;
  self->pad = now.pad;
}

static GstBufferPool *
new_pool (GstCaps * caps, guint size)
{
  GstBufferPool *pool = now.answer == ANSWER_FUZZ_POOL ?
      gst_object_ref_sink (g_object_new (fuzz_pool_get_type (), NULL)) :
      gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size, now.min, 0);
  gst_buffer_pool_set_config (pool, config);
  return pool;
}

static void
add_params (GstQuery * query)
{
  GstAllocationParams params = {
    now.pad % 2 ? GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED :
        0, (1 << now.pad % 16) - 1, now.pad % 5, now.pad % 3
  };

  if (now.too_much && now.pad % 4 < 2)
    params.prefix = G_MAXSIZE - now.pad;
  else if (now.too_much)
    params.padding = now.pad % 4 == 2 ? G_MAXSIZE - 1 : (gsize) 1 << 50;
  gst_query_add_allocation_param (query, NULL, &params);
}

static void
add_metas (GstQuery * query)
{
  if (now.video_meta)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  if (now.other_metas) {
    gst_query_add_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, NULL);
    gst_query_add_allocation_meta (query,
        GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, NULL);
  }
}

static GstPadProbeReturn
answer (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstBufferPool *pool = NULL;
  GstVideoInfo video;
  GstCaps *caps;
  gsize size;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION ||
      now.answer == ANSWER_OF_HARNESS)
    return GST_PAD_PROBE_OK;
  gst_query_parse_allocation (query, &caps, NULL);
  /* In passthrough they are what upstream asked with. */
  if (now.answer == ANSWER_NONE || caps == NULL || !gst_caps_is_fixed (caps) ||
      !gst_video_info_from_caps (&video, caps))
    return GST_PAD_PROBE_DROP;
  size = now.answer == ANSWER_FUZZ_POOL ? padded_size (&video, now.pad) :
      video.size + now.size;
  if (now.answer != ANSWER_WITHOUT_POOL && size < G_MAXUINT)
    pool = new_pool (caps, (guint) size);
  if (pool != NULL || now.size != 0)
    gst_query_add_allocation_pool (query, pool, pool != NULL ?
        (guint) size : now.size, now.min, 0);
  add_metas (query);
  if (now.params || now.too_much)
    add_params (query);
  gst_clear_object (&pool);
  return GST_PAD_PROBE_HANDLED;
}

void
downstream_init (World * world)
{
  memset (&now, 0, sizeof now);
  gst_pad_add_probe (world->harness->sinkpad,
      GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, NULL, NULL);
}

gboolean
downstream_is_bad (void)
{
  return (now.answer == ANSWER_FUZZ_POOL && now.kind > POOL_LAST_GOOD) ||
      now.too_much;
}

/* The pool is asked for again with the next buffer. */
void
downstream_change (World * world)
{
  Input *input = &world->input;

  counts.changes++;
  now.answer = input_below (input, N_ANSWERS);
  now.kind = input_rarely (input, 3) ? input_below (input, N_POOL_KINDS) :
      input_below (input, POOL_LAST_GOOD + 1);
  now.pad = input_below (input, DOWNSTREAM_MAX_PAD);
  now.min = input_below (input, 3);
  now.size = input_below (input, 100);
  now.video_meta = input_below (input, 2);
  now.params = input_below (input, 2);
  now.other_metas = input_below (input, 2);
  now.too_much = input_rarely (input, 12);
  world->trouble |= downstream_is_bad ();
  gst_pad_push_event (world->harness->sinkpad, gst_event_new_reconfigure ());
}
